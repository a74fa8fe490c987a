// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ModelTools
package import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Why an item has no result.
package struct ItemFailure: Sendable, Hashable, Codable {
  /// A word for programs.
  package var code: String
  /// A sentence for people.
  package var message: String

  package init(_ code: String, _ message: String) {
    self.code = code
    self.message = message
  }

  package init(_ error: TensorIOError) { self.init(error.code.description, error.message) }

  fileprivate var json: JSONValue {
    .object(["code": .string(code), "message": .string(message)])
  }
}

/// A message from a worker.
package enum WorkerReply: Sendable {
  /// The version of the protocol.
  package static let protocolVersion = 1

  /// The first message, whose members describe the model and the worker.
  case ready([String: JSONValue])
  /// A row, as JSON, and why it is one with an error.
  case row(ItemID, String, ItemFailure?)
  /// What `tensorio run --json` prints.
  case outputs(ItemID, [String: JSONValue])
  /// NumPy files.
  case tensors(ItemID, [(name: String, file: [UInt8])])
  case failed(ItemID?, ItemFailure)
  case heartbeat(underWay: [ItemID], done: Int, failed: Int)
  case end(done: Int, failed: Int)
  case fault(String)

  /// Whether an item failed.
  package var isFailure: Bool {
    switch self {
    case .row(_, _, let failure): failure != nil
    case .failed: true
    default: false
    }
  }

  /// Returns the message as a frame.
  ///
  /// - Parameter more: More members of a `row`, `outputs` or `tensors` message, which say how the item
  ///   ran.
  /// - Returns: The frame.
  /// - Throws: `TensorIOError` if its header would be too long.
  package func frame(with more: [String: JSONValue] = [:]) throws -> Frame {
    let frame = try encoded(with: more)
    guard frame.header.count <= Frame.mostHeaderBytes else {
      throw TensorIOError(
        .unsupportedModel,
        "The answer takes \(ByteCount(frame.header.count)) as JSON, but at most "
          + "\(ByteCount(Frame.mostHeaderBytes)) can be sent. Ask for \"tensors\", or pass "
          + "--outputs with a number.")
    }
    return frame
  }

  private func encoded(with more: [String: JSONValue]) throws -> Frame {
    func frame(_ type: String, _ members: [String: JSONValue]) throws -> Frame {
      let all = members.merging(["type": .string(type)]) { first, _ in first }
      return Frame(header: Array(try JSONValue.object(all).text().utf8))
    }
    switch self {
    case .ready(let members): return try frame("ready", members)
    case .row(let id, let row, let failure):
      // The row keeps its own text, which equals the line in a file of rows.
      var members = more
      members["id"] = id.json
      members["error"] = failure?.json
      let start = try JSONValue.object(members).text().dropLast()
      return Frame(header: Array(#"\#(start),"row":\#(row),"type":"row"}"#.utf8))
    case .outputs(let id, let members):
      let all = members.merging(more) { own, _ in own }
      return try frame("outputs", all.merging(["id": id.json]) { first, _ in first })
    case .tensors(let id, let tensors):
      let parts = tensors.map { tensor in
        JSONValue.object([
          "name": .string(tensor.name), "length": .integer(Int64(tensor.file.count)),
        ])
      }
      let members: [String: JSONValue] = ["id": id.json, "tensors": .array(parts)]
      var result = try frame("tensors", members.merging(more) { own, _ in own })
      for tensor in tensors { result.body += tensor.file }
      return result
    case .failed(let id, let failure):
      return try frame("failed", ["id": id?.json ?? .null, "error": failure.json])
    case .heartbeat(let underWay, let done, let failed):
      return try frame(
        "heartbeat",
        [
          "under_way": .array(underWay.map(\.json)), "done": .integer(Int64(done)),
          "failed": .integer(Int64(failed)),
        ])
    case .end(let done, let failed):
      return try frame("end", ["done": .integer(Int64(done)), "failed": .integer(Int64(failed))])
    case .fault(let message): return try frame("fault", ["message": .string(message)])
    }
  }
}

/// The members of a worker's message that its supervisor needs.
package struct ReplyHead: Decodable, Sendable {
  package var type: String
  package var id: ItemID?
  /// Why the item failed; nil for any other message.
  package var error: ItemFailure?
  /// The message of a fault.
  package var message: String?

  /// Reads a message.
  ///
  /// - Throws: `DecodingError` if the bytes aren't one.
  package init(_ frame: Frame) throws {
    self = try JSONDecoder().decode(ReplyHead.self, from: Data(frame.header))
  }
}
