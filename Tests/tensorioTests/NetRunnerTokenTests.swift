// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import TensorIO
import TestSupport
import Testing

/// The page of a server that needs a token, in a browser.
@Suite(
  .enabled(if: Python.path != nil, "TENSORIO_PYTHON isn't set; see Tools/requirements.txt."))
struct NetRunnerTokenTests {
  @Test func `the page takes, asks for and sends a token with any characters`() async throws {
    let token = "Schlüssel-100%25+€&#=/?"
    let server = try RunningServer([
      "--token", token, "--photos", "\(CommandRunner.packageFolder.path)/Demo/digits-training",
    ])
    let seen = try await PageSize.medium.use("browse_token.py", [server.address, token])
    for (what, value) in seen { #expect(value == .bool(true), "\(what)") }
    #expect(seen.count == 12)
  }
}
#endif
