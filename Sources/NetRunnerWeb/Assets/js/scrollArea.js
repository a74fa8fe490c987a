// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { el } from "./dom.js";

/**
 * Makes an area that scrolls sideways, also with the keyboard. Shadows at its edges show that there is
 * more.
 */
export function scrollArea(label, ...children) {
  const area = el(
    "div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, children
  );
  const root = el("div", { class: "scroll-area" }, area);
  const update = () => {
    const rest = area.scrollWidth - area.clientWidth - area.scrollLeft;
    root.classList.toggle("more-left", area.scrollLeft > 1);
    root.classList.toggle("more-right", rest > 1);
  };
  area.addEventListener("scroll", update, { passive: true });
  new ResizeObserver(update).observe(area);
  return root;
}
