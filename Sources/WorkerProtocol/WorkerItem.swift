// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

package import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An item for a model: where its value is, and what is asked for.
package struct WorkerItem: Sendable {
  /// Where the value is.
  package enum Source: Sendable {
    /// A file on this machine.
    case path(String)
    /// A file that is fetched.
    case url(String)
    /// The bytes of a photo, a recording or a NumPy file, in the body.
    case file(String)
    /// JSON, and the keys of an object in their order.
    case value(JSONValue, keys: [String])
    /// A value for each input.
    case tensors([Part])
    /// Nothing, because the parent couldn't read the item.
    case failure(ItemFailure)
  }

  /// The value of an input.
  package struct Part: Sendable {
    package enum Content: Sendable {
      /// Bytes of the body: a NumPy file, a photo or a recording.
      case bytes(Range<Int>)
      case json(JSONValue)
    }

    package var name: String
    package var content: Content
  }

  /// What is asked for.
  package enum AnswerForm: String, Sendable, CaseIterable {
    /// The row that `bulk` writes.
    case row
    /// The outputs as JSON.
    case outputs
    /// The outputs as NumPy files.
    case tensors
    /// The tensors that the model would get, as NumPy files.
    case inputs
  }

  package var id: ItemID
  package var source: Source
  package var form: AnswerForm
  /// The most time from when the item was given to a worker that can run it; nil for no limit.
  package var timeout: Duration?
  /// The row's index; nil for the number of items before it.
  package var index: Int?
  /// The name in the row; nil for that of the source.
  package var name: String?
  /// The bytes that the source describes.
  package var body: [UInt8]
  /// The header as it was read, without a body in base64.
  private var header: [UInt8]

  /// The name in the row: that of the source, or the identifier if it has none.
  package var shownName: String {
    if let name { return name }
    switch source {
    case .path(let name), .url(let name), .file(let name): return name
    case .value, .tensors, .failure: return id.description
    }
  }

  /// Returns the item for another worker, which doesn't count the items before it.
  package func frame(at index: Int) -> Frame {
    guard self.index == nil, let brace = header.firstIndex(of: UInt8(ascii: "{")) else {
      return Frame(header: header, body: body)
    }
    // The text stays as it is, because the order of columns may matter.
    var header = header
    header.insert(contentsOf: #""index":\#(index),"#.utf8, at: brace + 1)
    return Frame(header: header, body: body)
  }
}

extension WorkerItem {
  private static let sources = ["path", "url", "file", "value", "tensors", "failure"]
  private static let others = ["type", "id", "answer", "timeout_ms", "index", "name"]

  /// Reads an item.
  ///
  /// - Throws: ``Refusal``, which says what is wrong.
  init(
    _ id: ItemID, _ members: [String: JSONValue], header: [UInt8], body: [UInt8]
  ) throws(Refusal) {
    let unknown = members.keys.filter { !(Self.sources + Self.others).contains($0) }
    if let name = unknown.min() {
      throw Refusal(
        "An item has no member '\(name)'. Its members are \(quotedList(Self.others + Self.sources))."
      )
    }
    let given = Self.sources.filter { members[$0] != nil }
    guard given.count == 1, let kind = given.first, let value = members[kind] else {
      throw Refusal(
        "An item has one source of \(quotedList(Self.sources)), got "
          + (given.isEmpty ? "none." : "\(quotedList(given))."))
    }
    self.id = id
    self.body = body
    self.header = header
    source = try Self.source(kind, value, header: header, byteCount: body.count)
    form = try Self.form(members["answer"])
    timeout = try Self.timeout(members["timeout_ms"])
    index = try Self.index(members["index"])
    name = try members["name"].map { value throws(Refusal) in try Self.text(value, "name") }
    switch source {
    case .file, .tensors: break
    default:
      guard body.isEmpty else {
        throw Refusal("An item with '\(kind)' has no body, got \(body.count) bytes.")
      }
    }
  }

  private static func text(_ value: JSONValue, _ name: String) throws(Refusal) -> String {
    guard case .string(let text) = value else {
      throw Refusal("'\(name)' takes text, got \(value.typeName).")
    }
    guard !text.isEmpty else { throw Refusal("'\(name)' takes text, but the text is empty.") }
    return text
  }

  private static func source(
    _ kind: String, _ value: JSONValue, header: [UInt8], byteCount: Int
  ) throws(Refusal) -> Source {
    switch kind {
    case "path": return .path(try text(value, kind))
    case "url": return .url(try text(value, kind))
    case "file":
      let name = try text(value, kind)
      guard byteCount > 0 else {
        throw Refusal(
          "The item with the file '\(name)' has no bytes. They are the frame's body, or base64 in 'data'."
        )
      }
      return .file(name)
    case "value":
      guard case .object = value else { return .value(value, keys: []) }
      return .value(value, keys: JSONOutline(Data(header))?["value"]?.keys ?? [])
    case "failure": return .failure(try failure(value))
    default: return .tensors(try parts(value, byteCount))
    }
  }

  private static func failure(_ value: JSONValue) throws(Refusal) -> ItemFailure {
    guard case .object(let members) = value, members.count == 2,
      case .string(let code)? = members["code"], case .string(let message)? = members["message"]
    else {
      throw Refusal(
        "'failure' takes an object such as {\"code\": \"refused\", \"message\": \"...\"}.")
    }
    return ItemFailure(code, message)
  }

  private static func parts(_ value: JSONValue, _ byteCount: Int) throws(Refusal) -> [Part] {
    let expected =
      "'tensors' takes a list such as [{\"name\": \"x\", \"length\": 128}, "
      + "{\"name\": \"y\", \"value\": 1.5}]"
    guard case .array(let elements) = value, !elements.isEmpty else {
      throw Refusal("\(expected), got \(value.typeName).")
    }
    var parts: [Part] = []
    var end = 0
    for element in elements {
      guard case .object(let members) = element else {
        throw Refusal("\(expected), but it contains \(element.typeName).")
      }
      guard members.count == 2, case .string(let name)? = members["name"] else {
        throw Refusal(
          "\(expected), but an entry has "
            + (members.isEmpty
              ? "no members." : "the members \(quotedList(members.keys.sorted()))."))
      }
      guard !parts.contains(where: { $0.name == name }) else {
        throw Refusal("'tensors' has '\(name)' twice.")
      }
      if let json = members["value"] {
        parts.append(Part(name: name, content: .json(json)))
        continue
      }
      guard let number = members["length"]?.asNumber, let length = Int(exactly: number), length > 0
      else {
        throw Refusal("\(expected), but '\(name)' has neither a value nor a positive length.")
      }
      guard length <= byteCount - end else {
        throw Refusal("The tensors take more than the body's \(byteCount) bytes.")
      }
      parts.append(Part(name: name, content: .bytes(end..<(end + length))))
      end += length
    }
    guard end == byteCount else {
      throw Refusal("The tensors take \(end) bytes, but the body has \(byteCount).")
    }
    return parts
  }

  private static func form(_ value: JSONValue?) throws(Refusal) -> AnswerForm {
    guard let value else { return .row }
    guard case .string(let word) = value, let form = AnswerForm(rawValue: word) else {
      throw Refusal("'answer' takes one of \(quotedList(AnswerForm.allCases.map(\.rawValue))).")
    }
    return form
  }

  private static func timeout(_ value: JSONValue?) throws(Refusal) -> Duration? {
    guard let value else { return nil }
    guard let number = value.asNumber, number > 0, number <= 1e12 else {
      let found = value.asNumber.map { "\($0)" } ?? value.typeName
      throw Refusal(
        "'timeout_ms' takes a number of milliseconds above 0 and up to 1e12, got \(found).")
    }
    return .milliseconds(number)
  }

  private static func index(_ value: JSONValue?) throws(Refusal) -> Int? {
    guard let value else { return nil }
    guard let number = value.asNumber, number >= 0, number < 0x1p53,
      let index = Int(exactly: number)
    else { throw Refusal("'index' takes a whole number from 0.") }
    return index
  }
}
