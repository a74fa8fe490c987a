// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CSystemCalls
import Foundation
import Synchronization
import Testing
import WorkerProtocol

@testable import TensorIOCommandLine

/// What a worker writes together, seen through a socket that keeps each write apart.
@Suite struct FrameWriterTests {
  private let ends: [Int32]

  init() throws {
    var ends: [Int32] = [0, 0]
    try #require(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends) == 0)
    self.ends = ends
  }

  private func frame(_ number: Int) -> Frame { Frame(header: Array("{\"id\":\(number)}".utf8)) }

  private func read() throws -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    return Array(try #require(Descriptor.read(ends[1], into: &buffer)))
  }

  @Test func `frames that may wait are written together, in order`() throws {
    defer { for end in ends { close(end) } }
    let writer = FrameWriter(ends[0], form: .lines, mostHeld: 10)
    let written = Mutex<[Int]>([])
    for number in 0..<200 {
      writer.send(frame(number), mayWait: true) { written.withLock { $0.append(number) } }
    }
    writer.finish()
    var text: [UInt8] = []
    var writes = 0
    let expected = (0..<200).flatMap { frame($0).encoded(as: .lines) }
    while text.count < expected.count {
      text += try read()
      writes += 1
    }
    #expect(text == expected)
    // On a busy machine, some are written early because 20 ms have passed.
    #expect(writes < 100)
    #expect(written.withLock { $0 } == Array(0..<200))
  }

  @Test func `a held frame is written soon`() throws {
    defer { for end in ends { close(end) } }
    let writer = FrameWriter(ends[0], form: .lines, mostHeld: 10)
    writer.send(frame(1), mayWait: true)
    #expect(try read() == frame(1).encoded(as: .lines))
  }

  @Test(arguments: [false, true])
  func `an urgent or a long frame takes those before it along`(isLong: Bool) throws {
    defer { for end in ends { close(end) } }
    let writer = FrameWriter(ends[0], form: .binary, mostHeld: 10)
    var last = frame(2)
    if isLong { last.body = [UInt8](repeating: 7, count: 20_000) }
    writer.send(frame(1), mayWait: true)
    writer.send(last, mayWait: isLong)
    writer.finish()
    var bytes: [UInt8] = []
    let expected = frame(1).encoded(as: .binary) + last.encoded(as: .binary)
    while bytes.count < expected.count { bytes += try read() }
    #expect(bytes == expected)
  }

  @Test func `each frame that nobody reads is counted`() throws {
    let closed = Mutex(0)
    let writer = FrameWriter(
      ends[0], form: .lines, mostHeld: 10,
      onFailure: { error in closed.withLock { $0 += error == EPIPE ? 1 : 0 } })
    signal(SIGPIPE, SIG_IGN)
    close(ends[1])
    defer { close(ends[0]) }
    for number in 0..<5 { writer.send(frame(number), mayWait: true) }
    writer.finish()
    #expect(closed.withLock { $0 } == 5)
  }
}
