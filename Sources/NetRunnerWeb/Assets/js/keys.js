// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/** Whether a key is meant for the field or the control in which it was pressed. */
export function isForControl(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return true;
  const target = event.target;
  if (document.querySelector("dialog[open]")) return true;
  if (!(target instanceof Element)) return false;
  if (target.closest("input, select, textarea, [contenteditable]")) return true;
  return event.key === " " || event.key === "Enter" ? Boolean(
    target.closest("button, a, summary, label")
  ) : false;
}
