// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import TensorIO
import TensorIOLiteRT
import Testing
import TestSupport

@testable import NetRunnerWeb

/// A server for one test with its own folder of models.
final class WebFixture {
  private let files: TestFolder
  var folder: String { files.path }
  var options: NetRunnerOptions

  init() throws {
    files = try TestFolder()
    let models = files.path + "/models"
    try FileManager.default.createDirectory(atPath: models, withIntermediateDirectories: true)
    options = NetRunnerOptions(models: models, backends: [.liteRT])
  }

  static let demo = Python.root.path + "/Demo"

  /// Adds a bundle with a fixture model to the folder.
  func addBundle(
    _ model: String, id: String, inputs: [String], outputs: [String], type: String = "test"
  ) throws {
    let fixture = "\(Python.root.path)/Tests/Fixtures/Models/\(model).tflite"
    let bundle = "models/\(id).tiobundle"
    try files.write(FileSystem.read(fixture), to: bundle + "/model.tflite")
    let json = """
      {"name": "\(id)", "details": "", "id": "\(id)", "version": "1", "author": "", "license": "",
       "model": {"file": "model.tflite", "quantized": false, "type": "\(type)"},
       "inputs": [\(inputs.joined(separator: ","))], "outputs": [\(outputs.joined(separator: ","))]}
      """
    try files.write(Data(json.utf8), to: bundle + "/model.json")
  }

  /// Adds the bundle `sum`, which takes a number instead of an image.
  func addSum() throws {
    let layer = #""type": "array", "shape": [1]}"#
    try addBundle(
      "add", id: "sum", inputs: [#"{"name": "x", \#(layer)"#],
      outputs: [#"{"name": "y", \#(layer)"#])
  }

  /// Runs a test with a client of the server.
  @discardableResult
  func test<Value>(
    _ setup: TestingSetup = .router, logger: Logger? = nil,
    _ body: @escaping @Sendable (any TestClientProtocol) async throws -> Value
  ) async throws -> Value {
    var quiet = Logger(label: "test")
    quiet.logLevel = .critical
    let application = Application(
      router: try NetRunnerServer(options).router(),
      configuration: .init(address: .hostname("127.0.0.1", port: 0)), logger: logger ?? quiet)
    return try await application.test(setup, body)
  }

  /// Runs a test with a client of a server that has the models of Demo/.
  static func testDemo(
    _ setup: TestingSetup = .router, folders: [String] = [], dataFolder: String? = nil,
    _ body: @escaping @Sendable (any TestClientProtocol) async throws -> Void
  ) async throws {
    let fixture = try WebFixture()
    fixture.options.models = demo
    fixture.options.includesShippedModels = false
    fixture.options.folders = folders
    fixture.options.dataFolder = dataFolder
    try await fixture.test(setup, body)
  }

  static func image(_ name: String = "digit-7-01.png") throws -> [UInt8] {
    Array(try FileSystem.read("\(demo)/images/\(name)"))
  }
}

extension TestClientProtocol {
  /// Sends a request to a path and checks the status of its response.
  ///
  /// A path that doesn't begin with a slash is below /api/v1.
  @discardableResult
  func send(
    _ method: HTTPRequest.Method, _ path: String, _ body: [UInt8]? = nil, text: String? = nil,
    json: JSONObject? = nil, headers: HTTPFields = [:], expects status: Int = 200,
    location: SourceLocation = #_sourceLocation
  ) async throws -> TestResponse {
    var headers = headers
    var bytes = (body ?? text.map { Array($0.utf8) }).map { ByteBuffer(bytes: $0) }
    if let json {
      headers[.contentType] = "application/json"
      bytes = ByteBuffer(bytes: try json.encoded())
    }
    let response = try await execute(
      uri: path.hasPrefix("/") ? path : "/api/v1/" + path, method: method, headers: headers,
      body: bytes)
    #expect(
      response.status.code == status, "\(String(buffer: response.body).prefix(500))",
      sourceLocation: location)
    return response
  }

  /// Starts an upload and sends the files of a folder.
  func upload(_ folder: String, as name: String, _ isWanted: (String) -> Bool = { _ in true })
    async throws -> String
  {
    let id = try await makeUpload()
    let paths = FileManager.default.subpaths(atPath: folder) ?? []
    for path in paths.sorted() where FileSystem.isFile(folder + "/" + path) && isWanted(path) {
      try await send(
        .put, "uploads/\(id)/\(name)/\(path)", Array(FileSystem.read(folder + "/" + path)),
        expects: 204)
    }
    return id
  }

  func makeUpload() async throws -> String {
    let answer = try await send(.post, "uploads", expects: 201).json
    return try #require(answer["upload"]["id"].text)
  }

  /// Starts an evaluation.
  func evaluate(
    _ options: JSONObject, with models: [String] = ["digits"]
  ) async throws -> String {
    var request = options
    request.set("models", models)
    let answer = try await send(.post, "evaluations", json: request, expects: 202).json
    return try #require(answer["evaluation"]["id"].text)
  }

  /// Waits for an evaluation to end.
  ///
  /// - Returns: The JSON of the response.
  func end(of id: String) async throws -> JSONValue {
    for _ in 0..<6000 {
      let answer = try await send(.get, "evaluations/" + id).json
      if answer["evaluation"]["state"].text != "running" { return answer }
      try await Task.sleep(for: .milliseconds(50))
    }
    throw TensorIOError(.internalFault, "The evaluation does not end.")
  }
}

extension TestResponse {
  /// The body as JSON.
  var json: JSONValue {
    get throws { try JSONValue(parsing: Data(body.readableBytesView)) }
  }

  /// The code of an error.
  var code: String? {
    get throws { try json["error"]["code"].text }
  }
}

extension JSONValue {
  subscript(_ key: String) -> JSONValue {
    if case .object(let members) = self { members[key] ?? .null } else { .null }
  }

  subscript(_ index: Int) -> JSONValue {
    if case .array(let elements) = self, elements.indices.contains(index) {
      elements[index]
    } else {
      .null
    }
  }

  var text: String? { if case .string(let text) = self { text } else { nil } }
  var bool: Bool? { if case .bool(let bool) = self { bool } else { nil } }
  var elements: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }
  var double: Double? {
    switch self {
    case .number(let number): number
    case .integer(let integer): Double(integer)
    default: nil
    }
  }
}

/// A folder that is deleted when the test ends.
final class TestFolder: Sendable {
  let path = FileManager.default.temporaryDirectory.appending(path: "web-\(UUID())").path

  init() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func write(_ data: Data, to file: String) throws {
    let whole = path + "/" + file
    try FileManager.default.createDirectory(
      atPath: FileSystem.folder(of: whole), withIntermediateDirectories: true)
    try data.write(to: URL(filePath: whole))
  }

  func write(_ text: String, to file: String) throws { try write(Data(text.utf8), to: file) }

  func link(_ file: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: path + "/" + file, withDestinationPath: target)
  }
}
#endif
