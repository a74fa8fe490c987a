// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

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
