// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CCurl
import NetRunner
import TensorIO

/// The bytes of an object, which are fetched while they are read.
///
/// If the connection ends early, another request continues at the same byte.
final class ObjectStream: ByteStream {
  private let request: ObjectRequest
  private var transfer: Transfer?
  private var position = 0
  private var tag = ""
  /// Bytes before the position, which a server that doesn't support ranges sends again.
  private var repeated = 0
  private static let pieceSize = 1 << 20

  init(_ request: ObjectRequest) { self.request = request }

  func read(_ count: Int) throws -> [UInt8] {
    var bytes: [UInt8] = []
    try receive(count) { bytes += $0 }
    return bytes
  }

  func skip(_ count: Int) throws { try receive(count) { _ in } }

  /// Receives the next bytes in pieces, unless the object ends before.
  private func receive(_ count: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Void) throws {
    var rest = count
    var attempts = 0
    while rest > 0 {
      do {
        let transfer = try transfer ?? open()
        let answer = transfer.wait(for: min(repeated + rest, Self.pieceSize))
        if answer.count == 0 {
          if answer.code == 0 { return }
          throw FetchFailure(answer, of: request)
        }
        let past = min(repeated, answer.count)
        repeated -= past
        let piece = UnsafeBufferPointer(
          start: answer.bytes + past, count: min(rest, answer.count - past))
        body(piece)
        transfer.take(past + piece.count)
        rest -= piece.count
        position += piece.count
        if !piece.isEmpty { attempts = 0 }
      } catch let failure as FetchFailure {
        transfer = nil
        attempts += 1
        try Retries.wait(after: failure, attempts, of: request)
      }
    }
  }

  /// Requests the bytes from the position, and checks the beginning of the response.
  private func open() throws -> Transfer {
    let transfer = try Transfer(request, isFile: false, from: position, tag: tag)
    var answer = transfer.wait(for: 1)
    let found = answer.text(\.tag)
    // The bytes before a connection ended are taken first.
    guard answer.code == 0 || answer.count > 0, [200, 206, 416].contains(answer.status) else {
      // The whole response says why.
      if answer.code == 0 { answer = transfer.wait(for: Self.pieceSize) }
      throw FetchFailure(answer, of: request)
    }
    guard position == 0 || (answer.status != 416 && found == tag) else {
      throw TensorIOError(
        .unreadableFile,
        "'\(request.name)' was replaced while it was read, after \(position) bytes. Run it again.")
    }
    Retries.noteSuccess(of: request)
    tag = found
    repeated = answer.status == 200 ? position : 0
    self.transfer = transfer
    return transfer
  }
}
