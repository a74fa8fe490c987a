// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/** Returns the view that a URL such as `#/models/digits` leads to, and the rest of the URL. */
function route(hash, views) {
  const [view, ...rest] = hash.replace(/^#\/?/, "").split("/").map(decoded);
  return views.includes(view) ? { view, rest: rest.join("/") } : { view: views[0], rest: "" };
}

/** Returns the URL of a view. */
export function address(view, rest = "") {
  return rest ? `#/${view}/${encodeURIComponent(rest)}` : `#/${view}`;
}

/** Shows the view that the page's URL names. */
export class Router {
  #views;
  #current = null;

  /** Makes a router for views by name, each with `root`, `show(rest)` and `hide()`. */
  constructor(views) {
    this.#views = views;
  }

  start() {
    addEventListener("hashchange", () => this.#follow());
    this.#follow();
  }

  /** The current view. */
  get current() {
    return this.#views[this.#current];
  }

  #follow() {
    const { view, rest } = route(location.hash, Object.keys(this.#views));
    if (view !== this.#current) {
      this.current?.hide();
      for (const [name, each] of Object.entries(this.#views)) each.root.hidden = name !== view;
      for (const link of document.querySelectorAll("[data-nav]")) {
        if (link.dataset.nav === view) link.setAttribute("aria-current", "page");
        else link.removeAttribute("aria-current");
      }
      this.#current = view;
      scrollTo(0, 0);
    }
    document.title = `${this.current.root.dataset.title} – Net Runner`;
    this.current.show(rest);
  }
}

/** Returns a part of a URL without its percent signs, or as it is if they encode nothing. */
export function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
