// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/** The languages of the page, by their codes. */
export const languages = { en: "English", de: "Deutsch" };

/** The code of the page's language, which early.js chose. */
export const language = document.documentElement.lang;

/** Formats numbers in the page's language. */
export const numbers = new Intl.NumberFormat(language);

// English needs no other file.
const translations = language === "de" ? (await import("./german.js")).german : null;

/**
 * Returns a text in the page's language. The English text identifies it, and values replace the names
 * in braces: `t("Imported {name}.", { name })`.
 */
export function t(text, values = {}) {
  return filled(translations?.[text] ?? text, values);
}

/**
 * Returns a text that depends on a count, in the page's language. Both texts may contain `{n}`, which
 * the formatted count replaces: `tn(2, "{n} image", "{n} images")`.
 */
export function tn(n, one, many, values = {}) {
  const [singular, plural] = translations?.[many] ?? [one, many];
  return filled(n === 1 ? singular : plural, { n: numbers.format(n), ...values });
}

/** Translates the texts and attributes of index.html, or of another element that isn't made by a script. */
export function translate(root) {
  if (!translations) return;
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const [, before, text, after] = /^(\s*)(.*?)(\s*)$/s.exec(walker.currentNode.data);
    if (text) walker.currentNode.data = before + t(text) + after;
  }
  for (const name of ["aria-label", "title", "placeholder", "data-title", "data-hint"]) {
    for (const node of root.querySelectorAll(`[${name}]`)) {
      node.setAttribute(name, t(node.getAttribute(name)));
    }
  }
}

function filled(text, values) {
  return text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}
