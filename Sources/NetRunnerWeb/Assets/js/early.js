// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

// This is a classic script that runs before the page is drawn, so that the wrong theme never
// flashes.
try {
  const { theme } = JSON.parse(localStorage.getItem("net-runner.settings")) ?? {};
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // If there is no storage or its text isn't valid, the page uses the system's theme.
}
