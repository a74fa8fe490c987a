// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import TensorIO
import TestSupport
import Testing

@testable import FederatedRounds
@testable import ModelRepositoryAPI
@testable import ModelRepositoryServer

/// Sends thousands of updates that a server must not average, over real connections.
@Suite(.timeLimit(.minutes(10))) struct HostileRoundTests {
  private static let kinds = 16

  /// Returns a hostile update, with the client's values where they don't matter.
  private func hostile(
    _ index: Int, _ enrolment: RoundEnrolment, _ task: RoundTask, accepted: Data,
    _ random: inout SplitMix64
  ) throws -> (bytes: Data, enrolment: RoundEnrolment, codes: Set<String>) {
    let other = RoundEnrolment(client: UUID().uuidString.lowercased(), secret: enrolment.secret)
    let forged = RoundEnrolment(client: enrolment.client, secret: "\(random.next())")
    func update(
      _ change: (inout RoundUpdate) -> Void = { _ in }, of task: RoundTask = task
    ) throws -> Data {
      var update = RoundUpdate(
        client: enrolment.client, examples: 10, changes: RoundFixture.changes(index))
      change(&update)
      return try update.serialized(for: task)
    }
    let place = Int(random.next() % 6)
    var changed = task
    switch index % Self.kinds {
    case 0: return (try update { $0.changes[0][place] = .nan }, enrolment, ["update_not_finite"])
    case 1:
      return (try update { $0.changes[0][place] = -.infinity }, enrolment, ["update_not_finite"])
    case 2:
      return (try update { $0.changes[0][place] = 1e30 }, enrolment, ["update_too_large"])
    case 3: return (try update { $0.changes[1][0] = 1.01 }, enrolment, ["update_too_large"])
    case 4:
      changed.weights[0].shape = [3, 2]
      return (try update(of: changed), enrolment, ["update_wrong_tensors"])
    case 5:
      changed.weights[1].name = "c"
      return (try update(of: changed), enrolment, ["update_wrong_tensors"])
    case 6: return (accepted, enrolment, ["update_of_other_client"])
    case 7:
      changed.issued -= 1000
      return (try update(of: changed), enrolment, ["update_of_other_round"])
    case 8: return (try update(), other, ["not_enrolled"])
    case 9: return (try update(), forged, ["not_enrolled"])
    case 10: return (try update { $0.examples = 0 }, enrolment, ["update_wrong_examples"])
    case 11: return (try update { $0.examples = .max }, enrolment, ["update_wrong_examples"])
    case 12:
      let whole = try update()
      return (
        whole.prefix(Int(random.next() % UInt64(whole.count))), enrolment, ["update_unreadable"]
      )
    case 13:
      return (
        Data(count: RoundUpdate.longest(of: task) + 1 + place), enrolment, ["update_too_long"]
      )
    case 14:
      let bytes = (0..<(20 + Int(random.next() % 400))).map { _ in
        UInt8(truncatingIfNeeded: random.next())
      }
      return (Data(bytes), enrolment, ["update_unreadable"])
    default:
      // Text with a zero byte names something else, or isn't JSON.
      var bytes = try update()
      bytes[8 + Int(random.next() % 60)] = 0
      return (
        bytes, enrolment,
        [
          "update_unreadable", "update_of_other_round", "update_of_other_client",
          "update_wrong_examples", "update_wrong_tensors",
        ]
      )
    }
  }

  @Test func `2,000 hostile updates are refused, counted, and don't change the average`()
    async throws
  {
    let fixture = try await RoundFixture(clients: 4)
    try await fixture.repository.serve(.live) { client in
      let task = try await client.makeRound(minimum: 3, seconds: 3600)
      var enrolments: [RoundEnrolment] = []
      for token in fixture.tokens { enrolments.append(try await client.enrol(token)) }
      func good(_ index: Int) throws -> Data {
        try RoundUpdate(
          client: enrolments[index].client, examples: RoundFixture.examples(index),
          changes: RoundFixture.changes(index)
        ).serialized(for: task)
      }
      let first = try good(0)
      try await client.sendUpdate(first, enrolments[0], fixture.tokens[0])
      // The fourth client is hostile.
      var random = SplitMix64(seed: 235)
      var count = 0
      for index in 0..<1_900 {
        let (bytes, enrolment, codes) = try hostile(
          index, enrolments[3], task, accepted: first, &random)
        let response = try await client.execute(
          uri: "/v1/models/cats/rounds/r/clients/\(enrolment.client)/update", method: .put,
          headers: try headers(enrolment, fixture.tokens[3]), body: .init(bytes: bytes))
        #expect((400..<500).contains(response.status.code), "\(index)")
        #expect(codes.contains(response.code ?? ""), "\(index) \(response.text.prefix(200))")
        count += 1
      }
      // An accepted update is refused when it is sent again, also by the others.
      for index in 0..<100 {
        let sender = index % 4
        let response = try await client.execute(
          uri: "/v1/models/cats/rounds/r/clients/\(enrolments[0].client)/update", method: .put,
          headers: try headers(enrolments[0], fixture.tokens[sender]), body: .init(bytes: first))
        #expect(response.code == (sender == 0 ? "update_repeated" : "not_enrolled"))
        count += 1
      }
      #expect(count == 2_000)
      #expect(try await client.status("/healthz") == 200)
      for index in 1...2 {
        try await client.sendUpdate(try good(index), enrolments[index], fixture.tokens[index])
      }
      var status = try await client.roundStatus()
      #expect(status.state == .open && status.updates == 3)
      #expect(status.refused.values.reduce(0, +) == 2_000)
      fixture.repository.pass(3600)
      // Updates that come too late are refused, too.
      try await client.sendUpdate(
        first, enrolments[3], fixture.tokens[3], expects: 409, code: "round_over")
      let hasEnded = try await eventually {
        try await client.roundStatus().state == .finished
      }
      #expect(hasEnded)
      status = try await client.roundStatus()
      #expect(status.updates == 3)
      try await client.checkAverage(RoundFixture.average(0..<3))
      // Nothing of the refused updates is left.
      let left = try FileManager.default.contentsOfDirectory(
        atPath: fixture.repository.folder + "/rounds/.incoming")
      #expect(left.isEmpty)
    }
  }

  private func headers(_ enrolment: RoundEnrolment, _ token: String) throws -> HTTPFields {
    [
      .authorization: "Bearer " + token,
      try #require(HTTPField.Name("Enrolment")): enrolment.secret,
    ]
  }
}
#endif
