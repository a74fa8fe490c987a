// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

// This is a classic script that runs before the page is drawn, so that the wrong theme or language
// never flashes.
(() => {
  let settings = {};
  try {
    settings = JSON.parse(localStorage.getItem("net-runner.settings")) ?? {};
  } catch {
    // If there is no storage or its text isn't valid, the page uses the system's theme and language.
  }
  const root = document.documentElement;
  if (["light", "dark"].includes(settings.theme)) root.dataset.theme = settings.theme;
  const languages = ["en", "de"];
  root.lang = languages.includes(settings.language)
    ? settings.language
    : navigator.languages.map((each) => each.slice(0, 2)).find((each) => languages.includes(each)) ?? "en";
})();
