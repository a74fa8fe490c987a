// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TensorIODecoding
import TestSupport
import Testing
import WorkerProtocol

/// `tensorio worker`: items, answers and rows.
@Suite(.enabled(if: hasLiteRT, "The LiteRT library is missing; run 'make setup'."))
struct WorkerCommandTests {
  private static let digits = "Demo/digits.tiobundle"
  private static let photo = "Demo/images/digit-7-01.png"
  private static let photos = (0...9).flatMap {
    ["Demo/images/digit-\($0)-01.png", "Demo/images/digit-\($0)-02.png"]
  }

  private static func bytes(_ path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: CommandRunner.packageFolder.appending(path: path)))
  }

  /// The rows that `bulk` writes, by their images.
  static func bulkRows(
    _ arguments: [String], model: String
  ) async throws -> [String: JSONValue] {
    let folder = try TemporaryFolder()
    let result = try await CommandRunner.run(
      ["bulk", "--model", model, "-o", folder.path + "/rows.jsonl"] + arguments)
    try #require(result.status == 0, "\(result.error)")
    let text = try String(contentsOfFile: folder.path + "/rows.jsonl", encoding: .utf8)
    var rows: [String: JSONValue] = [:]
    for line in text.split(separator: "\n") {
      let row = try JSONValue(parsing: Data(line.utf8))
      guard case .object(let members) = row, case .string(let image)? = members["image"] else {
        continue
      }
      rows[image] = row.withoutTimes
    }
    return rows
  }

  @Test(arguments: [
    ["--threads", "2"], ["--threads", "1", "--ahead", "8"], ["--threads", "1", "--supervise", "2"],
  ])
  func `rows equal those of bulk`(options: [String]) async throws {
    let expected = try await Self.bulkRows(["Demo/images"], model: Self.digits)
    let client = try WorkerClient([Self.digits] + options)
    for (index, path) in Self.photos.enumerated() { client.sendItem(index, #""path":"\#(path)""#) }
    let (messages, status) = try await client.finish()
    #expect(status == 0)
    #expect(messages.count == Self.photos.count + 2)
    #expect(messages.first?.type == "ready")
    #expect(messages.last?.members["done"] == .number(20))
    #expect(messages.last?.members["failed"] == .number(0))
    for message in messages.dropFirst().dropLast() {
      let path = Self.photos[try #require(message.id.flatMap { Int($0.description) })]
      #expect(message.timelessRow == expected[path])
      #expect(message.part("row", "run") == messages[0].members["run"])
    }
  }

  @Test func `the first message describes the model`() async throws {
    let client = try WorkerClient([Self.digits, "--threads", "2", "--ahead", "5"])
    let (messages, _) = try await client.finish()
    let ready = messages[0]
    #expect(ready.members["protocol"] == .number(1))
    #expect(ready.members["sessions"] == .number(2))
    #expect(ready.members["ahead"] == .number(5))
    #expect(ready.members["window"] == .number(9))
    #expect(ready.members["pid"] == .number(Double(client.process.identifier)))
    let inspected = try await CommandRunner.run(["inspect", Self.digits, "--json"])
    guard case .object(let report) = try JSONValue(parsing: Data(inspected.output.utf8)),
      case .object(let bundle)? = report["bundle"]
    else {
      Issue.record("\(inspected.output)")
      return
    }
    #expect(ready.members["inputs"] == bundle["inputs"])
    #expect(ready.members["outputs"] == bundle["outputs"])
    #expect(ready.part("model", "id") == bundle["id"])
  }

  @Test func `a photo is a path, bytes, or bytes in base64`() async throws {
    let client = try WorkerClient([Self.digits])
    client.sendItem(0, #""path":"\#(Self.photo)""#)
    client.sendItem(1, #""file":"seven.png""#, body: try Self.bytes(Self.photo))
    client.sendItem(
      2, #""file":"a.png","data":"\#(Data(try Self.bytes(Self.photo)).base64EncodedString())""#)
    let photo = try Self.bytes(Self.photo)
    client.sendItem(3, #""tensors":[{"name":"image","length":\#(photo.count)}]"#, body: photo)
    client.sendItem(4, #""tensors":[{"name":"image","value":"\#(Self.photo)"}]"#)
    let (messages, _) = try await client.finish()
    let rows = messages.filter { $0.type == "row" }
    #expect(rows.count == 5)
    for row in rows { #expect(row.part("row", "predicted") == .string("seven")) }
    let named = rows.first { $0.id == .number(1) }
    #expect(named?.part("row", "image") == .string("seven.png"))
    #expect(named?.part("row", "type") == .string("memory"))
    #expect(named?.part("row", "index") == .number(1))
  }

  @Test func `an item that the parent couldn't read is answered with its reason`() async throws {
    let client = try WorkerClient([Self.digits])
    let failure = #""failure":{"code":"refused","message":"It's a set."}"#
    client.sendItem(0, failure + #","name":"5""#)
    client.sendItem(1, failure + #","answer":"outputs""#)
    let (messages, _) = try await client.finish()
    let row = messages.first { $0.id == .number(0) }
    #expect(row?.part("row", "error") == .bool(true))
    #expect(row?.part("row", "error_description") == .string("It's a set."))
    #expect(row?.part("row", "image") == .string("5"))
    let failed = messages.first { $0.id == .number(1) }
    #expect(failed?.type == "failed")
    #expect(failed?.errorMessage == "It's a set.")
  }

  @Test func `outputs equal those of run`() async throws {
    let run = try await CommandRunner.run(["run", Self.digits, Self.photo, "--json"])
    guard case .object(let document) = try JSONValue(parsing: Data(run.output.utf8)) else {
      Issue.record("\(run.output)")
      return
    }
    let client = try WorkerClient([Self.digits, "--json-lines"])
    client.sendItem(0, #""path":"\#(Self.photo)","answer":"outputs""#)
    let (messages, status) = try await client.finish()
    #expect(status == 0)
    #expect(messages[1].type == "outputs")
    #expect(messages[1].members["outputs"] == document["outputs"])
    #expect(messages[1].part("latency_ms", "inference") != nil)
  }

  @Test func `values are JSON, NumPy files, or tensors by name`() async throws {
    let bundle = try TemporaryBundle(
      "matmul", inputs: Self.vectors("input1", "input2", [1, 4]),
      outputs: Self.vectors("output1", "output2", [1, 1]))
    let client = try WorkerClient([bundle.path])
    client.sendItem(
      0, #""answer":"outputs","value":{"input2":[1,1,1,2],"input1":[1,2,3,4]}"#)
    client.sendItem(1, #""answer":"outputs","value":[[1,2,3,4],[1,1,1,2]]"#)
    let files = try [[1, 2, 3, 4], [1, 1, 1, 2]].map { numbers in
      try Self.file(Tensor(numbers as [Float], shape: [1, 4]))
    }
    let parts =
      #"[{"name":"input1","length":\#(files[0].count)},{"name":"input2","length":\#(files[1].count)}]"#
    client.sendItem(2, #""answer":"outputs","tensors":\#(parts)"#, body: files[0] + files[1])
    client.sendItem(3, #""answer":"tensors","tensors":\#(parts)"#, body: files[0] + files[1])
    client.sendItem(4, #""answer":"inputs","value":[[1,2,3,4],[1,1,1,2]]"#)
    client.sendItem(5, #""answer":"outputs","value":{"input1":[1,2,3,4]}"#)
    let mixed =
      #"[{"name":"input2","value":[1,1,1,2]},{"name":"input1","length":\#(files[0].count)}]"#
    client.sendItem(6, #""answer":"outputs","tensors":\#(mixed)"#, body: files[0])
    let notNumPy = #"[{"name":"input1","length":3},{"name":"input2","value":[1,1,1,2]}]"#
    client.sendItem(7, #""answer":"outputs","tensors":\#(notNumPy)"#, body: [1, 2, 3])
    client.sendItem(
      8, #""answer":"outputs","value":{"input1":["NaN",1,1,1],"input2":[1,"Infinity",1,1]}"#)
    client.sendItem(
      9, #""answer":"inputs","value":[[0,1,1,1],[1,"-Infinity",1,1]]"#)
    let (messages, _) = try await client.finish()
    let answers = Dictionary(grouping: messages, by: { $0.id?.description ?? "" })
      .compactMapValues(\.first)
    #expect(answers["8"]?.part("outputs", "output1") == .string("NaN"))
    #expect(
      try Self.tensors(in: answers["9"]).map { try $0.numbers(as: Float.self) }
        == [[0, 1, 1, 1], [1, -.infinity, 1, 1]])
    for id in ["0", "1", "2", "6"] {
      #expect(answers[id]?.part("outputs", "output1") == .number(14), "\(id)")
      #expect(answers[id]?.part("outputs", "output2") == .number(35), "\(id)")
    }
    #expect(
      try Self.tensors(in: answers["3"]).map { try $0.numbers(as: Float.self) } == [[14], [35]])
    #expect(
      try Self.tensors(in: answers["4"]).map { try $0.numbers(as: Float.self) }
        == [[1, 2, 3, 4], [1, 1, 1, 2]])
    #expect(answers["5"]?.errorMessage.contains("input2") == true)
    #expect(answers["7"]?.errorMessage.hasPrefix("'input1' takes a NumPy file, but its 3") == true)
  }

  @Test(.enabled(if: Python.path != nil, "TENSORIO_PYTHON isn't set."))
  func `inputs are the tensors that Python makes`() async throws {
    let bundle = try TemporaryBundle.image()
    let folder = try TemporaryFolder()
    let client = try WorkerClient([bundle.path])
    let photos = ["baseline.jpg", "gray.jpg", "interlaced.png"].map {
      "Tests/Fixtures/Images/" + $0
    }
    for (index, path) in photos.enumerated() {
      client.sendItem(index, #""path":"\#(path)","answer":"inputs""#)
    }
    let (messages, _) = try await client.finish()
    for (index, path) in photos.enumerated() {
      let raw = folder.path + "/\(index).bin"
      try await Python.run([
        "Tools/peers/preprocess.py", path, "--width", "6", "--height", "8", "--out", raw,
      ])
      let answer = messages.first { $0.id == .number(Int64(index)) }
      let tensor = try #require(try Self.tensors(in: answer).first)
      #expect(tensor.shape == [8, 6, 3])
      #expect(
        try tensor.numbers(as: UInt8.self) == [UInt8](Data(contentsOf: URL(filePath: raw))),
        "\(path)")
    }
  }

  @Test(.enabled(if: Python.path != nil, "TENSORIO_PYTHON isn't set."))
  func `a photo is fetched from its address`() async throws {
    let server = try ImageServer()
    let client = try WorkerClient([Self.digits])
    client.sendItem(0, #""url":"\#(server.address)/digit-7-01.png""#)
    client.sendItem(1, #""url":"\#(server.address)/none.png""#)
    let (messages, _) = try await client.finish()
    let rows = messages.filter { $0.type == "row" }
    #expect(
      rows.first { $0.id == .number(0) }?.part("row", "predicted") == .string("seven"))
    #expect(rows.first { $0.id == .number(1) }?.errorCode == "fileNotFound")
  }

  @Test func `a damaged photo is a row with an error`() async throws {
    let cut = Array(try Self.bytes(Self.photo).prefix(60))
    let client = try WorkerClient([Self.digits])
    client.sendItem(0, #""file":"cut.png""#, body: cut)
    client.sendItem(1, #""path":"none.png""#)
    client.sendItem(2, #""file":"cut.png","answer":"inputs""#, body: cut)
    client.sendItem(3, #""path":"\#(Self.photo)""#)
    let (messages, status) = try await client.finish()
    #expect(status == 0)
    let answers = Dictionary(grouping: messages, by: { $0.id?.description ?? "" })
      .compactMapValues(\.first)
    #expect(answers["0"]?.part("row", "error") == .bool(true))
    #expect(answers["0"]?.errorMessage.contains("cut.png") == true)
    #expect(answers["1"]?.part("row", "error") == .bool(true))
    #expect(answers["1"]?.errorCode == "fileNotFound")
    #expect(answers["2"]?.type == "failed")
    #expect(answers["3"]?.part("row", "error") == .bool(false))
    #expect(messages.last?.members["failed"] == .number(3))
  }

  @Test func `a bundle without a model is an error`() async throws {
    let result = try await CommandRunner.run(["worker", "Demo/none.tiobundle"])
    #expect(result.status == 66)
    #expect(result.output.isEmpty)
    #expect(result.error.contains("none.tiobundle"))
    let supervised = try await CommandRunner.run(
      ["worker", "Demo/none.tiobundle", "--supervise", "2"])
    #expect(supervised.status == 66)
    #expect(supervised.output.isEmpty)
  }

  @Test(arguments: [["--supervise", "2"], ["--timeout", "5"]])
  func `items that would run again or take too long don't wait`(options: [String]) async throws {
    let result = try await CommandRunner.run(["worker", Self.digits, "--ahead", "8"] + options)
    #expect(result.status == 64)
    #expect(result.error.contains("--ahead can't be combined with --supervise or --timeout"))
  }

  private static func vectors(_ first: String, _ second: String, _ shape: [Int]) -> [String] {
    [first, second].map {
      #"{"name": "\#($0)", "type": "array", "shape": \#(shape), "dtype": "float32"}"#
    }
  }

  /// The bytes of a NumPy file, written without the code that is tested.
  private static func file(_ tensor: Tensor) throws -> [UInt8] {
    var header =
      "{'descr': '<f4', 'fortran_order': False, 'shape': (\(tensor.shape.map { "\($0), " }.joined())), }"
    header += String(repeating: " ", count: 63 - (10 + header.utf8.count) % 64) + "\n"
    let numbers: [Float] = try tensor.numbers()
    return [0x93] + Array("NUMPY".utf8) + [1, 0, UInt8(header.utf8.count), 0] + Array(header.utf8)
      + numbers.flatMap { withUnsafeBytes(of: $0) { Array($0) } }
  }

  /// The NumPy files in the body of an answer.
  private static func tensors(in message: WorkerClient.Message?) throws -> [Tensor] {
    let message = try #require(message)
    guard case .array(let parts)? = message.members["tensors"] else { return [] }
    var start = 0
    return try parts.map { part in
      guard case .object(let members) = part, let length = members["length"]?.asNumber else {
        return try Tensor([Float]())
      }
      defer { start += Int(length) }
      return try NumPyFile(Array(message.body[start..<(start + Int(length))]), named: "body").tensor
    }
  }
}
