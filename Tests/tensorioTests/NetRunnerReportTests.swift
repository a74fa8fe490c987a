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
  .serialized,
  .enabled(if: Python.path != nil, "TENSORIO_PYTHON isn't set; see Tools/requirements.txt."))
struct NetRunnerReportTests {
  @Test func `truths, predictions, disagreements and failures can be seen in a browser`()
    async throws
  {
    let folder = try TemporaryFolder()
    _ = try await Python.run(["Tools/peers/browse_report.py", "--make", folder.path])
    let server = try RunningServer([
      "--models", folder.path + "/models", "--photos", folder.path + "/coco",
      "--photos", folder.path + "/many",
    ])
    let output = try await Python.run(["Tools/peers/browse_report.py", server.address])
    guard case .object(let seen) = try JSONValue(parsing: Data(output.utf8)) else {
      Issue.record("\(output)")
      return
    }
    for (what, value) in seen where what != "console" {
      #expect(value == .bool(true), "\(what)")
    }
    #expect(seen.count == 34)
    #expect(seen["console"] == .array([]))
  }
}
#endif
