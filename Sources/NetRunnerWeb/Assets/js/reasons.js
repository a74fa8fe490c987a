// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { el } from "./dom.js";

const tip = el("div", { class: "reason", "aria-hidden": "true", popover: "manual" });

/**
 * Makes a text with a reason, which is shown on hover, on focus and on a click. Escape hides it.
 */
export function withReason(text, reason) {
  if (!reason) return el("span", { text });
  const node = el("button", {
    class: "why", type: "button",
    on: {
      pointerenter: () => show(node, reason), focus: () => show(node, reason),
      click: () => show(node, reason), pointerleave: hide, blur: hide,
      keydown: (event) => event.key === "Escape" && hide(),
    },
  }, el("span", { text }), el("span", { class: "unseen", text: ` ${reason}` }));
  return node;
}

function show(node, reason) {
  if (!tip.isConnected) document.body.append(tip);
  tip.textContent = reason;
  tip.showPopover();
  const { left, bottom, top } = node.getBoundingClientRect();
  const most = document.documentElement.clientWidth - tip.offsetWidth - 8;
  const isBelow = bottom + tip.offsetHeight + 12 < innerHeight;
  tip.style.left = `${Math.max(8, Math.min(left, most))}px`;
  tip.style.top = `${isBelow ? bottom + 6 : top - tip.offsetHeight - 6}px`;
}

function hide() {
  if (tip.isConnected && tip.matches(":popover-open")) tip.hidePopover();
}
