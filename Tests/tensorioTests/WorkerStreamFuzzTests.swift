// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CSystemCalls
import Foundation
import NetRunner
import Synchronization
import TensorIO
import TensorIOIsolation
import Testing
import WorkerProtocol

@testable import TensorIOCommandLine

/// Damaged streams to a worker, whose runner answers at once.
///
/// `make fuzz` runs more of them:
///
///     TENSORIO_FUZZ_STREAMS=10000 swift test --filter WorkerStreamFuzzTests
///
/// `TENSORIO_FUZZ_SEED` selects different damage.
@Suite struct WorkerStreamFuzzTests {
  @Test func `every damaged stream ends with an answer for each item`() throws {
    let seed = UInt64(ProcessInfo.processInfo.environment["TENSORIO_FUZZ_SEED"] ?? "") ?? 1
    let count = Int(ProcessInfo.processInfo.environment["TENSORIO_FUZZ_STREAMS"] ?? "") ?? 500
    for number in 0..<UInt64(count) {
      var random = SplitMix64(seed: seed &* 1_000_003 &+ number)
      let form: FrameForm = Bool.random(using: &random) ? .binary : .lines
      let stream = Self.damaged(Self.stream(form), &random)
      let (frames, code) = try Self.serve(
        stream, form, mostHeld: [1, 8].randomElement(using: &random) ?? 1)
      let heads = try frames.map { try ReplyHead($0) }
      let last = try #require(heads.last, "stream \(number)")
      #expect(last.type == (code == 0 ? "end" : "fault"), "stream \(number)")
      #expect([0, 65].contains(code), "stream \(number)")
      #expect(
        heads.dropLast().allSatisfy { ["outputs", "row", "failed"].contains($0.type) },
        "stream \(number)")
      guard code == 0, let frame = frames.last,
        case .object(let end) = try JSONValue(parsing: Data(frame.header))
      else { continue }
      #expect(end["done"] == .number(Double(frames.count - 1)), "stream \(number)")
    }
  }

  /// Runs a service on a stream.
  private static func serve(
    _ stream: [UInt8], _ form: FrameForm, mostHeld: Int
  ) throws -> (frames: [Frame], code: Int32) {
    let ends = try SpawnedProcess.makeStream()
    defer { for end in [ends.own, ends.child] { close(end) } }
    #expect(Descriptor.write(stream, to: ends.own) == nil)
    shutdown(ends.own, Int32(SHUT_WR))
    let runner = EchoRunner()
    var options = WorkerService.Options()
    options.form = form
    options.mostBodyBytes = 1000
    let service = WorkerService(
      WorkerStreams(input: ends.child, output: ends.child), options, runner: runner,
      writer: FrameWriter(ends.child, form: form, mostHeld: mostHeld), isInterrupted: { false })
    runner.service.withLock { $0 = service }
    let code = try service.serve()
    runner.service.withLock { $0 = nil }
    shutdown(ends.child, Int32(SHUT_WR))
    var decoder = FrameDecoder(form, mostBodyBytes: .max)
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var frames: [Frame] = []
    while let bytes = try Descriptor.read(ends.own, into: &buffer) {
      try decoder.add(bytes)
      while case .frame(let frame)? = decoder.next() { frames.append(frame) }
    }
    try decoder.end()
    return (frames, code)
  }

  /// Some items of each kind.
  private static func stream(_ form: FrameForm) -> [UInt8] {
    let bodies: [(String, [UInt8])] = [
      (#"{"type":"item","id":1,"path":"a.jpg"}"#, []),
      (#"{"type":"item","id":"b","file":"b.jpg","answer":"inputs"}"#, [1, 2, 3, 255]),
      (#"{"type":"item","id":3,"value":{"x":[1,2,"NaN"]},"timeout_ms":5000}"#, []),
      (#"{"type":"cancel","id":3}"#, []),
      (#"{"type":"item","id":4,"tensors":[{"name":"x","length":5}]}"#, [0, 0, 0, 0, 0]),
      (#"{"type":"item","id":5,"url":"http://a","index":7,"name":"c"}"#, []),
    ]
    return bodies.flatMap { Frame(header: Array($0.utf8), body: $1).encoded(as: form) }
  }

  /// Cuts, flips, splices or replaces bytes.
  private static func damaged(_ stream: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
    var bytes = stream
    switch Int.random(in: 0..<5, using: &random) {
    case 0: bytes = Array(bytes.prefix(Int.random(in: 0..<bytes.count, using: &random)))
    case 1:
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        let position = Int.random(in: 0..<bytes.count, using: &random)
        bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      }
    case 2:
      let start = Int.random(in: 0..<bytes.count, using: &random)
      let end = Int.random(in: start..<bytes.count, using: &random)
      bytes.insert(
        contentsOf: bytes[start..<end], at: Int.random(in: 0..<bytes.count, using: &random))
    case 3:
      let start = Int.random(in: 0..<bytes.count, using: &random)
      bytes.removeSubrange(start..<Int.random(in: start..<bytes.count, using: &random))
    default:
      bytes = (0..<Int.random(in: 0..<400, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
    }
    return bytes
  }
}

/// Answers each item at once with its index.
private final class EchoRunner: JobRunner {
  let window = 2
  let rows = BulkRowMaker(failuresOfModel: "model", run: "0123456789abcdef")
  let service = Mutex<WorkerService?>(nil)
  private let queue = DispatchQueue(label: "tests.worker.echo")

  func begin(_ job: Job) {
    let service = service.withLock { $0 }
    queue.async {
      service?.answer(
        job, .outputs(job.item.id, ["outputs": .object(["index": .number(Double(job.index))])]))
    }
  }

  func cancel(_ job: Job) -> Bool { true }
  func expire(_ job: Job) {}
  func stop() {}
}
