// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// The server and `fsck` with databases that a script damages.
@Suite struct DamagedDatabaseCommandTests {
  @Test(.enabled(if: Python.path != nil, "TENSORIO_PYTHON isn't set."))
  func `a damaged database crashes neither the server nor fsck, and fsck reports the damage`()
    async throws
  {
    let report = try await Python.run([
      "Tools/peers/damage_databases.py", CommandRunner.binary.path, "--count", "25", "--seed", "7",
    ])
    #expect(report.contains("\"failures\": 0"), "\(report)")
  }
}
