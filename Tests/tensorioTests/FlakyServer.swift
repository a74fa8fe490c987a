// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// `Tools/peers/flaky.py`: a web server for the files in a folder, which fails now and then.
///
/// It ends when its input ends, which is at the latest when this object is released.
final class FlakyServer {
  /// The server's address: `http://127.0.0.1:PORT`.
  let address: String
  private let process: ChildProcess

  init(_ folder: String) throws {
    process = try ChildProcess(try #require(Python.path), ["Tools/peers/flaky.py", folder])
    let line = String(decoding: process.output.availableData, as: UTF8.self)
    address = "http://127.0.0.1:" + line.filter(\.isNumber)
  }

  /// Ends the server, and returns the number of requests for each path.
  func finish() async throws -> [String: Int] {
    let result = await process.finish()
    return try JSONDecoder().decode([String: Int].self, from: Data(result.output.utf8))
  }
}
