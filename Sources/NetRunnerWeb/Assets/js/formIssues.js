// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { el } from "./dom.js";
import { t, tn } from "./messages.js";

let counter = 0;

/**
 * Shows the server's issues in a form and in a list. An issue stands beside the field that it is about, and
 * the list leads there. Without a visible field, for example while people edit the text, it is in the list.
 */
export function showIssues(form, list, issues) {
  clearIssues(form, list);
  if (issues.length === 0) return;
  const items = issues.map((issue) => {
    const control = showBeside(form, issue);
    return control ? fieldLink(control) : issueText(issue);
  });
  list.replaceChildren(
    issues.some(({ path }) => path) ? el("strong", {
      text: tn(issues.length, "The description has {n} problem.", "The description has {n} problems."),
    }) : "",
    el("ul", {}, items.map((item) => el("li", {}, item))));
  list.hidden = false;
}

export function clearIssues(form, list) {
  list.hidden = true;
  list.replaceChildren();
  for (const note of form.querySelectorAll(".field-issue")) note.remove();
  for (const control of form.querySelectorAll("[aria-invalid]")) {
    control.removeAttribute("aria-invalid");
    control.removeAttribute("aria-describedby");
  }
}

function issueText({ path, message }) {
  return message?.startsWith(path) ? message : [path, message].filter(Boolean).join(": ");
}

/** Makes a button with the name of a field, which leads to the field. */
function fieldLink(control) {
  const name = control.closest(".field, .tick").querySelector("span").textContent;
  return el("button", { class: "link", type: "button", text: name, on: { click: () => control.focus() } });
}

/** Shows an issue beside its field. Returns the field's control, or null if there is no visible one. */
function showBeside(form, { path, expected, found, suggestion }) {
  if (!path || !expected) return null;
  const controls = [...form.querySelectorAll("[data-path]")].filter(
    (control) => control.checkVisibility() && isAbout(path, control.dataset.path)
  );
  const longest = controls.reduce(
    (best, each) => (best && best.dataset.path.length >= each.dataset.path.length ? best : each), null
  );
  if (!longest) return null;
  counter += 1;
  const note = el("span", {
    class: "field-issue", id: `field-issue-${counter}`,
    text: t("Expected {expected}, found {found}. {suggestion}", { expected, found, suggestion }),
  });
  longest.setAttribute("aria-invalid", "true");
  longest.setAttribute("aria-describedby", note.id);
  longest.closest(".field, .tick").append(note);
  return longest;
}

/** Whether an issue's path is a field's path or below it. */
function isAbout(issue, field) {
  return issue === field || (issue.startsWith(field) && /[.[]/.test(issue[field.length]));
}
