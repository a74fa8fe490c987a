// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import TestSupport
import Testing
import WorkerProtocol

@Suite struct FrameDecoderTests {
  private static let frames = [
    Frame(header: Array(#"{"type":"cancel","id":1}"#.utf8)),
    Frame(header: Array(#"{"type":"item","id":"é","file":"a"}"#.utf8), body: [0, 10, 255, 13]),
    Frame(header: Array("{}".utf8), body: [UInt8](repeating: 10, count: 300)),
  ]

  /// Decodes a stream that arrives in pieces of some size.
  private static func events(
    _ stream: [UInt8], _ form: FrameForm, pieces: Int, mostBodyBytes: Int = 1000
  ) throws -> [FrameDecoder.Event] {
    var decoder = FrameDecoder(form, mostBodyBytes: mostBodyBytes)
    var events: [FrameDecoder.Event] = []
    for start in stride(from: 0, to: stream.count, by: pieces) {
      try decoder.add(stream[start..<min(start + pieces, stream.count)])
      while let event = decoder.next() { events.append(event) }
    }
    try decoder.end()
    while let event = decoder.next() { events.append(event) }
    return events
  }

  @Test(arguments: [1, 2, 3, 7, 11, 12, 13, 1 << 20])
  func `frames are the same in pieces of any size`(pieces: Int) throws {
    let stream = Self.frames.flatMap { $0.encoded(as: .binary) }
    #expect(try Self.events(stream, .binary, pieces: pieces) == Self.frames.map { .frame($0) })
  }

  @Test(arguments: [1, 5, 1 << 20])
  func `lines are frames, and the last one needs no line feed`(pieces: Int) throws {
    let stream = Array("{\"a\":1}\n\n \t\r\n{\"b\":2}\r\n{\"c\":3}".utf8)
    let headers = ["{\"a\":1}", "{\"b\":2}\r", "{\"c\":3}"]
    #expect(
      try Self.events(stream, .lines, pieces: pieces)
        == headers.map { .frame(Frame(header: Array($0.utf8))) })
  }

  @Test func `a body becomes base64 in a line`() {
    let frame = Frame(header: Array(#"{"id":1}"#.utf8), body: [1, 2, 3, 4])
    #expect(
      String(decoding: frame.encoded(as: .lines), as: UTF8.self)
        == #"{"id":1,"data":"AQIDBA=="}"# + "\n")
  }

  @Test(arguments: [1, 100, 1 << 20])
  func `a body that is too long is skipped, and the next frame is read`(pieces: Int) throws {
    let stream = Self.frames.flatMap { $0.encoded(as: .binary) }
    let events = try Self.events(stream, .binary, pieces: pieces, mostBodyBytes: 3)
    guard case .oversized(let header, let message) = events[1] else {
      Issue.record("\(events)")
      return
    }
    #expect(events.count == 3)
    #expect(events[0] == .frame(Self.frames[0]))
    #expect(header == Self.frames[1].header)
    #expect(message.contains("has 4 bytes, but at most 3"))
  }

  @Test func `a line that is too long is skipped`() throws {
    let long = [UInt8](repeating: UInt8(ascii: "x"), count: 17 << 20)
    let events = try Self.events(long + Array("\n{}\n".utf8), .lines, pieces: 1 << 16)
    guard case .oversized(let header, _) = events[0] else {
      Issue.record("no event")
      return
    }
    #expect(header.isEmpty)
    #expect(events.count == 2)
    #expect(events[1] == .frame(Frame(header: Array("{}".utf8))))
  }

  @Test(arguments: [
    [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], [1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0],
    [2, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0], Array("{\"type\":\"item\"}".utf8),
  ])
  func `lengths that can't be right are a fault`(stream: [UInt8]) {
    let fault = #expect(throws: FrameDecoder.Fault.self) {
      _ = try Self.events(stream, .binary, pieces: 5)
    }
    #expect(fault?.message.contains("isn't the worker's protocol") == true)
  }

  @Test func `a stream that ends within a frame is a fault`() throws {
    let stream = Self.frames[1].encoded(as: .binary)
    for count in 1..<stream.count {
      let fault = #expect(throws: FrameDecoder.Fault.self) {
        _ = try Self.events(Array(stream[..<count]), .binary, pieces: 8)
      }
      #expect(fault?.message == "The input ended within a frame.")
    }
  }

  @Test func `memory doesn't grow with a declared length`() throws {
    var decoder = FrameDecoder(.binary, mostBodyBytes: 1 << 40)
    try decoder.add([2, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0] + Array("{}".utf8))
    try decoder.add([1, 2, 3])
    #expect(decoder.next() == nil)
  }

  @Test func `damaged streams are frames or a fault`() {
    var random = SplitMix64(seed: 1)
    let stream = Self.frames.flatMap { $0.encoded(as: .binary) }
    for _ in 0..<2000 {
      var damaged = stream
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let position = Int.random(in: 0..<damaged.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: damaged[position] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: damaged.remove(at: position)
        default: damaged.insert(.random(in: 0...255, using: &random), at: position)
        }
      }
      for form in [FrameForm.binary, .lines] {
        // A fault is as good as frames; only a crash or an endless loop isn't.
        let events = (try? Self.events(damaged, form, pieces: 64)) ?? []
        for case .frame(let frame) in events { _ = WorkerRequest(frame) }
      }
    }
  }
}
