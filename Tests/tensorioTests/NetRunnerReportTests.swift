// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import TensorIO
import TestSupport
import Testing

/// The page's evaluations in a browser.
@Suite(
  .enabled(if: Python.path != nil, "TENSORIO_PYTHON isn't set; see Tools/requirements.txt."))
struct NetRunnerReportTests {
  @Test(arguments: PageSize.allCases)
  func `truths, predictions, disagreements and failures can be seen in a browser`(
    size: PageSize
  ) async throws {
    let folder = try TemporaryFolder()
    _ = try await Python.run(["Tools/peers/browse_report.py", "--make", folder.path])
    let server = try RunningServer([
      "--models", folder.path + "/models", "--photos", folder.path + "/coco",
      "--photos", folder.path + "/many",
    ])
    let seen = try await size.use("browse_report.py", [server.address])
    for (what, value) in seen where !["axe", "console"].contains(what) {
      #expect(value == .bool(true), "\(what)")
    }
    #expect(seen.count == (size == .phone ? 37 : 35))
    #expect(seen["axe"] == .array([]))
    #expect(seen["console"] == .array([]))
  }
}
#endif
