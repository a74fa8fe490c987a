// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/**
 * Makes an element. `text` becomes its text, `on` its listeners and `data` its dataset. Attributes
 * that are null, undefined or false are left out.
 */
export function el(tag, attributes = {}, ...children) {
  return complete(document.createElement(tag), attributes, children);
}

/** Makes an SVG element. */
export function svg(tag, attributes = {}, ...children) {
  return complete(
    document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children
  );
}

/**
 * Makes one of the page's icons, which are hidden from screen readers because a text beside them
 * says the same.
 */
export function icon(name) {
  return svg(
    "svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" },
    svg("use", { href: `#icon-${name}` }));
}

/** Returns the element with an id in index.html. */
export function byId(id) {
  return document.getElementById(id);
}

/** Sets a button's text, keeping its icon. */
export function setIconButton(button, iconName, label) {
  button.replaceChildren(icon(iconName), el("span", { class: "button-text", text: label }));
  button.setAttribute("aria-label", label);
  button.title = label;
}

/**
 * Returns a function that delays its calls, and calls only once after the last of several calls.
 */
export function debounced(milliseconds, action) {
  let timer;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...values), milliseconds);
  };
}

/** Resolves after the page is drawn again. In a hidden tab, which isn't drawn, it resolves soon. */
export function afterDrawing() {
  return new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
    setTimeout(resolve, 300);
  });
}

function complete(node, { text, on = {}, data = {}, ...attributes }, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    node.setAttribute(name, value === true ? "" : value);
  }
  for (const [name, value] of Object.entries(data)) node.dataset[name] = value;
  for (const [name, listener] of Object.entries(on)) node.addEventListener(name, listener);
  if (text !== undefined && text !== null) node.textContent = text;
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return node;
}

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
