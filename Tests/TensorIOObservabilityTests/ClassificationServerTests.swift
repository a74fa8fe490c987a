// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import TestSupport
import Testing

/// Tests of the example server, which clients leave at random.
@Suite struct ClassificationServerTests {
  @Test func `clients that leave affect no other request`() async throws {
    let folder = Bundle.main.bundleURL.deletingLastPathComponent()
    let program = [Bundle.main.bundleURL, folder].map {
      $0.appending(path: "classification-server")
    }
    .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    let server = try #require(program, "The example isn't built.").path
    let output = try await Python.run([
      "Benchmarks/cancellations.py", "--server", server, "--requests", "1000", "--rounds", "1",
      "--model", "Demo/digits.tiobundle", "--photo", "Demo/images/digit-7-01.png", "--json",
    ])
    let report = try #require(
      try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any])
    #expect(report["wrong"] as? Int == 0, "\(output)")
    #expect(report["failed"] as? Int == 0, "\(output)")
    #expect((report["left"] as? Int).map { (200...450).contains($0) } == true, "\(output)")
    #expect(report["sessions_lost"] as? Int == 0, "\(output)")
  }
}
#endif
