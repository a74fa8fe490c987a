// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

/// The files that these tests read and the command that they start.
enum Fixtures {
  static let models = Python.root.appending(path: "Tests/Fixtures/Models")

  static func model(_ name: String) -> String { models.appending(path: name).path }

  /// The command that is built with the tests.
  static let command = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    .appending(path: "tensorio").path
}
