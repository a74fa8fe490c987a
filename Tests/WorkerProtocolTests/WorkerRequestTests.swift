// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import Testing
import WorkerProtocol

@Suite struct WorkerRequestTests {
  private static func request(_ header: String, body: [UInt8] = []) -> WorkerRequest {
    WorkerRequest(Frame(header: Array(header.utf8), body: body))
  }

  private static func item(_ members: String, body: [UInt8] = []) throws -> WorkerItem {
    let request = request(#"{"type":"item","id":7,\#(members)}"#, body: body)
    guard case .item(let item) = request else { throw Unexpected(request: request) }
    return item
  }

  private struct Unexpected: Error { let request: WorkerRequest }

  @Test func `an item has defaults`() throws {
    let item = try Self.item(#""path":"photos/a.jpg""#)
    #expect(item.id == .number(7))
    #expect(item.form == .row)
    #expect(item.timeout == nil)
    #expect(item.index == nil)
    #expect(item.shownName == "photos/a.jpg")
  }

  @Test func `an item has what its message says`() throws {
    let item = try Self.item(
      #""file":"a.wav","answer":"inputs","timeout_ms":1500,"index":3,"name":"b""#, body: [1])
    #expect(item.form == .inputs)
    #expect(item.timeout == .milliseconds(1500))
    #expect(item.index == 3)
    #expect(item.shownName == "b")
    #expect(item.body == [1])
  }

  @Test func `the columns of a value keep their order`() throws {
    let item = try Self.item(#""value":{"z":1,"a":"x"}"#)
    guard case .value(_, let keys) = item.source else {
      Issue.record("\(item)")
      return
    }
    #expect(keys == ["z", "a"])
    #expect(item.shownName == "7")
    let sent = String(decoding: item.frame(at: 12).header, as: UTF8.self)
    #expect(sent == #"{"index":12,"type":"item","id":7,"value":{"z":1,"a":"x"}}"#)
  }

  @Test func `a line whose header no frame could have is refused`() throws {
    let long = String(repeating: "x", count: 16 << 20)
    let request = Self.request(#"{"type":"item","id":7,"value":"\#(long)"}"#)
    guard case .refused(let id, let refusal) = request else { throw Unexpected(request: request) }
    #expect(id == .number(7))
    #expect(refusal.message.contains("besides its body, but at most 16777184 are accepted"))
    // Bytes in base64 aren't in the header that is passed on.
    let item = try Self.item(#""file":"a.png","data":"\#(long)""#)
    #expect(item.frame(at: 3).header.count < 100)
  }

  @Test func `bytes in base64 are a body`() throws {
    let item = try Self.item(#""file":"a.png","data":"AQID""#)
    #expect(item.body == [1, 2, 3])
    let again = WorkerRequest(item.frame(at: 0))
    guard case .item(let sent) = again else { throw Unexpected(request: again) }
    #expect(sent.body == [1, 2, 3])
    #expect(sent.index == 0)
  }

  @Test func `tensors are parts of the body, or JSON`() throws {
    let item = try Self.item(
      #""tensors":[{"name":"x","length":2},{"name":"t","value":"a"},{"name":"y","length":3}]"#,
      body: [1, 2, 3, 4, 5])
    guard case .tensors(let parts) = item.source else {
      Issue.record("\(item)")
      return
    }
    #expect(parts.map(\.name) == ["x", "t", "y"])
    let ranges = parts.map { part -> Range<Int>? in
      if case .bytes(let range) = part.content { range } else { nil }
    }
    #expect(ranges == [0..<2, nil, 2..<5])
    guard case .json(.string("a")) = parts[1].content else {
      Issue.record("\(parts[1])")
      return
    }
  }

  @Test func `an item that the parent couldn't read has the reason`() throws {
    let item = try Self.item(#""failure":{"code":"refused","message":"It's a set."},"name":"5""#)
    guard case .failure(let failure) = item.source else {
      Issue.record("\(item)")
      return
    }
    #expect(failure == ItemFailure("refused", "It's a set."))
    #expect(item.shownName == "5")
  }

  @Test func `a cancellation names its item`() throws {
    let frame = try WorkerRequest.cancelFrame(.text("a\"b"))
    guard case .cancel(.text("a\"b")) = WorkerRequest(frame) else {
      Issue.record("\(frame)")
      return
    }
  }

  @Test(arguments: [
    (#"{"type":"item"}"#, "needs an 'id'"), (#"{"id":7}"#, "needs a 'type'"),
    (#"{"type":"itme","id":7}"#, "got 'itme'"),
    (
      #"{"type":"item","id":7}"#,
      "one source of 'path', 'url', 'file', 'value', 'tensors', 'failure', got none"
    ),
    (#"{"type":"item","id":7,"path":"a","url":"b"}"#, "got 'path', 'url'"),
    (#"{"type":"item","id":7,"path":1}"#, "'path' takes text, got a number"),
    (#"{"type":"item","id":7,"path":"a","anwser":"row"}"#, "no member 'anwser'"),
    (#"{"type":"item","id":7,"path":"a","answer":"rows"}"#, "'answer' takes one of 'row'"),
    (#"{"type":"item","id":7,"path":""}"#, "'path' takes text, but the text is empty."),
    (
      #"{"type":"item","id":7,"path":"a","timeout_ms":0}"#,
      "milliseconds above 0 and up to 1e12, got 0"
    ),
    (#"{"type":"item","id":7,"path":"a","timeout_ms":"1"}"#, "got a string"),
    (#"{"type":"item","id":7,"failure":"x"}"#, "'failure' takes an object"),
    (#"{"type":"item","id":7,"tensors":[{"name":"x","size":9}]}"#, "neither a value nor"),
    (
      #"{"type":"item","id":7,"tensors":[{"name":"x","length":9,"value":1}]}"#,
      "but an entry has the members 'length', 'name', 'value'."
    ),
    (#"{"type":"item","id":7,"tensors":[{}]}"#, "but an entry has no members."),
    (#"{"type":"item","id":7,"tensors":[1]}"#, "but it contains a number."),
    (#"{"type":"item","id":9223372036854775808,"path":"a"}"#, "a whole number of 64 bits"),
    (#"{"type":"item","id":7,"path":"a","index":1.5}"#, "'index' takes a whole number"),
    (#"{"type":"item","id":1.5,"path":"a"}"#, "needs an 'id'"),
    (#"{"type":"item","id":7,"file":"a"}"#, "has no bytes. They are the frame's body, or base64"),
    (#"{"type":"item","id":7,"file":"a","data":"*"}"#, "base64"),
    (#"{"type":"item","id":7,"tensors":[]}"#, "'tensors' takes a list"),
    (#"{"type":"item","id":7,"tensors":[{"name":"x","length":9}]}"#, "more than the body's 0"),
  ])
  func `a wrong message is refused with the reason`(header: String, reason: String) {
    guard case .refused(let id, let refusal) = Self.request(header) else {
      Issue.record("\(header) was accepted")
      return
    }
    #expect(refusal.message.contains(reason), "\(refusal.message)")
    #expect(id == (header.contains(#""id":7"#) ? .number(7) : nil))
  }

  @Test func `a body that nothing describes is refused`() {
    guard
      case .refused(_, let refusal) = Self.request(
        #"{"type":"item","id":7,"path":"a"}"#, body: [1])
    else {
      Issue.record("it was accepted")
      return
    }
    #expect(refusal.message == "An item with 'path' has no body, got 1 bytes.")
  }

  @Test(arguments: ["", "{", "[]", "1", "\"a\"", "{\"type\":\"item\",}x"])
  func `what isn't an object is malformed`(header: String) {
    guard case .malformed = Self.request(header) else {
      Issue.record("\(header) was accepted")
      return
    }
  }

  @Test func `a message that isn't JSON is quoted`() {
    let wrong = #"{"type":"item","id":7,"path":}"#
    guard case .malformed(let message) = Self.request(wrong) else {
      Issue.record("it was accepted")
      return
    }
    #expect(
      message
        == "The message '\(wrong)' isn't JSON: column 30: found '}', but a value was expected.")
  }

  @Test func `deep nesting is malformed, not a crash`() {
    let depth = 1_000_000
    let header =
      #"{"type":"item","id":7,"value":"# + String(repeating: "[", count: depth)
      + String(repeating: "]", count: depth) + "}"
    guard case .malformed = Self.request(header) else {
      Issue.record("it was accepted")
      return
    }
  }

  @Test func `answers are frames`() throws {
    let reply = WorkerReply.tensors(.text("a"), [("x", [1, 2]), ("y", [3])])
    let frame = try reply.frame()
    #expect(frame.body == [1, 2, 3])
    #expect(
      String(decoding: frame.header, as: UTF8.self)
        == #"{"id":"a","tensors":[{"length":2,"name":"x"},{"length":1,"name":"y"}],"type":"tensors"}"#
    )
    let failed = try WorkerReply.row(.number(1), "{}", ItemFailure("invalidImage", "No.")).frame()
    let head = try ReplyHead(failed)
    #expect(head.id == .number(1))
    #expect(head.error?.code == "invalidImage")
  }

  @Test func `an answer that is too long is an error`() {
    let text = JSONValue.string(String(repeating: "x", count: 17 << 20))
    let error = #expect(throws: TensorIOError.self) {
      try WorkerReply.outputs(.number(1), ["outputs": text]).frame()
    }
    #expect(error?.message.contains("at most 16 MiB can be sent") == true)
  }
}
