// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import GRDB
import Hummingbird
import HummingbirdTesting
import Logging
import ModelRepositoryAPI
import NIOCore
import Synchronization
import TestSupport
import Testing

@testable import ModelRepositoryServer

/// A data folder for one test, with tokens and a clock that the test sets.
final class TestRepository: Sendable {
  let folder: String
  private let state: Mutex<(options: ModelRepositoryOptions, admin: String)>
  private let time = Mutex(Date(timeIntervalSince1970: 1_800_000_000))

  init(_ change: (inout ModelRepositoryOptions) -> Void = { _ in }) async throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "repository-\(UUID())").path
    var options = ModelRepositoryOptions(dataFolder: folder)
    options.port = 0
    options.minimumFreeBytes = 0
    change(&options)
    state = Mutex((options, ""))
    options.now = { [weak self] in self?.now ?? Date() }
    let fixed = options
    state.withLock { $0.options = fixed }
    let admin = try await makeToken("admin", [.admin])
    state.withLock { $0.admin = admin.secret }
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  var options: ModelRepositoryOptions { state.withLock { $0.options } }
  /// The secret of a token with all permissions.
  var admin: String { state.withLock { $0.admin } }
  var now: Date { time.withLock { $0 } }

  func pass(_ seconds: TimeInterval) { time.withLock { $0 += seconds } }

  func makeToken(
    _ name: String, _ scopes: [TokenScope], models: [String]? = nil, expires: Date? = nil
  ) async throws -> NewToken {
    try await open().makeToken(
      TokenRequest(name: name, scopes: scopes, models: models, expires: expires), by: nil)
  }

  /// Opens the repository without a server.
  func open(blobs: (any BlobStore)? = nil) async throws -> Repository {
    let options = options
    return try await retryingLock { try Repository(options, blobs: blobs) }
  }

  /// Makes a server without starting it.
  func server(_ logger: Logger? = nil) async throws -> ModelRepositoryServer {
    var quiet = Logger(label: "test")
    quiet.logLevel = .critical
    let (options, log) = (options, logger ?? quiet)
    return try await retryingLock { try ModelRepositoryServer(options, logger: log) }
  }

  /// Runs a server on the folder, so that each call is a restart.
  @discardableResult
  func serve<Value: Sendable>(
    _ setup: TestingSetup = .router, logger: Logger? = nil, reserving reserve: Int = 0,
    _ body: @escaping @Sendable (TestClient) async throws -> Value
  ) async throws -> Value {
    state.withLock { $0.options.reservedBytes = reserve }
    let server = try await server(logger)
    let admin = admin
    return try await server.application().test(setup) { client in
      let repository = server.repository
      guard let port = client.port else {
        return try await body(TestClient(client: client, token: admin, repository: repository))
      }
      let scheme = repository.options.certificate == nil ? "http" : "https"
      let patient = PatientClient("\(scheme)://localhost:\(port)")
      let result = await Self.result {
        try await body(
          TestClient(client: client, patient: patient, token: admin, repository: repository))
      }
      try await patient.shutDown()
      return try result.get()
    }
  }

  private static func result<Value: Sendable>(
    _ body: () async throws -> Value
  ) async -> Result<Value, any Error> {
    do { return .success(try await body()) } catch { return .failure(error) }
  }

  /// Retries while the previous server still holds the folder.
  private func retryingLock<Value>(_ body: () async throws -> Value) async throws -> Value {
    for _ in 0..<3000 {
      do {
        return try await body()
      } catch let error as RepositoryError where error.code == .locked {
        try await Task.sleep(for: .milliseconds(20))
      }
    }
    return try await body()
  }

  func fsck() async throws -> IntegrityReport {
    try await retryingLock { try await RepositoryStore.fsck(options) }
  }

  /// Changes the database as another program could while no server runs.
  func damageDatabase(_ sql: String) async throws {
    // The previous server may still have it open.
    try await open().database.close()
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    let database = try DatabaseQueue(path: folder + "/meta.sqlite", configuration: configuration)
    try await database.writeWithoutTransaction { try $0.execute(sql: sql) }
    try database.close()
  }

  /// The path of a blob's file.
  func file(of digest: BlobDigest) -> String {
    "\(folder)/blobs/sha256/\(digest.hexadecimal.prefix(2))/\(digest.hexadecimal)"
  }
}

/// Sends requests to a server.
struct TestClient: Sendable {
  let client: any TestClientProtocol
  /// Sends the requests to a live server, because `client` times out after 20 seconds.
  var patient: PatientClient?
  var token: String?
  /// The server's repository.
  let repository: Repository

  func with(_ token: String?) -> TestClient {
    TestClient(client: client, patient: patient, token: token, repository: repository)
  }

  /// Returns a response without checking it.
  func execute(
    uri: String, method: HTTPRequest.Method, headers: HTTPFields = [:], body: ByteBuffer? = nil
  ) async throws -> TestResponse {
    guard let patient else {
      let response = try await client.execute(
        uri: uri, method: method, headers: headers, body: body)
      return TestResponse(head: response.head, body: response.body)
    }
    return try await patient.execute(uri, method, headers, body)
  }

  /// Returns only a response's status.
  func status(_ path: String) async throws -> Int {
    try await execute(uri: path, method: .get).status.code
  }

  /// Waits until the server handles this many requests, including this one.
  func hasUnderWay(_ count: Int) async throws -> Bool {
    try await eventually {
      try await send(.get, "/metrics").text
        .contains("http_requests_in_flight \(count)\n")
    }
  }

  /// Returns the number of blob bytes that the server has sent.
  func sentBlobBytes() async throws -> Int {
    let line = try await send(.get, "/metrics").text.split(separator: "\n").first {
      $0.hasPrefix("tensorio_sent_blob_bytes_total ")
    }
    return try #require(line?.split(separator: " ").last.flatMap { Int($0) })
  }

  /// Returns a response after checking its status.
  @discardableResult
  func send(
    _ method: HTTPRequest.Method, _ path: String, _ body: [UInt8]? = nil,
    headers: HTTPFields = [:], expects status: Int = 200, code: String? = nil,
    at location: SourceLocation = #_sourceLocation
  ) async throws -> TestResponse {
    var headers = headers
    if let token { headers[.authorization] = "Bearer " + token }
    let response = try await execute(
      uri: path, method: method, headers: headers, body: body.map { ByteBuffer(bytes: $0) })
    #expect(
      response.status.code == status, "\(method) \(path): \(response.text.prefix(500))",
      sourceLocation: location)
    if let code {
      #expect(response.code == code, "\(response.text.prefix(500))", sourceLocation: location)
      #expect(
        response.headers[.contentType] == ProblemDetails.contentType, sourceLocation: location)
    }
    return response
  }

  /// Sends a JSON document.
  @discardableResult
  func send(
    _ method: HTTPRequest.Method, _ path: String, json: some Encodable,
    headers: HTTPFields = [:], expects status: Int = 200, code: String? = nil,
    at location: SourceLocation = #_sourceLocation
  ) async throws -> TestResponse {
    var headers = headers
    headers[.contentType] = "application/json"
    return try await send(
      method, path, Array(try RepositoryJSON.encode(json)), headers: headers, expects: status,
      code: code, at: location)
  }

  // MARK: - Uploads

  func begin(at location: SourceLocation = #_sourceLocation) async throws -> String {
    try await send(.post, "/v1/uploads", expects: 201, at: location).decoded(UploadState.self).id
  }

  @discardableResult
  func append(
    _ id: String, _ bytes: [UInt8], from offset: Int, expects status: Int = 202,
    code: String? = nil, at location: SourceLocation = #_sourceLocation
  ) async throws -> TestResponse {
    try await send(
      .patch, "/v1/uploads/\(id)", bytes,
      headers: [.contentRange: "bytes \(offset)-\(offset + bytes.count - 1)/*"],
      expects: status, code: code, at: location)
  }

  @discardableResult
  func finish(
    _ id: String, _ digest: BlobDigest, expects status: Int = 201, code: String? = nil,
    at location: SourceLocation = #_sourceLocation
  ) async throws -> TestResponse {
    try await send(
      .put, "/v1/uploads/\(id)?digest=\(digest)", expects: status, code: code, at: location)
  }

  /// Uploads a blob.
  @discardableResult
  func upload(
    _ bytes: [UInt8], at location: SourceLocation = #_sourceLocation
  ) async throws -> BlobReference {
    let id = try await begin(at: location)
    if !bytes.isEmpty { try await append(id, bytes, from: 0, at: location) }
    return try await finish(id, BlobDigest(of: bytes), at: location).decoded(BlobReference.self)
  }
}

/// A server's response.
struct TestResponse {
  let head: HTTPResponse
  let body: ByteBuffer

  var status: HTTPResponse.Status { head.status }
  var headers: HTTPFields { head.headerFields }
  var bytes: [UInt8] { Array(body.readableBytesView) }
  var text: String { String(decoding: bytes, as: UTF8.self) }
  /// The code of a problem.
  var code: String? { try? decoded(ProblemDetails.self).code }

  func decoded<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try RepositoryJSON.decode(type, from: Data(bytes))
  }
}

/// A value shared by tasks.
final class Shared<Value: Sendable>: Sendable {
  private let value: Mutex<Value>

  init(_ value: Value) { self.value = Mutex(value) }

  func withLock<Result: Sendable>(_ body: @Sendable (inout Value) -> Result) -> Result {
    value.withLock { body(&$0) }
  }
}

/// Returns bytes with varying values.
func sampleBytes(_ count: Int, seed: UInt8 = 0) -> [UInt8] {
  repeating(seed == 0 ? samplePattern : samplePattern.map { $0 &+ seed }, count: count)
}

private let samplePattern = (0..<65_536).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
#endif
