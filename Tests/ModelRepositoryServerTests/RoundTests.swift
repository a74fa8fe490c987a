// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import GRDB
import HTTPTypes
import TensorIO
import Testing

@testable import FederatedRounds
@testable import ModelRepositoryAPI
@testable import ModelRepositoryServer

@Suite struct RoundTests {
  @Test func `a round ends when all enrolled clients have sent, and its average is that of all`()
    async throws
  {
    let fixture = try await RoundFixture(clients: 8)
    try await fixture.repository.serve { client in
      let task = try await client.makeRound(minimum: 8)
      var enrolments: [RoundEnrolment] = []
      for token in fixture.tokens { enrolments.append(try await client.enrol(token)) }
      for (index, enrolment) in enrolments.enumerated() {
        #expect(try await client.roundStatus().state == .open)
        let receipt = try await client.sendUpdate(
          try RoundFixture.update(index, enrolment, task), enrolment, fixture.tokens[index]
        ).decoded(RoundReceipt.self)
        #expect(receipt.examples == RoundFixture.examples(index))
      }
      let status = try await client.roundStatus()
      #expect(status.state == .finished && status.updates == 8 && status.enrolled == 8)
      #expect(status.examples == (0..<8).reduce(0) { $0 + RoundFixture.examples($1) })
      #expect(status.privacy == nil && status.reason == nil && status.refused.isEmpty)
      try await client.checkAverage(RoundFixture.average(0..<8))
      // Single updates aren't kept.
      let names = try FileManager.default.contentsOfDirectory(
        atPath: fixture.repository.folder + "/rounds/cats/r")
      #expect(names == ["average.safetensors"])
    }
  }

  @Test func `a round with too few updates fails at its deadline, and one with enough doesn't`()
    async throws
  {
    let fixture = try await RoundFixture(clients: 3)
    try await fixture.repository.serve { client in
      for (name, minimum) in [("few", 3), ("enough", 2)] {
        let task = try await client.makeRound(name, minimum: minimum, seconds: 60)
        for (index, token) in fixture.tokens.enumerated() {
          let enrolment = try await client.enrol(token, in: name)
          if index < 2 {
            try await client.sendUpdate(
              try RoundFixture.update(index, enrolment, task), enrolment, token, in: name)
          }
        }
      }
      #expect(try await client.roundStatus("enough").state == .open)
      fixture.repository.pass(61)
      let failed = try await client.roundStatus("few")
      #expect(failed.state == .failed)
      #expect(failed.reason == "2 clients sent an update, but at least 3 are needed.")
      try await client.send(
        .get, "/v1/models/cats/rounds/few/average", expects: 409, code: "no_average")
      #expect(try await client.roundStatus("enough").state == .finished)
      try await client.checkAverage(RoundFixture.average(0..<2), in: "enough")
      let list = try await client.send(.get, "/v1/models/cats/rounds").decoded(RoundList.self)
      #expect(list.rounds.map(\.round.text) == ["enough", "few"])
    }
  }

  @Test func `clients that may not take part are refused`() async throws {
    let fixture = try await RoundFixture(clients: 3)
    let other = try await fixture.repository.makeToken("dogs", [.train], models: ["dogs"]).secret
    let reader = try await fixture.repository.makeToken("reader", [.read]).secret
    try await fixture.repository.serve { client in
      let task = try await client.makeRound(minimum: 2, maximum: 2, seconds: 60)
      let path = "/v1/models/cats/rounds/r/clients"
      try await client.with(nil).send(.post, path, expects: 401, code: "token_needed")
      try await client.with(reader).send(.post, path, expects: 403, code: "wrong_scope")
      try await client.with(other).send(.post, path, expects: 403, code: "wrong_model")
      try await client.with(fixture.tokens[0]).send(
        .post, "/v1/models/cats/rounds/x/clients", expects: 404, code: "round_not_found")
      let lost = try await client.enrol(fixture.tokens[0])
      // A client that was killed enrols again, and its former secret is worth nothing.
      let again = try await client.enrol(fixture.tokens[0])
      #expect(again.client == lost.client && again.secret != lost.secret)
      try await client.sendUpdate(
        try RoundFixture.update(0, lost, task), lost, fixture.tokens[0], expects: 403,
        code: "not_enrolled")
      try await client.sendUpdate(try RoundFixture.update(0, again, task), again, fixture.tokens[0])
      try await client.with(fixture.tokens[0]).send(
        .post, path, expects: 409, code: "already_enrolled")
      _ = try await client.enrol(fixture.tokens[1])
      try await client.with(fixture.tokens[2]).send(.post, path, expects: 409, code: "round_full")
      try await client.with(fixture.tokens[0]).send(
        .get, "/v1/models/cats/rounds/r/status", expects: 403, code: "wrong_scope")
      fixture.repository.pass(60)
      try await client.with(fixture.tokens[2]).send(.post, path, expects: 409, code: "round_over")
    }
  }

  @Test func `a task needs a version, a new name and sensible numbers`() async throws {
    let fixture = try await RoundFixture(clients: 0)
    try await fixture.repository.serve { client in
      try await client.makeRound()
      func request(
        _ name: String, base: String = "1.0", seconds: Int = 60, clip: Double = 1,
        noise: Double = 0
      ) throws -> RoundRequest {
        RoundRequest(
          round: try client.name(name), base: try client.name(base), seconds: seconds,
          plan: RoundTask.Plan(clipNorm: clip, noiseMultiplier: noise, minimumClients: 1),
          weights: RoundFixture.weights)
      }
      let path = "/v1/models/cats/rounds"
      try await client.send(
        .post, path, json: request("r"), expects: 409, code: "round_exists")
      try await client.send(
        .post, path, json: request("s", base: "9"), expects: 422, code: "unknown_version")
      try await client.send(
        .post, path, json: request("s", seconds: 0), expects: 422, code: "invalid_round")
      try await client.send(
        .post, path, json: request("s", clip: -1), expects: 422, code: "invalid_round")
      try await client.send(
        .post, path, json: request("s", noise: 1e-160), expects: 422, code: "invalid_round")
    }
  }

  @Test func `a stored round whose noise is too little for a finite epsilon states none`()
    async throws
  {
    let fixture = try await RoundFixture(clients: 1)
    var task = try await fixture.repository.serve { client in
      let task = try await client.makeRound(noise: 1)
      let enrolment = try await client.enrol(fixture.tokens[0])
      try await client.sendUpdate(
        try RoundFixture.update(0, enrolment, task), enrolment, fixture.tokens[0])
      #expect(try await client.roundStatus().privacy != nil)
      return task
    }
    task.plan.noiseMultiplier = 1e-160
    let signed = try RepositoryJSON.encode(try SignedDocument(task, by: [SigningKey()]))
    try await fixture.repository.open().database.write {
      try $0.execute(sql: "UPDATE rounds SET signed = ?", arguments: [signed])
    }
    try await fixture.repository.serve { client in
      let status = try await client.roundStatus()
      #expect(status.state == .finished)
      #expect(status.privacy == nil)
      try await client.send(.post, "/v1/models/cats/rounds/r/end")
    }
  }

  @Test func `a round of large weights without updates fails`() async throws {
    let fixture = try await RoundFixture(clients: 0)
    try await fixture.repository.serve { client in
      try await client.publish("1.0")
      let name = try client.name("r")
      let request = RoundRequest(
        round: name, base: try client.name("1.0"), seconds: 60,
        plan: RoundTask.Plan(clipNorm: 1, minimumClients: 1),
        weights: [RoundTask.Weights(name: "w", shape: [RoundTask.maximumElements])])
      try await client.send(.post, "/v1/models/cats/rounds", json: request, expects: 201)
      fixture.repository.pass(61)
      let status = try await client.roundStatus()
      #expect(status.state == .failed)
      #expect(status.reason == "0 clients sent an update, but at least 1 are needed.")
    }
  }

  @Test func `with noise, the epsilon is stated, and the average isn't exact`() async throws {
    let fixture = try await RoundFixture(clients: 2)
    try await fixture.repository.serve { client in
      let task = try await client.makeRound(minimum: 2, noise: 1)
      let enrolments = [
        try await client.enrol(fixture.tokens[0]), try await client.enrol(fixture.tokens[1]),
      ]
      for (index, enrolment) in enrolments.enumerated() {
        try await client.sendUpdate(
          try RoundFixture.update(index, enrolment, task), enrolment, fixture.tokens[index])
      }
      let status = try await client.roundStatus()
      // This is dp-accounting's epsilon for one Gaussian mechanism of noise 1 and delta 1e-5.
      #expect(abs(try #require(status.privacy).epsilon - 4.728507067217623) < 1e-9)
      let bytes = try await client.send(.get, "/v1/models/cats/rounds/r/average").bytes
      let file = try Safetensors(parsing: Data(bytes), path: "the average")
      let found = try file.floats(of: RoundFixture.weights[0]).map(Double.init)
      #expect(found != RoundFixture.average(0..<2)[0])
      // The noise of the average has a deviation of 0.5.
      #expect(found.allSatisfy { abs($0) < 10 })
    }
  }

  @Test func `a restarted server has every update that it accepted`() async throws {
    let fixture = try await RoundFixture(clients: 4)
    let task = try await fixture.repository.serve { try await $0.makeRound(minimum: 4) }
    for (index, token) in fixture.tokens.enumerated() {
      try await fixture.repository.serve { client in
        let enrolment = try await client.enrol(token)
        try await client.sendUpdate(
          try RoundFixture.update(index, enrolment, task), enrolment, token)
        if index < 3 { #expect(try await client.roundStatus().state == .open) }
      }
    }
    try await fixture.repository.serve { client in
      #expect(try await client.roundStatus().state == .finished)
      try await client.checkAverage(RoundFixture.average(0..<4))
    }
    #expect(try await fixture.repository.fsck().isSound)
  }

  @Test func `a restored backup has the averages of rounds, but not the updates of open ones`()
    async throws
  {
    let fixture = try await RoundFixture(clients: 4)
    let (copy, restored) = (fixture.repository.folder + "-copy", fixture.repository.folder + "-new")
    defer { for path in [copy, restored] { try? FileManager.default.removeItem(atPath: path) } }
    try await fixture.repository.serve { client in
      for (name, count) in [("finished", 4), ("open", 3)] {
        let task = try await client.makeRound(name, minimum: 4, seconds: 60)
        for (index, token) in fixture.tokens.prefix(count).enumerated() {
          let enrolment = try await client.enrol(token, in: name)
          try await client.sendUpdate(
            try RoundFixture.update(index, enrolment, task), enrolment, token, in: name)
        }
        #expect(
          try await client.roundStatus(name).state == (name == "finished" ? .finished : .open))
      }
      try await RepositoryStore.backup(fixture.repository.options, to: copy)
    }
    let rounds = copy + "/rounds/cats"
    #expect(
      try FileManager.default.subpathsOfDirectory(atPath: rounds).sorted() == [
        "finished", "finished/average.safetensors",
      ])
    try await RepositoryStore.restore(
      from: copy, ModelRepositoryOptions(dataFolder: restored))
    let repository = try await TestRepository { $0.dataFolder = restored }
    try await repository.serve { client in
      #expect(try await client.roundStatus("finished").state == .finished)
      try await client.checkAverage(RoundFixture.average(0..<4), in: "finished")
    }
  }

  @Test func `a round that fails says how many stored updates were damaged`() async throws {
    let fixture = try await RoundFixture(clients: 2)
    try await fixture.repository.serve { client in
      let task = try await client.makeRound(minimum: 3, seconds: 60)
      var last = ""
      for (index, token) in fixture.tokens.enumerated() {
        let enrolment = try await client.enrol(token)
        last = enrolment.client
        try await client.sendUpdate(
          try RoundFixture.update(index, enrolment, task), enrolment, token)
      }
      let path = fixture.repository.folder + "/rounds/cats/r/\(last).update"
      try Data("damaged".utf8).write(to: URL(filePath: path))
      fixture.repository.pass(61)
      let status = try await client.roundStatus()
      #expect(
        status.reason == "1 clients sent an update, but at least 3 are needed. 1 stored updates "
          + "were damaged.")
    }
  }

  @Test func `a stored update that was damaged later isn't averaged`() async throws {
    let fixture = try await RoundFixture(clients: 3)
    try await fixture.repository.serve { client in
      let task = try await client.makeRound(minimum: 2, seconds: 60)
      var last = ""
      for (index, token) in fixture.tokens.enumerated() {
        let enrolment = try await client.enrol(token)
        if index == 2 { last = enrolment.client }
        try await client.sendUpdate(
          try RoundFixture.update(index, enrolment, task), enrolment, token)
        if index == 0 { continue }
      }
      let path = fixture.repository.folder + "/rounds/cats/r/\(last).update"
      var bytes = try Data(contentsOf: URL(filePath: path))
      bytes[bytes.count - 1] ^= 1
      try bytes.write(to: URL(filePath: path))
      #expect(try await client.roundStatus().state == .finished)
      try await client.checkAverage(RoundFixture.average(0..<2))
    }
  }
}
#endif
