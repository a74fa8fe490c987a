// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TestSupport
import Testing
import WorkerProtocol

/// `tensorio worker --supervise`: workers that end.
@Suite(.enabled(if: hasLiteRT, "The LiteRT library is missing; run 'make setup'."))
struct WorkerSupervisionTests {
  /// A bundle whose model computes a remainder.
  private static func remainder() throws -> TemporaryBundle {
    try TemporaryBundle(
      "remainder", inputs: [#"{"name": "x", "type": "array", "shape": [2], "dtype": "int32"}"#],
      outputs: [#"{"name": "y", "type": "array", "shape": [1], "dtype": "int32"}"#])
  }

  /// The lowest number by -1, for which the processor has no quotient.
  private static let poison = "[-2147483648,-1]"

  @Test func `workers that are killed lose no item and double none`() async throws {
    let expected = try await WorkerCommandTests.bulkRows(
      ["Demo/digits-training"], model: "Demo/digits.tiobundle")
    // A copy has a path of its own, by which its workers are found.
    let folder = try TemporaryFolder()
    let copy = folder.path + "/digits.tiobundle"
    try FileManager.default.copyItem(
      atPath: CommandRunner.packageFolder.appending(path: "Demo/digits.tiobundle").path,
      toPath: copy)
    let client = try WorkerClient([copy, "--supervise", "2", "--threads", "1"])
    let paths = expected.keys.sorted()
    #expect(paths.count > 100)
    _ = try await client.messages(1)
    let killer = Task.detached {
      var random = SplitMix64(seed: 7)
      var count = 0
      while !Task.isCancelled {
        let pause = Duration.milliseconds(Int.random(in: 200...700, using: &random))
        guard (try? await Task.sleep(for: pause)) != nil else { break }
        let workers = try Processes.running(copy).filter { $0 != client.process.identifier }
        guard let worker = workers.randomElement(using: &random) else { continue }
        if kill(worker, SIGKILL) == 0 { count += 1 }
        if count == 12 { break }
      }
      return count
    }
    // Several rounds of all images, so that the workers are busy while they are killed.
    let rounds = 10
    for round in 0..<rounds {
      for (index, path) in paths.enumerated() {
        client.sendItem(round * paths.count + index, #""path":"\#(path)","index":0"#)
      }
    }
    let (messages, status) = try await client.finish()
    killer.cancel()
    #expect(try await killer.value > 0)
    #expect(status == 0)
    let rows = messages.dropFirst().dropLast()
    #expect(rows.count == rounds * paths.count)
    #expect(Set(rows.compactMap(\.id)).count == rounds * paths.count)
    #expect(messages.last?.members["failed"] == .number(0))
    for row in rows {
      guard case .string(let image)? = row.part("row", "image"),
        case .object(var expectedRow)? = expected[image]
      else {
        Issue.record("\(row.members)")
        continue
      }
      expectedRow["index"] = .number(0)
      #expect(row.timelessRow == .object(expectedRow))
    }
  }

  #if arch(x86_64)
  @Test func `an item that ends its workers is named, and the others are done`() async throws {
    let bundle = try Self.remainder()
    let client = try WorkerClient([bundle.path, "--supervise", "2", "--threads", "2"])
    for id in 0..<40 {
      let isPoison = id == 7 || id == 23
      let value = isPoison ? Self.poison : "[\(id),7]"
      client.sendItem(id, #""value":\#(value)\#(id == 23 ? "" : #","answer":"outputs""#)"#)
    }
    let (messages, status) = try await client.finish()
    #expect(status == 0)
    let answers = messages.dropFirst().dropLast()
    #expect(answers.count == 40)
    #expect(messages.last?.members["failed"] == .number(2))
    for answer in answers {
      let id = try #require(answer.id.flatMap { Int($0.description) })
      guard id == 7 || id == 23 else {
        #expect(answer.part("outputs", "y") == .number(Double(id % 7)))
        continue
      }
      #expect(answer.type == (id == 7 ? "failed" : "row"))
      #expect(answer.errorCode == "worker_ended")
      #expect(
        answer.errorMessage.contains(
          "ended 2 workers: an arithmetic fault, such as a division by zero (signal 8)"),
        "\(answer.errorMessage)")
    }
    let row = answers.first { $0.id == .number(23) }
    #expect(row?.part("row", "error") == .bool(true))
    #expect(row?.part("row", "model") == .string("test"))
    #expect(row?.part("row", "run") == messages[0].members["run"])
  }

  @Test func `without a supervisor, the signal is the worker's end`() async throws {
    let bundle = try Self.remainder()
    let client = try WorkerClient([bundle.path])
    client.sendItem(1, #""value":\#(Self.poison)"#)
    let (messages, status) = try await client.end()
    #expect(status == SIGFPE)
    #expect(messages.map(\.type) == ["ready"])
  }
  #endif

  @Test func `an item that takes too long has its worker replaced`() async throws {
    let bundle = try TemporaryBundle.slow()
    let client = try WorkerClient([bundle.path, "--supervise", "1", "--threads", "2"])
    client.sendItem(1, #""value":\#(TemporaryBundle.long),"timeout_ms":1500"#)
    client.sendItem(2, #""value":2000000"#)
    for id in 3..<8 { client.sendItem(id, #""value":\#(id),"answer":"outputs""#) }
    let (messages, status) = try await client.finish()
    #expect(status == 0)
    let answers = messages.dropFirst().dropLast()
    #expect(answers.count == 7)
    #expect(answers.filter { !$0.errorCode.isEmpty }.map(\.id) == [.number(1)])
    #expect(answers.first { $0.id == .number(1) }?.errorCode == "timed_out")
    #expect(answers.first { $0.id == .number(2) }?.part("row", "error") == .bool(false))
  }

  @Test func `items that wait for a worker lose no time`() async throws {
    let bundle = try TemporaryBundle.slow()
    let client = try WorkerClient([bundle.path, "--supervise", "1", "--threads", "1"])
    // The first one ends its worker, so the others wait for it, and for another one that loads.
    client.sendItem(0, #""value":\#(TemporaryBundle.long),"timeout_ms":6000"#)
    for id in 1..<6 {
      client.sendItem(id, #""value":\#(id),"timeout_ms":5000,"answer":"outputs""#)
    }
    let (messages, status) = try await client.finish()
    #expect(status == 0)
    let answers = messages.dropFirst().dropLast()
    #expect(answers.map(\.errorCode).filter { !$0.isEmpty } == ["timed_out"])
    #expect(Set(answers.compactMap(\.id)) == Set((0..<6).map { .number($0) }))
  }

  @Test func `a worker that has stopped is replaced, and its items run again`() async throws {
    let folder = try TemporaryFolder()
    let copy = folder.path + "/digits.tiobundle"
    try FileManager.default.copyItem(
      atPath: CommandRunner.packageFolder.appending(path: "Demo/digits.tiobundle").path,
      toPath: copy)
    let client = try WorkerClient([
      copy, "--supervise", "1", "--threads", "1", "--heartbeat", "0.2",
    ])
    _ = try await client.messages(1)
    let worker = try #require(
      try Processes.running(copy).first { $0 != client.process.identifier })
    #expect(kill(worker, SIGSTOP) == 0)
    for id in 1...3 { client.sendItem(id, #""path":"Demo/images/digit-7-01.png""#) }
    let (messages, status) = try await client.finish()
    #expect(status == 0)
    #expect(messages.count { $0.part("row", "error") == .bool(false) } == 3)
    #expect(client.errorText.contains("said nothing for 5"))
  }

  @Test func `items are cancelled while they run in a worker`() async throws {
    let bundle = try TemporaryBundle.slow()
    let client = try WorkerClient([bundle.path, "--supervise", "1", "--threads", "2"])
    for id in 1...4 { client.sendItem(id, #""value":\#(TemporaryBundle.long)"#) }
    for id in [4, 2, 1, 3] { client.send(#"{"type":"cancel","id":\#(id)}"#) }
    let (messages, status) = try await client.finish()
    #expect(status == 0)
    let answers = messages.dropFirst().dropLast()
    #expect(Set(answers.compactMap(\.id)) == Set((1...4).map { .number(Int64($0)) }))
    #expect(answers.allSatisfy { $0.errorCode == "cancelled" })
  }

  @Test func `workers end with a supervisor that is killed`() async throws {
    let bundle = try TemporaryBundle.slow()
    let client = try WorkerClient([bundle.path, "--supervise", "2", "--threads", "1"])
    _ = try await client.messages(1)
    for id in 1...4 { client.sendItem(id, #""value":\#(TemporaryBundle.long)"#) }
    #expect(try await eventually { try Processes.running(bundle.path).count == 3 })
    kill(client.process.identifier, SIGKILL)
    _ = try await client.end()
    #expect(try await eventually { try Processes.running(bundle.path).isEmpty })
  }
}
