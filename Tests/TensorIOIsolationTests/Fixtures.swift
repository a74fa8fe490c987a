// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

/// What these tests read and start.
enum Fixtures {
  static let models = Python.root.appending(path: "Tests/Fixtures/Models")

  static func model(_ name: String) -> String { models.appending(path: name).path }

  /// The command that was built with the tests.
  static let command = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    .appending(path: "tensorio").path
}
