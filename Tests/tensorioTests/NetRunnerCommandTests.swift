// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import TensorIO
import TestSupport
import Testing

/// The server with NVIDIA's client, and hostile clients.
@Suite(
  .enabled(if: Python.path != nil, "TENSORIO_PYTHON isn't set; see Tools/requirements.txt."))
struct NetRunnerCommandTests {
  private static func json(_ text: String) throws -> JSONValue {
    try JSONValue(parsing: Data(text.utf8))
  }

  /// Sends a file as a model, and returns the status and the response.
  private static func send(
    _ file: String, as name: String, to server: RunningServer
  ) async throws -> (status: String, body: JSONValue) {
    let curl = try ChildProcess(
      "/usr/bin/env",
      [
        "curl", "-sS", "--max-time", "300", "--write-out", "\n%{http_code}", "--data-binary",
        "@\(CommandRunner.packageFolder.path)/Tests/Fixtures/\(file)", "--header",
        "Content-Type: application/octet-stream",
        server.address + "api/v1/models?name=" + name,
      ])
    let lines = await curl.finish().output.split(separator: "\n")
    let body = try json(String(try #require(lines.first)))
    return (String(try #require(lines.last)), body)
  }

  @Test func `a .tflite file becomes a model with its assumptions`() async throws {
    let server = try RunningServer()
    let (status, body) = try await Self.send(
      "Models/image_with_metadata.tflite", as: "..%2FMy%20pets.TFLITE", to: server)
    guard case .object(let answer) = body, case .object(let model)? = answer["model"] else {
      Issue.record("\(status) \(body)")
      return
    }
    #expect(status == "201")
    #expect(model["id"] == .string("my-pets") && model["can_run"] == .bool(true), "\(body)")
    guard case .array? = answer["checks"] else {
      Issue.record("\(body)")
      return
    }
    let again = try await Self.send(
      "Models/image_with_metadata.tflite", as: "My%20pets.tflite", to: server)
    #expect(again.status == "409")
    let unnamed = try await Self.send("Models/add.tflite", as: "", to: server)
    #expect(unnamed.status == "400")
  }

  @Test(arguments: [
    ("Hostile/buffer_missing", "buffer 99"), ("Models/oversized", "1 GiB"),
    ("Models/crash_on_run", "ended the process"), ("Images/baseline.jpg", "TensorFlow Lite"),
  ])
  func `a damaged .tflite file is refused by its own name`(
    file: String, words: String
  ) async throws {
    let server = try RunningServer()
    let path = file.hasSuffix(".jpg") ? file : file + ".tflite"
    let (status, body) = try await Self.send(path, as: "mine.tflite", to: server)
    #expect(status == "422")
    let message = "\(body)"
    #expect(message.contains("invalid_bundle") && message.contains(words), "\(message)")
    #expect(message.contains("mine.ti") || message.contains("mine.tflite"), "\(message)")
    #expect(!message.contains(".import-"), "\(message)")
    let good = try await Self.send("Models/add.tflite", as: "good.tflite", to: server)
    #expect(good.status == "201", "\(good.body)")
  }

  @Test func `NVIDIA's client lists and runs the models and gets the results of tensorio run`()
    async throws
  {
    let models = try TemporaryFolder()
    let vector = #""type": "array", "shape": [1, 4]}"#
    let number = #""type": "array", "shape": [1, 1]}"#
    let sum = try TemporaryBundle(
      "matmul", inputs: [#"{"name": "input1", \#(vector)"#, #"{"name": "input2", \#(vector)"#],
      outputs: [#"{"name": "output1", \#(number)"#, #"{"name": "output2", \#(number)"#])
    for (path, name) in [
      (sum.path, "test"), ("Demo/digits.tiobundle", "digits"),
      ("Demo/digits-int8.tiobundle", "digits-int8"),
    ] {
      let source = URL(filePath: path, relativeTo: CommandRunner.packageFolder).path
      try FileManager.default.copyItem(
        atPath: source, toPath: "\(models.path)/\(name).tiobundle")
    }
    let server = try RunningServer(["--models", models.path])
    let image = "Demo/images/digit-3-01.png"
    let calls = """
      {"digits": {"image": {"picture": "\(image)"}},
       "digits-int8": {"image": {"picture": "\(image)"}},
       "test": {"input1": {"type": "FP32", "shape": [1, 4], "data": [1, 2, 3, 4]},
                "input2": {"type": "FP32", "shape": [1, 4], "data": [5, 6, 7, 8]}}}
      """
    let answer = try Self.json(
      await Python.run(["Tools/peers/triton.py", server.place], input: Data(calls.utf8)))
    #expect(answer.member("is_live") == .bool(true))
    #expect(
      answer.member("models")
        == .array([.string("digits"), .string("digits-int8"), .string("test")]))
    for (model, value) in [
      ("digits", image), ("digits-int8", image),
      ("test", #"{"input1": [1, 2, 3, 4], "input2": [5, 6, 7, 8]}"#),
    ] {
      let run = try await CommandRunner.run([
        "run", "\(models.path)/\(model).tiobundle", value, "--json",
      ])
      let expected = try Self.json(run.output).member("outputs")?.sortedNumbers
      #expect(expected?.isEmpty == false)
      guard case .array(let results)? = answer.member("calls")?.member(model)?.member("results")
      else {
        Issue.record("\(model) wasn't called.")
        continue
      }
      #expect(results.count == 4)
      for result in results {
        // The client returns float32 values as doubles.
        let numbers = result.sortedNumbers.map { Float($0) }
        #expect(numbers == expected?.map { Float($0) })
      }
    }
  }

  @Test func `the server survives malformed requests, slow clients and endless bodies`()
    async throws
  {
    let server = try RunningServer()
    let parts = server.place.split(separator: ":").map(String.init)
    let seen = try Self.json(
      await Python.run(["Tools/peers/hostile.py"] + parts + ["--count", "10000"]))
    guard case .object(let answers)? = seen.member("answers") else { return }
    #expect(answers["500"] == nil)
    #expect(answers["timeout"] == nil, "\(answers)")
    // A host name that the server doesn't know may belong to an attacker's page.
    guard case .object(let names)? = seen.member("names") else { return }
    for (name, status) in names {
      let isOthers = name.contains("evil") || name == "[::2]"
      #expect(status == .string(isOthers ? "421" : "200"), "\(name)")
    }
    if case .number(let seconds)? = seen.member("beside") { #expect(seconds < 5) }
    // Of 16,384 MiB, only what a fast machine sends in the second until the connection is closed.
    if case .array(let sent)? = seen.member("sent") {
      #expect(sent.allSatisfy { if case .number(let count) = $0 { count < 8192 } else { false } })
    }
    #expect(try server.peakMemory < 1 << 30)
    #expect(await server.end(with: SIGTERM) == 0)
  }

  @Test func `every response to valid and invalid requests matches the OpenAPI document`()
    async throws
  {
    let server = try RunningServer()
    try await Python.run([
      "Tools/peers/fuzz_api.py", server.address, "--phases", "coverage,fuzzing,stateful",
      "--max-examples", "30",
    ])
    #expect(await server.end(with: SIGTERM) == 0)
  }

  @Test func `the log has a line for each request unless it goes to a terminal`() async throws {
    let logs = try await Self.json(
      Python.run(["Tools/peers/server_log.py", CommandRunner.binary.path]))
    guard case .string(let pipe)? = logs.member("pipe"),
      case .string(let terminal)? = logs.member("terminal")
    else {
      Issue.record("The script printed \(logs).")
      return
    }
    #expect(pipe.contains("path=/healthz status=200"), "\(pipe)")
    #expect(!terminal.contains("/healthz"), "\(terminal)")
  }

  @Test func `wrong command lines are refused and name the mistake`() async throws {
    for (arguments, status, text) in [
      (["--port", "70000"], 64 as Int32, "--port"), (["--cert", "x"], 64, "--key"),
      (["--models", "nowhere"], 66, "'nowhere'"), (["--photos", "nowhere"], 66, "'nowhere'"),
      (["--cert", "x", "--key", "y", "--port", "0"], 66, "'x'"),
      (["--repository", "http://127.0.0.1:1"], 64, "--repository-key"),
      (["--repository-channel", "stable"], 64, "--repository"),
      (["--repository", "http://127.0.0.1:1", "--repository-key", "x"], 64, "32 bytes"),
    ] {
      let result = try await CommandRunner.run(["netrunner", "--no-browser"] + arguments)
      #expect(result.status == status)
      #expect(result.error.contains(text), "\(result.error)")
    }
  }

  @Test func `a port in use is refused with a suggestion`() async throws {
    let server = try RunningServer()
    let port = try #require(server.place.split(separator: ":").last)
    let result = try await CommandRunner.run(["netrunner", "--no-browser", "--port", "\(port)"])
    #expect(result.status == 64)
    #expect(result.error.contains("Choose another --port"))
  }
}

extension JSONValue {
  fileprivate func member(_ name: String) -> JSONValue? {
    if case .object(let members) = self { members[name] } else { nil }
  }

  /// All numbers in the value, in ascending order.
  fileprivate var sortedNumbers: [Double] {
    switch self {
    case .number(let number): [number]
    case .integer(let integer): [Double(integer)]
    case .array(let values): values.flatMap(\.sortedNumbers).sorted()
    case .object(let members): members.values.flatMap(\.sortedNumbers).sorted()
    case .null, .bool, .string: []
    }
  }
}
#endif
