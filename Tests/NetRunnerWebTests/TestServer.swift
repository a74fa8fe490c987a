// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import NetRunner
import TensorIO
import TensorIOLiteRT
import Testing

@testable import NetRunnerWeb

/// Runs a server with the models of Demo/ for tests.
enum TestServer {
  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().path
  static let demo = root + "/Demo"

  /// Runs a test against the router or a running server.
  static func test<Value>(
    _ setup: TestingSetup = .router, folders: [String] = [], dataFolder: String? = nil,
    _ body: @Sendable (TestClient) async throws -> Value
  ) async throws -> Value {
    var options = NetRunnerOptions(models: demo, backends: [.liteRT])
    options.includesShippedModels = false
    options.folders = folders
    options.dataFolder = dataFolder
    let server = try NetRunnerServer(options)
    let application = Application(
      router: try server.router(), configuration: .init(address: .hostname("127.0.0.1", port: 0)))
    return try await application.test(setup) { client in try await body(TestClient(client)) }
  }
}

/// Sends requests to a server and reads JSON responses.
struct TestClient: Sendable {
  let client: any TestClientProtocol

  init(_ client: any TestClientProtocol) { self.client = client }

  /// Returns a response after checking its status.
  @discardableResult
  func send(
    _ method: HTTPRequest.Method, _ path: String, _ body: [UInt8]? = nil, json: JSONValue? = nil,
    expects status: Int = 200, location: SourceLocation = #_sourceLocation
  ) async throws -> TestResponse {
    var headers = HTTPFields()
    var bytes = body
    if let json {
      headers[.contentType] = "application/json"
      bytes = Array(try JSONEncoder().encode(json))
    }
    let response = try await client.execute(
      uri: "/api/v1/" + path, method: method, headers: headers,
      body: bytes.map { ByteBuffer(bytes: $0) })
    #expect(
      response.status.code == status, "\(String(buffer: response.body).prefix(500))",
      sourceLocation: location)
    return response
  }

  /// Returns the JSON of a response.
  @discardableResult
  func json(
    _ method: HTTPRequest.Method, _ path: String, _ body: [UInt8]? = nil, json: JSONValue? = nil,
    expects status: Int = 200, location: SourceLocation = #_sourceLocation
  ) async throws -> JSONValue {
    let response = try await send(
      method, path, body, json: json, expects: status, location: location)
    return try JSONValue(parsing: Data(response.body.readableBytesView))
  }

  /// Returns the code of an error.
  func code(
    _ method: HTTPRequest.Method, _ path: String, _ body: [UInt8]? = nil, json: JSONValue? = nil,
    expects status: Int, location: SourceLocation = #_sourceLocation
  ) async throws -> String? {
    let answer = try await self.json(
      method, path, body, json: json, expects: status, location: location)
    return answer["error"]["code"].text
  }

  /// Starts an upload and sends the files of a folder.
  func upload(_ folder: String, as name: String, _ isWanted: (String) -> Bool = { _ in true })
    async throws -> String
  {
    let answer = try await json(.post, "uploads", expects: 201)
    let id = try #require(answer["upload"]["id"].text)
    let paths = FileManager.default.subpaths(atPath: folder) ?? []
    for path in paths.sorted() where FileSystem.isFile(folder + "/" + path) && isWanted(path) {
      try await send(
        .put, "uploads/\(id)/\(name)/\(path)", Array(FileSystem.read(folder + "/" + path)),
        expects: 204)
    }
    return id
  }

  /// Starts an evaluation.
  func evaluate(_ members: [String: JSONValue]) async throws -> String {
    var members = members
    members["models"] = members["models"] ?? .array([.string("digits")])
    let answer = try await json(.post, "evaluations", json: .object(members), expects: 202)
    return try #require(answer["evaluation"]["id"].text)
  }

  /// Waits for an evaluation to end.
  ///
  /// - Returns: The JSON of the response.
  func end(of id: String) async throws -> JSONValue {
    for _ in 0..<6000 {
      let answer = try await json(.get, "evaluations/" + id)
      if answer["evaluation"]["state"].text != "running" { return answer }
      try await Task.sleep(for: .milliseconds(50))
    }
    throw TensorIOError(.internalFault, "The evaluation does not end.")
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
  let path: String

  init(_ files: [String: String] = [:]) throws {
    path = FileManager.default.temporaryDirectory.appending(path: "web-\(UUID())").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    for (file, text) in files { try write(Data(text.utf8), to: file) }
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func write(_ data: Data, to file: String) throws {
    let whole = path + "/" + file
    try FileManager.default.createDirectory(
      atPath: FileSystem.folder(of: whole), withIntermediateDirectories: true)
    try data.write(to: URL(filePath: whole))
  }

  func link(_ file: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: path + "/" + file, withDestinationPath: target)
  }
}
#endif
