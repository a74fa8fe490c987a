// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import TestSupport
import Testing
import WebServing

@testable import FederatedRounds
@testable import ModelRepositoryAPI
@testable import ModelRepositoryServer

/// Rounds that end while something else happens, and what is left of them.
@Suite(.timeLimit(.minutes(5))) struct RoundEndingTests {
  private func names(in folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
  }

  /// Creates the round `r`, which one client finishes.
  private func finish(_ fixture: RoundFixture, _ client: TestClient) async throws {
    let task = try await client.makeRound()
    let enrolment = try await client.enrol(fixture.tokens[0])
    try await client.sendUpdate(
      try RoundFixture.update(0, enrolment, task), enrolment, fixture.tokens[0])
    #expect(try await client.roundStatus().state == .finished)
  }

  @Test func `an update that is complete after the end leaves nothing on the disk`() async throws {
    let fixture = try await RoundFixture(clients: 2)
    try await fixture.repository.serve { client in
      let task = try await client.makeRound()
      let first = try await client.enrol(fixture.tokens[0])
      let late = try await client.enrol(fixture.tokens[1])
      try await client.sendUpdate(try RoundFixture.update(0, first, task), first, fixture.tokens[0])
      let bytes = try RoundFixture.update(1, late, task)
      let body = RoundFixture.body(bytes) {
        // The round ends while the update is being received.
        try await client.send(.post, "/v1/models/cats/rounds/r/end")
      }
      let token = String(try #require(fixture.tokens[1].split(separator: ".").first))
      let problem = await #expect(throws: Problem.self) {
        try await RoundStore(client.repository).receive(
          body, length: nil, from: late.client, secret: late.secret,
          token: token, in: task.round, of: task.model)
      }
      #expect(problem?.code == "round_over")
      let folder = fixture.repository.folder + "/rounds"
      #expect(try names(in: folder + "/cats/r") == ["average.safetensors"])
      #expect(try names(in: folder + "/.incoming").isEmpty)
      #expect(try await client.roundStatus().updates == 1)
      // Garbage collection deletes what a failure left.
      try Data([1]).write(to: URL(filePath: folder + "/cats/r/\(late.client).update"))
      try await client.send(.post, "/v1/gc")
      #expect(try names(in: folder + "/cats/r") == ["average.safetensors"])
    }
  }

  /// The free bytes of a file system in memory; 0 if there is none.
  private static let memory =
    (try? FileManager.default.attributesOfFileSystem(forPath: "/dev/shm"))?[.systemFreeSize]
    as? Int ?? 0

  @Test(.enabled(if: memory >= 1 << 30, "/dev/shm has less than 1 GiB."))
  func `an update is refused when the disk fills up while it is received`() async throws {
    let folder = "/dev/shm/repository-\(UUID())"
    let other = folder + "-other"
    defer { for path in [folder, other] { try? FileManager.default.removeItem(atPath: path) } }
    let fixture = try await RoundFixture(clients: 1) { $0.dataFolder = folder }
    let attributes = try FileManager.default.attributesOfFileSystem(forPath: "/dev/shm")
    let free = try #require(attributes[.systemFreeSize] as? Int)
    // Others use the file system, too, so the room and what fills it differ.
    let room = 128 << 20
    try await fixture.repository.serve(reserving: free - room) { client in
      let task = try await client.makeRound()
      let enrolment = try await client.enrol(fixture.tokens[0])
      let bytes = try RoundFixture.update(0, enrolment, task)
      let body = RoundFixture.body(bytes) {
        try Data(count: 2 * room).write(to: URL(filePath: other))
      }
      let token = String(try #require(fixture.tokens[0].split(separator: ".").first))
      let problem = await #expect(throws: Problem.self) {
        try await RoundStore(client.repository).receive(
          body, length: bytes.count, from: enrolment.client,
          secret: enrolment.secret, token: token, in: task.round, of: task.model)
      }
      #expect(problem?.code == "disk_full")
      try FileManager.default.removeItem(atPath: other)
      try await client.sendUpdate(bytes, enrolment, fixture.tokens[0])
    }
  }

  @Test func `the state of every round is known while one of them is averaged`() async throws {
    let fixture = try await RoundFixture(clients: 1)
    try await fixture.repository.serve { client in
      let task = try await client.makeRound("long")
      let enrolment = try await client.enrol(fixture.tokens[0], in: "long")
      _ = try await client.makeRound("short", seconds: 60)
      let store = RoundStore(client.repository)
      _ = try await store.receive(
        RequestBody(buffer: ByteBuffer(bytes: try RoundFixture.update(0, enrolment, task))),
        length: nil,
        from: enrolment.client, secret: enrolment.secret,
        token: String(try #require(fixture.tokens[0].split(separator: ".").first)),
        in: task.round, of: task.model)
      let (long, short) = (task.round, try client.name("short"))
      let (isHeld, isOver) = (Shared(false), Shared(false))
      try await withThrowingTaskGroup(of: Void.self) { group in
        // The average waits for its first update.
        group.addTask {
          try await store.checking.withLock {
            isHeld.withLock { $0 = true }
            while !isOver.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(5)) }
          }
        }
        #expect(try await eventually { isHeld.withLock { $0 } })
        group.addTask { try await store.endIfDue(long, of: task.model, isForced: true) }
        #expect(
          try await eventually {
            try await store.round(long, of: task.model).state == .averaging
          })
        #expect(try await store.status(of: long, of: task.model).state == .averaging)
        #expect(try await store.status(of: short, of: task.model).state == .open)
        fixture.repository.pass(61)
        // This round is due, but it is ended later.
        #expect(try await store.status(of: short, of: task.model).state == .open)
        let problem = await #expect(throws: Problem.self) {
          try await store.average(of: long, of: task.model)
        }
        #expect(problem?.message.contains("averaging") == true)
        isOver.withLock { $0 = true }
        try await group.waitForAll()
      }
      #expect(try await store.status(of: long, of: task.model).state == .finished)
      #expect(try await store.status(of: short, of: task.model).state == .failed)
      try await client.checkAverage(RoundFixture.average(0..<1), in: "long")
    }
  }

  @Test func `rounds are due at their deadline, or when every client has sent`() async throws {
    let fixture = try await RoundFixture(clients: 2)
    try await fixture.repository.serve { client in
      let task = try await client.makeRound(seconds: 60)
      let store = RoundStore(client.repository)
      #expect(try await store.dueRounds().isEmpty)
      var enrolments: [RoundEnrolment] = []
      for token in fixture.tokens { enrolments.append(try await client.enrol(token)) }
      for (index, enrolment) in enrolments.enumerated() {
        #expect(try await store.dueRounds().isEmpty)
        try await client.sendUpdate(
          try RoundFixture.update(index, enrolment, task), enrolment, fixture.tokens[index])
      }
      #expect(try await store.dueRounds() == [[task.model, task.round]])
      #expect(try await client.roundStatus().state == .finished)
      #expect(try await store.dueRounds().isEmpty)
      let other = try await client.makeRound("other", seconds: 60)
      #expect(try await store.dueRounds().isEmpty)
      fixture.repository.pass(60)
      #expect(try await store.dueRounds() == [[other.model, other.round]])
    }
  }

  @Test func `a round that can't be ended is tried again after growing pauses`() {
    var failure = RoundStore.Failure()
    let now = ContinuousClock.now
    for pause in [2, 4, 8, 16, 32, 60, 60] {
      failure.note(at: now)
      #expect(failure.next == now + .seconds(pause))
    }
  }

  @Test func `a round that has ended can be deleted, and its name used again`() async throws {
    let fixture = try await RoundFixture(clients: 1)
    try await fixture.repository.serve { client in
      let path = "/v1/models/cats/rounds/r"
      try await client.makeRound()
      try await client.send(.delete, path, expects: 409, code: "round_not_over")
      try await client.with(fixture.tokens[0]).send(
        .delete, path, expects: 403, code: "wrong_scope")
      try await client.send(.post, path + "/end")
      try await client.send(.delete, path, expects: 204)
      try await client.send(.get, path, expects: 404, code: "round_not_found")
      try await client.send(.delete, path, expects: 404, code: "round_not_found")
      try await finish(fixture, client)
      try await client.send(.delete, path, expects: 204)
      #expect(try names(in: fixture.repository.folder + "/rounds/cats").isEmpty)
      #expect(try await client.send(.get, "/v1/audit").text.contains("round.delete"))
    }
    #expect(try await fixture.repository.fsck().isSound)
  }

  @Test func `a damaged average is noticed when it is read, checked, backed up and restored`()
    async throws
  {
    let fixture = try await RoundFixture(clients: 1)
    let (copy, restored) = (fixture.repository.folder + "-copy", fixture.repository.folder + "-new")
    defer { for path in [copy, restored] { try? FileManager.default.removeItem(atPath: path) } }
    func damage(_ folder: String) throws {
      let file = URL(filePath: folder + "/rounds/cats/r/average.safetensors")
      var bytes = try Data(contentsOf: file)
      bytes[bytes.count - 2] ^= 0x40
      try bytes.write(to: file)
    }
    try await fixture.repository.serve { try await finish(fixture, $0) }
    try await RepositoryStore.backup(fixture.repository.options, to: copy)
    try damage(copy)
    let refusal = await #expect(throws: RepositoryError.self) {
      try await RepositoryStore.restore(from: copy, ModelRepositoryOptions(dataFolder: restored))
    }
    #expect(refusal?.message.contains("The average of round 'r' of 'cats' is damaged") == true)
    #expect(!FileManager.default.fileExists(atPath: restored))
    try FileManager.default.removeItem(atPath: copy)

    #expect(try await fixture.repository.fsck().isSound)
    try damage(fixture.repository.folder)
    let report = try await fixture.repository.fsck()
    #expect(report.averages == ["cats/r"] && !report.isSound)
    await #expect(throws: RepositoryError.self) {
      try await RepositoryStore.backup(fixture.repository.options, to: copy)
    }
    try await fixture.repository.serve { client in
      try await client.send(
        .get, "/v1/models/cats/rounds/r/average", expects: 500, code: "average_damaged")
      try await client.send(.delete, "/v1/models/cats/rounds/r", expects: 204)
    }
    #expect(try await fixture.repository.fsck().isSound)
    try await RepositoryStore.backup(fixture.repository.options, to: copy)
  }

  @Test func `a damaged row of a round or of a client is reported`() async throws {
    for sql in [
      "UPDATE rounds SET reason = 'x'", "UPDATE rounds SET signed = x'00'",
      "UPDATE round_clients SET examples = 7", "UPDATE round_clients SET digest = NULL",
      "DELETE FROM round_clients",
    ] {
      let fixture = try await RoundFixture(clients: 1)
      let copy = fixture.repository.folder + "-copy"
      defer { try? FileManager.default.removeItem(atPath: copy) }
      try await fixture.repository.serve { try await finish(fixture, $0) }
      #expect(try await fixture.repository.fsck().isSound)
      try await fixture.repository.damageDatabase(sql)
      let report = try await fixture.repository.fsck()
      #expect(!(report.rows + report.database).isEmpty, "\(sql): \(report)")
      try await RepositoryStore.backup(fixture.repository.options, to: copy)
      let error = await #expect(throws: RepositoryError.self) {
        try await RepositoryStore.restore(
          from: copy, ModelRepositoryOptions(dataFolder: copy + "-new"))
      }
      #expect(error?.code == .damaged, "\(sql)")
    }
  }
}
#endif
