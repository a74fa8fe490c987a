// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A message of the worker's protocol: a JSON object, and bytes that it describes.
package struct Frame: Sendable, Hashable {
  /// A JSON object in UTF-8.
  package var header: [UInt8]
  /// The bytes that the header describes; empty for most messages.
  package var body: [UInt8]

  package init(header: [UInt8], body: [UInt8] = []) {
    self.header = header
    self.body = body
  }

  /// The most bytes of a header.
  ///
  /// Parsing takes up to a hundred times as much memory, so a damaged length must not ask for more.
  package static let mostHeaderBytes = 16 << 20

  /// The most bytes of an item's header, to which a supervisor may add an index.
  static let mostItemHeaderBytes = mostHeaderBytes - 32

  /// A longer body shows that the stream is damaged.
  ///
  /// One that is only longer than what the worker accepts is skipped.
  static let mostBodyBytes: UInt64 = 1 << 40

  /// The number of bytes before the header: the lengths of the header and the body.
  static let prefixLength = 12

  /// Returns the bytes of the frame in one of the protocol's forms.
  package func encoded(as form: FrameForm) -> [UInt8] {
    switch form {
    case .binary:
      var bytes: [UInt8] = []
      bytes.reserveCapacity(Self.prefixLength + header.count + body.count)
      withUnsafeBytes(of: UInt32(header.count).littleEndian) { bytes += $0 }
      withUnsafeBytes(of: UInt64(body.count).littleEndian) { bytes += $0 }
      bytes += header
      bytes += body
      return bytes
    case .lines:
      guard !body.isEmpty else { return header + [UInt8(ascii: "\n")] }
      let data = #","data":""# + Data(body).base64EncodedString() + "\"}\n"
      return header.dropLast() + Array(data.utf8)
    }
  }
}

/// How frames are written to a stream.
package enum FrameForm: Sendable {
  /// Both lengths in front of each frame.
  case binary
  /// A JSON object a line, for people; its member `data` has the body in base64.
  case lines
}
