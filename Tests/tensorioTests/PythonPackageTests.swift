// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// The Python package, on this program.
@Suite(
  .enabled(if: hasLiteRT, "The LiteRT library is missing; run 'make setup'."),
  .enabled(if: Python.path != nil, "TENSORIO_PYTHON isn't set; see Tools/requirements.txt."))
struct PythonPackageTests {
  @Test(arguments: [
    "model", "preprocess", "failures", "many_items", "hosted", "zipped", "tables", "examples",
    "types",
  ])
  func `the package's tests pass`(name: String) async throws {
    let summary = try await Python.run([
      "-m", "pytest", "Python/tests/test_\(name).py", "--program", CommandRunner.binary.path,
      "-q", "-p", "no:cacheprovider", "-o", "pythonpath=Python", "-o", "faulthandler_timeout=900",
      "-o", "faulthandler_exit_on_timeout=true",
    ])
    // Without mypy, for example, the tests of types are only skipped.
    #expect(summary.contains(" passed") && !summary.contains(" skipped"), "\(summary)")
  }
}
