// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TestSupport
import Testing
import WorkerProtocol

extension TemporaryBundle {
  /// A bundle whose model counts to its input, and is busy for as long as that takes.
  static func slow() throws -> TemporaryBundle {
    let layer = #""type": "array", "shape": [1], "dtype": "int32"}"#
    return try TemporaryBundle(
      "slow", inputs: [#"{"name": "limit", \#(layer)"#],
      outputs: [#"{"name": "reached", \#(layer)"#])
  }

  /// A number to which that model counts for minutes.
  static let long = Int32.max
}

/// `tensorio worker`: order, limits, cancellation and the end.
@Suite(.enabled(if: hasLiteRT, "The LiteRT library is missing; run 'make setup'."))
struct WorkerLifecycleTests {
  @Test(arguments: [[], ["--supervise", "1"]])
  func `answers that can't be written are an error`(options: [String]) async throws {
    let command =
      "'\(CommandRunner.binary.path)' worker Demo/digits.tiobundle --json-lines "
      + options.joined(separator: " ") + " > /dev/full"
    let process = try ChildProcess(
      "/bin/sh", ["-c", command], in: CommandRunner.packageFolder.path)
    let result = await process.finish(
      input: Data(#"{"type":"item","id":1,"path":"Demo/images/digit-7-01.png"}"#.utf8))
    #expect(result.status == 74)
    #expect(
      result.error.contains("couldn't be written to standard output: No space left on device"))
  }

  @Test(arguments: [
    (
      "< Sources", 65,
      #"{"message":"Standard input can't be read: Is a directory.","type":"fault"}"#
    ),
    (">&-", 64, "one of them is closed"), ("<&-", 64, "one of them is closed"),
  ])
  func `a stream that can't be used is an error`(
    redirection: String, status: Int32, message: String
  ) async throws {
    let command =
      "'\(CommandRunner.binary.path)' worker Demo/digits.tiobundle --json-lines \(redirection)"
    let process = try ChildProcess(
      "/bin/sh", ["-c", command], in: CommandRunner.packageFolder.path)
    let result = await process.finish(
      input: Data(#"{"type":"item","id":1,"path":"Demo/images/digit-7-01.png"}"#.utf8))
    #expect(result.status == status)
    #expect((result.output + result.error).contains(message))
  }

  private static let photo = "Demo/images/digit-7-01.png"

  @Test func `answers come when they are done, with the id of their item`() async throws {
    let bundle = try TemporaryBundle.slow()
    let client = try WorkerClient([bundle.path, "--threads", "2"])
    client.sendItem(1, #""value":2000000"#)
    client.send(#"{"type":"item","id":"é\"\n","value":5,"answer":"outputs"}"#)
    client.send(#"{"type":"item","id":9007199254740993,"value":6,"answer":"outputs"}"#)
    let (messages, status) = try await client.finish()
    #expect(status == 0)
    #expect(
      messages.dropFirst().dropLast().map(\.id)
        == [.text("é\"\n"), .number(9_007_199_254_740_993), .number(1)])
    #expect(messages[1].part("outputs", "reached") == .number(5))
    #expect(messages[3].part("row", "index") == .number(0))
  }

  @Test func `a parent that doesn't read its answers stops the worker`() async throws {
    let bundle = try TemporaryBundle.image()
    let client = try WorkerClient(
      [bundle.path, "--threads", "2", "--heartbeat", "0.01"], reads: false)
    // The bytes of these items are many times what fits into pipes.
    let count = 400
    let body = [UInt8](
      try Data(
        contentsOf: CommandRunner.packageFolder.appending(
          path: "Tests/Fixtures/Images/large-444.jpg")))
    for id in 0..<count { client.sendItem(id, #""file":"a.jpg","answer":"inputs""#, body: body) }
    client.endInput()
    let memory = try await settled { try Self.memory(of: client.process.identifier) >> 24 } << 24
    #expect(memory < 400 << 20, "\(memory)")
    client.startReading()
    let (messages, status) = try await client.end()
    #expect(status == 0)
    let ids = messages.compactMap(\.id)
    #expect(ids.count == count)
    #expect(Set(ids).count == count)
    // A parent that doesn't read gets no second heartbeat.
    #expect(client.everything.count < 3 * count)
  }

  @Test func `an item that takes too long is answered, and the worker still ends`() async throws {
    let bundle = try TemporaryBundle.slow()
    let client = try WorkerClient([bundle.path, "--threads", "1", "--timeout", "60"])
    client.sendItem(1, #""value":\#(TemporaryBundle.long),"timeout_ms":200"#)
    // This one waits for the only session until its own time is over.
    client.sendItem(2, #""value":1,"timeout_ms":100,"answer":"outputs""#)
    let (messages, status) = try await client.finish()
    #expect(status == 0)
    let row = try #require(messages.first { $0.id == .number(1) })
    #expect(row.type == "row")
    #expect(row.errorCode == "timed_out")
    #expect(row.part("row", "error") == .bool(true))
    #expect(messages.first { $0.id == .number(2) }?.type == "failed")
    #expect(messages.first { $0.id == .number(2) }?.errorCode == "timed_out")
  }

  @Test func `items are cancelled while they wait and while they run`() async throws {
    let bundle = try TemporaryBundle.slow()
    let client = try WorkerClient([bundle.path, "--threads", "1"])
    client.sendItem(1, #""value":\#(TemporaryBundle.long)"#)
    client.sendItem(2, #""value":1"#)
    client.send(#"{"type":"cancel","id":2}"#)
    client.send(#"{"type":"cancel","id":99}"#)
    client.send(#"{"type":"cancel","id":1}"#)
    let messages = try await client.messages(3)
    #expect(messages[1].id == .number(2))
    #expect(messages[2].id == .number(1))
    for message in messages.dropFirst() {
      #expect(message.type == "failed")
      #expect(message.errorCode == "cancelled")
    }
    let (_, status) = try await client.finish()
    #expect(status == 0)
  }

  @Test func `a heartbeat says what is under way`() async throws {
    let bundle = try TemporaryBundle.slow()
    let client = try WorkerClient([bundle.path, "--threads", "1", "--heartbeat", "0.05"])
    client.sendItem(1, #""value":\#(TemporaryBundle.long)"#)
    let isThere = try await eventually {
      client.everything.contains { message in
        message.type == "heartbeat" && message.members["under_way"] == .array([.number(1)])
      }
    }
    #expect(isThere)
    client.send(#"{"type":"cancel","id":1}"#)
    _ = try await client.finish()
  }

  @Test func `an id that is under way is refused`() async throws {
    let bundle = try TemporaryBundle.slow()
    let client = try WorkerClient([bundle.path, "--threads", "1"])
    client.sendItem(1, #""value":\#(TemporaryBundle.long)"#)
    client.sendItem(1, #""value":1"#)
    let refused = try await client.messages(2)[1]
    #expect(refused.errorCode == "refused")
    #expect(refused.errorMessage.contains("under way"))
    client.send(#"{"type":"cancel","id":1}"#)
    _ = try await client.messages(3)
    client.sendItem(1, #""value":1,"answer":"outputs","timeout_ms":50"#)
    let (messages, _) = try await client.finish()
    #expect(messages.last?.members["done"] == .number(3))
  }

  @Test func `wrong messages are refused, and the others are answered`() async throws {
    let client = try WorkerClient(["Demo/digits.tiobundle", "--max-body", "1KiB"])
    client.send(#"{"type":"itme","id":1}"#)
    client.send(#"{"type":"item","id":2,"path":"a","anwser":"row"}"#)
    client.send(#"{"type":"item","path":"a"}"#)
    client.sendItem(3, #""file":"a.png""#, body: [UInt8](repeating: 0, count: 1025))
    client.sendItem(4, #""path":"\#(Self.photo)""#)
    let (messages, status) = try await client.finish()
    #expect(status == 0)
    let answers = messages.dropFirst().dropLast()
    #expect(answers.count == 5)
    #expect(answers.count { $0.errorCode == "refused" } == 4)
    #expect(answers.filter { $0.members["id"] == .null }.count == 1)
    let large = answers.first { $0.id == .number(3) }
    #expect(large?.errorMessage.contains("has 1025 bytes, but at most 1024") == true)
    #expect(answers.first { $0.id == .number(4) }?.errorCode == "")
  }

  @Test(arguments: ["nonsense, which isn't a frame", "\u{5}\0\0\0\0\0\0\0\0\0\0\0hello"])
  func `a stream that isn't the protocol is a fault after the answers`(stream: String) async throws
  {
    let client = try WorkerClient(["Demo/digits.tiobundle"])
    client.sendItem(1, #""path":"\#(Self.photo)""#)
    client.sendBytes(Array(stream.utf8))
    let (messages, status) = try await client.finish()
    #expect(status == 65)
    #expect(messages.map(\.type) == ["ready", "row", "fault"])
    #expect(!messages[2].text("message").isEmpty)
  }

  @Test func `a line that isn't JSON is refused, and the next one is read`() async throws {
    let client = try WorkerClient(["Demo/digits.tiobundle", "--json-lines"])
    client.sendBytes(Array("hello\n\n".utf8))
    client.sendItem(1, #""path":"\#(Self.photo)""#)
    let (messages, status) = try await client.finish()
    #expect(status == 0)
    #expect(messages.map(\.type) == ["ready", "failed", "row", "end"])
  }

  @Test(arguments: [["--threads", "1"], ["--threads", "1", "--supervise", "1"]])
  func `a signal lets what is under way finish`(options: [String]) async throws {
    let bundle = try TemporaryBundle.slow()
    let client = try WorkerClient([bundle.path, "--heartbeat", "0.05"] + options)
    client.sendItem(1, #""value":3000000"#)
    let hasBegun = try await eventually {
      client.everything.contains { $0.members["under_way"] == .array([.number(1)]) }
    }
    #expect(hasBegun)
    kill(client.process.identifier, SIGTERM)
    let (messages, status) = try await client.end()
    #expect(status == 0)
    #expect(messages.map(\.type) == ["ready", "row", "end"])
    #expect(messages[1].part("row", "error") == .bool(false))
  }

  @Test(arguments: [["--threads", "1"], ["--threads", "1", "--supervise", "1"]])
  func `a worker ends with the reader of its answers, even during a run`(
    options: [String]
  ) async throws {
    let bundle = try TemporaryBundle.slow()
    let client = try WorkerClient([bundle.path] + options, reads: false)
    client.sendItem(1, #""value":\#(TemporaryBundle.long)"#)
    try client.process.output.close()
    #expect(await client.status() == 0)
    #expect(try await eventually { try Processes.running(bundle.path).isEmpty })
  }

  /// The resident memory of a process in bytes.
  private static func memory(of identifier: pid_t) throws -> Int {
    let text = try String(contentsOfFile: "/proc/\(identifier)/statm", encoding: .utf8)
    return (Int(text.split(separator: " ")[1]) ?? 0) * 4096
  }
}

/// The processes of this machine.
enum Processes {
  /// The processes whose command line has a word.
  static func running(_ word: String) throws -> [pid_t] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap(pid_t.init).filter {
      // A process may end meanwhile. One that has ended, but whose parent doesn't know it yet, has
      // no command line.
      let line = try? String(contentsOfFile: "/proc/\($0)/cmdline", encoding: .utf8)
      return line?.split(separator: "\0").contains { $0 == word } ?? false
    }
  }
}
