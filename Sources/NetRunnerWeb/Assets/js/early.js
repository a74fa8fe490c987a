// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

// A classic script, run before the page is drawn: the chosen theme never flashes.
try {
  const { theme } = JSON.parse(localStorage.getItem("net-runner.settings")) ?? {};
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Without storage, or with another's text in it, the system's theme it is.
}
