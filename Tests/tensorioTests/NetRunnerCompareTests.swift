// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import TensorIO
import TestSupport
import Testing

/// The live view with two models, with failures, and in German.
@Suite(
  .enabled(if: Python.path != nil, "TENSORIO_PYTHON isn't set; see Tools/requirements.txt."))
struct NetRunnerCompareTests {
  @Test(arguments: PageSize.allCases)
  func `the live view compares two models, explains failures and speaks German`(
    size: PageSize
  ) async throws {
    let server = try RunningServer()
    let members = try await size.use("browse_compare.py", [server.address])
    let lists = ["axe", "left_in_english", "console"]
    for (what, value) in members {
      let expected: JSONValue = lists.contains(what) ? .array([]) : .bool(true)
      #expect(value == expected, "\(what): \(value)")
    }
    #expect(members.count == 60)
  }
}
#endif
