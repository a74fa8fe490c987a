// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import TensorIO
import TestSupport
import Testing

@testable import FederatedRounds
@testable import ModelRepositoryAPI
@testable import ModelRepositoryServer

/// A round of the model `cats`, with a token for each client.
struct RoundFixture: Sendable {
  let repository: TestRepository
  let tokens: [String]
  static let weights = [
    RoundTask.Weights(name: "a", shape: [2, 3]), RoundTask.Weights(name: "b", shape: [4]),
  ]

  init(
    clients: Int, _ change: (inout ModelRepositoryOptions) -> Void = { _ in }
  ) async throws {
    repository = try await TestRepository(change)
    let opened = try await repository.open()
    var tokens: [String] = []
    for index in 0..<clients {
      let request = TokenRequest(name: "client \(index)", scopes: [.train], models: ["cats"])
      tokens.append(try await opened.makeToken(request, by: nil).secret)
    }
    self.tokens = tokens
  }

  /// The change that a client sends, whose norm is at most 1.
  static func changes(_ index: Int) -> [[Float]] {
    [
      (0..<6).map { Float(($0 * 7 + index * 3) % 11) / 50 },
      (0..<4).map { Float($0 - index % 5) / 50 },
    ]
  }

  static func examples(_ index: Int) -> Int { index * index + 1 }

  /// The file that a client sends.
  static func update(
    _ index: Int, _ enrolment: RoundEnrolment, _ task: RoundTask
  ) throws -> Data {
    try RoundUpdate(
      client: enrolment.client, examples: examples(index), changes: changes(index)
    ).serialized(for: task)
  }

  /// Makes a body of an update, and runs a closure after its first bytes were read.
  static func body(
    _ bytes: Data, interruptedBy work: @escaping @Sendable () async throws -> Void
  ) -> RequestBody {
    let calls = Shared(0)
    let stream = AsyncStream<ByteBuffer>(unfolding: {
      let call = calls.withLock { calls -> Int in
        calls += 1
        return calls
      }
      if call == 1 { return ByteBuffer(bytes: bytes.prefix(10)) }
      guard call == 2 else { return nil }
      do { try await work() } catch { Issue.record(error) }
      return ByteBuffer(bytes: bytes.dropFirst(10))
    })
    return RequestBody(asyncSequence: stream)
  }

  /// The average of some clients, weighted by their items.
  static func average(_ clients: some Sequence<Int>) -> [[Double]] {
    var sums = [[Double](repeating: 0, count: 6), [Double](repeating: 0, count: 4)]
    var total = 0.0
    for index in clients {
      let weight = Double(examples(index))
      total += weight
      for (tensor, change) in changes(index).enumerated() {
        for (place, value) in change.enumerated() { sums[tensor][place] += weight * Double(value) }
      }
    }
    return sums.map { $0.map { $0 / total } }
  }
}

extension TestClient {
  /// Publishes a version and creates the round `r`.
  @discardableResult
  func makeRound(
    _ name: String = "r", minimum: Int = 1, maximum: Int = 1000, seconds: Int = 3600,
    noise: Double = 0, base: String = "1.0"
  ) async throws -> RoundTask {
    let present = try await execute(
      uri: "/v1/models/cats/versions/1.0", method: .get, headers: [:]
    ).status.code
    if present != 200 { try await publish("1.0") }
    let request = RoundRequest(
      round: try self.name(name), base: try self.name(base), seconds: seconds,
      plan: RoundTask.Plan(
        clipNorm: 1, noiseMultiplier: noise, minimumClients: minimum, maximumClients: maximum),
      weights: RoundFixture.weights)
    let signed = try await send(.post, "/v1/models/cats/rounds", json: request, expects: 201)
      .decoded(SignedDocument.self)
    let keys = repository.keys.map(\.verificationKey)
    return try signed.verifiedTask(by: keys)
  }

  func enrol(_ token: String, in round: String = "r") async throws -> RoundEnrolment {
    try await with(token).send(.post, "/v1/models/cats/rounds/\(round)/clients", expects: 201)
      .decoded(RoundEnrolment.self)
  }

  @discardableResult
  func sendUpdate(
    _ bytes: Data, _ enrolment: RoundEnrolment, _ token: String, in round: String = "r",
    expects status: Int = 201, code: String? = nil, at location: SourceLocation = #_sourceLocation
  ) async throws -> TestResponse {
    var headers = HTTPFields()
    if let name = HTTPField.Name("Enrolment") { headers[name] = enrolment.secret }
    return try await with(token).send(
      .put, "/v1/models/cats/rounds/\(round)/clients/\(enrolment.client)/update", Array(bytes),
      headers: headers, expects: status, code: code, at: location)
  }

  func roundStatus(_ round: String = "r") async throws -> RoundStatus {
    try await send(.get, "/v1/models/cats/rounds/\(round)/status").decoded(RoundStatus.self)
  }

  /// Compares the average of the round with one that the test computed.
  func checkAverage(
    _ expected: [[Double]], in round: String = "r", at location: SourceLocation = #_sourceLocation
  ) async throws {
    let bytes = try await send(.get, "/v1/models/cats/rounds/\(round)/average").bytes
    let file = try Safetensors(parsing: Data(bytes), path: "the average")
    for (index, weights) in RoundFixture.weights.enumerated() {
      let found = try file.floats(of: weights)
      #expect(found.count == expected[index].count, sourceLocation: location)
      for (found, wanted) in zip(found, expected[index]) {
        #expect(abs(Double(found) - wanted) < 1e-6, sourceLocation: location)
      }
    }
  }
}
#endif
