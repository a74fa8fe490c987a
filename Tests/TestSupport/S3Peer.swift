// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// `Tools/peers/s3.py`: an S3-compatible store that all tests of a process share.
package final class S3Peer: Sendable {
  /// The store's endpoint and credentials.
  package struct Address: Decodable, Sendable {
    package let endpoint: String
    package let region: String
    package let accessKey: String
    package let secret: String
    package let token: String

    enum CodingKeys: String, CodingKey {
      case endpoint, region, secret, token
      case accessKey = "access_key"
    }
  }

  /// An error of the store.
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  /// Whether there is a Python interpreter to run it.
  package static let isThere = Python.path != nil
  private static let shared = Task { try await S3Peer() }

  let address: Address
  private let lines: Lines
  private let queue: DispatchQueue

  private init() async throws {
    guard let python = Python.path else {
      throw Failure(description: "TENSORIO_PYTHON names no Python.")
    }
    let lines = Lines(try ChildProcess(python, ["Tools/peers/s3.py"]))
    let queue = DispatchQueue(label: "s3.peer")
    (self.lines, self.queue) = (lines, queue)
    address = try await withCheckedThrowingContinuation { continuation in
      queue.async {
        continuation.resume(
          with: Result { try JSONDecoder().decode(Address.self, from: try lines.next()) })
      }
    }
  }

  /// Sends a command to the store.
  ///
  /// - Parameter command: A command that the script describes.
  /// - Returns: The script's response.
  /// - Throws: ``Failure`` when the command fails.
  @discardableResult
  package static func ask(_ command: [String: Any]) async throws -> [String: Any] {
    let peer = try await shared.value
    let data = try JSONSerialization.data(withJSONObject: command) + [0x0A]
    let answer: Data = try await withCheckedThrowingContinuation { continuation in
      peer.queue.async { [lines = peer.lines] in
        continuation.resume(
          with: Result {
            try lines.process.input.write(contentsOf: data)
            return try lines.next()
          })
      }
    }
    let object = try JSONSerialization.jsonObject(with: answer) as? [String: Any]
    guard let object else { throw Failure(description: "s3.py answered with no object.") }
    if let error = object["error"] { throw Failure(description: "\(error)") }
    return object
  }

  /// The store's endpoint and credentials, once the store accepts requests.
  package static func address() async throws -> Address { try await shared.value.address }
}

/// The lines that a process writes.
private final class Lines: Sendable {
  let process: ChildProcess
  /// The part of the next line that was already read.
  private let rest = Mutex(Data())

  init(_ process: ChildProcess) { self.process = process }

  /// Waits for the next line.
  func next() throws -> Data {
    while true {
      let line = rest.withLock { rest -> Data? in
        // Data's own search is fast without optimization; `firstIndex(of:)` isn't.
        guard let end = rest.range(of: Data([0x0A]))?.lowerBound else { return nil }
        defer { rest = Data(rest[(end + 1)...]) }
        return Data(rest[..<end])
      }
      if let line { return line }
      let part = process.output.availableData
      guard !part.isEmpty else {
        let said = (try? process.error.readToEnd()) ?? Data()
        throw S3Peer.Failure(
          description: "s3.py ended: \(String(decoding: said, as: UTF8.self))")
      }
      rest.withLock { $0 += part }
    }
  }
}
