// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Divides a stream into frames.
///
/// It keeps at most one incomplete frame. Memory grows with the bytes that arrive, never with a
/// length that a damaged stream declares.
package struct FrameDecoder {
  /// What the stream contained.
  package enum Event: Hashable, Sendable {
    case frame(Frame)
    /// A frame that is longer than allowed, which was skipped.
    ///
    /// The header is empty if it was too long itself.
    case oversized(header: [UInt8], message: String)
  }

  /// A stream that isn't the protocol, so that nothing after this point can be read.
  package struct Fault: Error, Hashable {
    package let message: String

    package init(message: String) { self.message = message }
  }

  private enum Stage {
    case prefix
    case header(bodyCount: UInt64, length: Int)
    case body(header: [UInt8], length: Int)
    case skippedBody(header: [UInt8], byteCount: UInt64, rest: UInt64)
    case skippedLine
  }

  private let form: FrameForm
  private let mostBodyBytes: Int
  private var stage = Stage.prefix
  /// The bytes of the current stage.
  private var bytes: [UInt8] = []
  private var events: [Event] = []
  private var nextEvent = 0

  /// Makes a decoder at the start of a stream.
  ///
  /// - Parameters:
  ///   - form: How the frames are written.
  ///   - mostBodyBytes: Longer bodies are skipped.
  package init(_ form: FrameForm, mostBodyBytes: Int) {
    self.form = form
    self.mostBodyBytes = mostBodyBytes
  }

  /// Returns the next event, or nil until more bytes were added.
  package mutating func next() -> Event? {
    guard nextEvent < events.count else {
      events.removeAll(keepingCapacity: true)
      nextEvent = 0
      return nil
    }
    defer { nextEvent += 1 }
    return events[nextEvent]
  }

  /// Adds the next bytes of the stream.
  ///
  /// - Throws: ``Fault``. Events before the fault can still be taken.
  package mutating func add(_ new: ArraySlice<UInt8>) throws(Fault) {
    switch form {
    case .binary: try addBinary(new)
    case .lines: addLines(new)
    }
  }

  /// Checks that the stream ended between two frames.
  ///
  /// In lines, the last one may lack its line feed.
  package mutating func end() throws(Fault) {
    if case .lines = form { return addLines([UInt8(ascii: "\n")]) }
    if case .prefix = stage, bytes.isEmpty { return }
    throw Fault(message: "The input ended within a frame.")
  }

  // MARK: - Binary frames

  private mutating func addBinary(_ new: ArraySlice<UInt8>) throws(Fault) {
    var rest = new
    while !rest.isEmpty {
      switch stage {
      case .prefix:
        take(Frame.prefixLength, from: &rest)
        if bytes.count == Frame.prefixLength { try beginFrame() }
      case .header(let bodyCount, let length):
        take(length, from: &rest)
        if bytes.count == length { endHeader(bodyCount) }
      case .body(let header, let length):
        take(length, from: &rest)
        if bytes.count == length { endFrame(.frame(Frame(header: header, body: bytes))) }
      case .skippedBody(let header, let byteCount, let left):
        let count = UInt64(rest.count) < left ? rest.count : Int(left)
        rest = rest.dropFirst(count)
        stage = .skippedBody(header: header, byteCount: byteCount, rest: left - UInt64(count))
        if left == UInt64(count) {
          endFrame(.oversized(header: header, message: tooLong("The body", byteCount)))
        }
      case .skippedLine: rest = []
      }
    }
  }

  private mutating func take(_ length: Int, from rest: inout ArraySlice<UInt8>) {
    let count = min(length - bytes.count, rest.count)
    bytes += rest.prefix(count)
    rest = rest.dropFirst(count)
  }

  private mutating func beginFrame() throws(Fault) {
    let (length, bodyCount) = bytes.withUnsafeBytes { bytes in
      (
        UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self)),
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt64.self))
      )
    }
    guard length > 0, length <= Frame.mostHeaderBytes, bodyCount <= Frame.mostBodyBytes else {
      throw Fault(
        message:
          "The input isn't the worker's protocol: a frame declares a header of \(length) bytes and a "
          + "body of \(bodyCount). A header has 1 to \(Frame.mostHeaderBytes) bytes, and a body at most "
          + "\(Frame.mostBodyBytes). Pass --json-lines for a JSON object a line.")
    }
    bytes = []
    stage = .header(bodyCount: bodyCount, length: Int(length))
  }

  private mutating func endHeader(_ bodyCount: UInt64) {
    let header = bytes
    bytes = []
    if bodyCount == 0 {
      endFrame(.frame(Frame(header: header)))
    } else if bodyCount > UInt64(mostBodyBytes) {
      stage = .skippedBody(header: header, byteCount: bodyCount, rest: bodyCount)
    } else {
      stage = .body(header: header, length: Int(bodyCount))
    }
  }

  private mutating func endFrame(_ event: Event) {
    events.append(event)
    bytes = []
    stage = .prefix
  }

  private func tooLong(_ part: String, _ count: UInt64) -> String {
    "\(part) has \(count) bytes, but at most \(mostBodyBytes) are accepted. Pass a larger --max-body."
  }

  // MARK: - Lines

  /// The most bytes of a line: a header, and a body in base64.
  private var mostLineBytes: Int {
    let (base64, overflows) = (mostBodyBytes / 3 + 1).multipliedReportingOverflow(by: 4)
    return overflows ? .max : max(base64, base64 &+ Frame.mostHeaderBytes)
  }

  private mutating func addLines(_ new: ArraySlice<UInt8>) {
    var rest = new
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      addToLine(rest[..<end])
      rest = rest[(end + 1)...]
      if case .skippedLine = stage {
        let message = "The line has more than \(mostLineBytes) bytes. Pass a larger --max-body."
        endFrame(.oversized(header: [], message: message))
      } else if bytes.contains(where: { !Self.isSpace($0) }) {
        endFrame(.frame(Frame(header: bytes)))
      } else {
        bytes = []
      }
    }
    addToLine(rest)
  }

  private mutating func addToLine(_ part: ArraySlice<UInt8>) {
    if case .skippedLine = stage { return }
    bytes += part
    if bytes.count > mostLineBytes {
      bytes = []
      stage = .skippedLine
    }
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0D
  }
}
