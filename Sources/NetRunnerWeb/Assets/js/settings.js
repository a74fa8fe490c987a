// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

const key = "net-runner.settings";

/** The default preferences. */
const defaultSettings = {
  theme: "system",
  language: "system",
  showInputBuffers: true,
  showInputBufferAlpha: false,
  iterations: 10,
  threads: 0,
  top: 5,
  threshold: 0.1,
  defaultModel: "",
  labelModel: "",
  facing: "",
  showWelcome: true,
};

/** Returns valid preferences. Stored values that are missing or invalid become the defaults. */
function validSettings(stored) {
  const settings = { ...defaultSettings };
  if (typeof stored !== "object" || stored === null) return settings;
  const within = (name, least, most, isWhole) => {
    const value = stored[name];
    if (typeof value !== "number" || !(value >= least && value <= most)) return;
    settings[name] = isWhole ? Math.round(value) : value;
  };
  within("iterations", 1, 1000, true);
  within("threads", 0, 256, true);
  within("top", 1, 20, true);
  within("threshold", 0, 0.99, false);
  for (const name of ["showInputBuffers", "showInputBufferAlpha", "showWelcome"]) {
    if (typeof stored[name] === "boolean") settings[name] = stored[name];
  }
  for (const name of ["defaultModel", "labelModel"]) {
    if (typeof stored[name] === "string") settings[name] = stored[name];
  }
  if (["light", "dark", "system"].includes(stored.theme)) settings.theme = stored.theme;
  if (["en", "de", "system"].includes(stored.language)) settings.language = stored.language;
  if (["front", "back"].includes(stored.facing)) settings.facing = stored.facing;
  return settings;
}

/** The preferences, which this browser stores. Sends "change" with `detail.name`. */
export class Settings extends EventTarget {
  values;
  #storage;

  constructor(storage) {
    super();
    this.#storage = storage;
    let stored = null;
    try {
      stored = JSON.parse(storage?.getItem(key));
    } catch {
      // The text isn't JSON, because it is damaged or from another program. Use the defaults.
    }
    this.values = validSettings(stored);
  }

  /** Changes a preference and stores it. */
  set(name, value) {
    this.values = validSettings({ ...this.values, [name]: value });
    this.#store(JSON.stringify(this.values));
    this.dispatchEvent(new CustomEvent("change", { detail: { name } }));
  }

  /** Resets all preferences to their defaults. */
  reset() {
    this.values = { ...defaultSettings };
    this.#store(JSON.stringify(this.values));
    this.dispatchEvent(new CustomEvent("change", { detail: { name: null } }));
  }

  #store(text) {
    try {
      this.#storage?.setItem(key, text);
    } catch {
      // The storage is full or forbidden. The preference holds until the page is closed.
    }
  }
}

/** Keeps the page's theme in sync with the preference. */
export function followTheme(settings) {
  const root = document.documentElement;
  const apply = () => {
    const { theme } = settings.values;
    if (theme === "system") delete root.dataset.theme;
    else root.dataset.theme = theme;
  };
  settings.addEventListener("change", apply);
  apply();
}
