// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ModelTools
import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The reason why an item isn't accepted.
package struct Refusal: Error, Hashable {
  package let message: String

  init(_ message: String) { self.message = message }
}

/// A message to a worker.
package enum WorkerRequest: Sendable {
  case item(WorkerItem)
  case cancel(ItemID)
  /// A message that is wrong; the identifier is nil if it has none.
  case refused(ItemID?, Refusal)
  /// Bytes that aren't a JSON object.
  case malformed(String)

  /// Reads a message.
  package init(_ frame: Frame) {
    let document: JSONValue
    do {
      document = try JSONValue(parsing: Data(frame.header))
    } catch {
      self = .malformed(Self.description(of: error, in: frame.header))
      return
    }
    guard case .object(let members) = document else {
      self = .malformed("A message is a JSON object, got \(document.typeName).")
      return
    }
    let id = members["id"].flatMap { ItemID($0) }
    do throws(Refusal) {
      self = try Self.read(members, id, frame)
    } catch {
      self = .refused(id, error)
    }
  }

  /// Returns the message that cancels an item.
  package static func cancelFrame(_ id: ItemID) throws -> Frame {
    let message = JSONValue.object(["type": .string("cancel"), "id": id.json])
    return Frame(header: Array(try message.text().utf8))
  }

  /// Returns the identifier in a header; nil if it has none.
  package static func id(inHeader header: [UInt8]) -> ItemID? {
    switch WorkerRequest(Frame(header: header)) {
    case .item(let item): item.id
    case .cancel(let id): id
    case .refused(let id, _): id
    case .malformed: nil
    }
  }

  /// Says where a message isn't JSON, and begins with the message, because a line has no number.
  private static func description(of error: any Error, in header: [UInt8]) -> String {
    let shown = 40
    let text = String(decoding: header.prefix(shown), as: UTF8.self)
    let place =
      if let error = error as? JSONSyntaxError, error.line == 1 {
        "column \(error.column): \(error.reason)"
      } else {
        "\(error)"
      }
    return "The message '\(text)\(header.count > shown ? "..." : "")' isn't JSON: \(place)."
  }

  private static func read(
    _ members: [String: JSONValue], _ id: ItemID?, _ frame: Frame
  ) throws(Refusal) -> WorkerRequest {
    guard case .string(let type)? = members["type"] else {
      throw Refusal("A message needs a 'type': \"item\" or \"cancel\".")
    }
    guard type == "item" || type == "cancel" else {
      throw Refusal(
        "The type of a message must be 'item' or 'cancel', got '\(type)'.")
    }
    guard let id else {
      throw Refusal(
        "A message needs an 'id': a whole number of 64 bits, or text of at most 1,024 bytes.")
    }
    if type == "cancel" { return .cancel(id) }
    guard let data = members["data"] else {
      try check(frame.header)
      return .item(try WorkerItem(id, members, header: frame.header, body: frame.body))
    }
    guard frame.body.isEmpty, case .string(let text) = data,
      let body = Data(base64Encoded: text)
    else { throw Refusal("'data' takes bytes in base64, in place of a body.") }
    let rest = members.filter { $0.key != "data" }
    guard let header = try? JSONValue.object(rest).text() else {
      throw Refusal("The message can't be written as JSON.")
    }
    try check(Array(header.utf8))
    return .item(try WorkerItem(id, rest, header: Array(header.utf8), body: [UInt8](body)))
  }

  /// Throws for a header that a supervisor can't pass on, because lines have no other limit.
  private static func check(_ header: [UInt8]) throws(Refusal) {
    guard header.count > Frame.mostItemHeaderBytes else { return }
    throw Refusal(
      "The message has \(header.count) bytes besides its body, but at most "
        + "\(Frame.mostItemHeaderBytes) are accepted. Send large values as the bytes of NumPy files."
    )
  }
}
