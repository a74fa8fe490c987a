// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Foundation
import Synchronization
import Testing

@testable import ModelRepositoryAPI
@testable import ModelRepositoryClient

@Suite(.timeLimit(.minutes(10))) struct ModelRepositoryRolloutTests {
  @Test func `installations get exactly the version and parameters of their arm`() async throws {
    let repository = try await TestRepository()
    let one = try repository.publish("1.0", 1, TestRepository.files("1.0"))
    let two = try repository.publish("2.0", 2, TestRepository.files("2.0"))
    let document = try repository.point(to: one) {
      $0.parameters = ["threshold": "0.5", "color": "red"]
      $0.experiment = ChannelDocument.Experiment(
        salt: "s",
        arms: [
          ChannelDocument.Arm(
            name: .named("a"), threshold: 5000, release: two, parameters: ["threshold": "0.6"])
        ])
    }.verified(by: [repository.key.verificationKey])
    var arms: Set<String?> = []
    for number in 0..<12 {
      try? FileManager.default.removeItem(atPath: repository.folder)
      let id = "installation-\(number)"
      let exposures = Mutex<[Exposure]>([])
      let client = try repository.client {
        $0.installationID = id
        $0.onExposure = { exposure in exposures.withLock { $0.append(exposure) } }
      }
      _ = try await client.update(.digits)
      let model = try client.installed(.digits)
      _ = try client.installed(.digits)
      let expected = document.assignment(for: id)
      #expect(model.version == expected.release?.version)
      #expect(model.arm == expected.arm)
      #expect(model.parameters == expected.parameters)
      #expect(model.files == TestRepository.files(model.version?.text ?? ""))
      let seen = exposures.withLock { $0 }
      #expect(seen.map(\.version) == [model.version])
      #expect(seen.map(\.arm) == [model.arm])
      #expect(seen.map(\.installationID) == [id])
      arms.insert(model.arm?.text)
    }
    #expect(arms == ["a", nil])
  }

  @Test func `a paused rollout keeps its members and gets no new ones`() async throws {
    let repository = try await TestRepository()
    let one = try repository.publish("1.0", 1, TestRepository.files("1.0"))
    let two = try repository.publish("2.0", 2, TestRepository.files("2.0"))
    func point(isPaused: Bool) throws {
      try repository.point(to: one) {
        $0.experiment = ChannelDocument.Experiment(
          salt: "s",
          arms: [ChannelDocument.Arm(name: .named("a"), threshold: 10_000, release: two)],
          isPaused: isPaused)
      }
    }
    try point(isPaused: true)
    #expect(try await repository.use() == "1.0")
    try point(isPaused: false)
    #expect(try await repository.use() == "2.0")
    try point(isPaused: true)
    #expect(try await repository.use() == "2.0")
    try repository.client().delete(.digits)
    #expect(try await repository.use() == "1.0")
  }

  @Test func `remote parameters change without a download`() async throws {
    let repository = try await TestRepository()
    let release = try repository.ship("1.0", 1)
    _ = try await repository.use()
    let running = try repository.client()
    #expect(try running.installed(.digits).parameters == [:])
    try repository.point(to: release) { $0.parameters = ["threshold": "0.7"] }
    _ = repository.server.takeRequests()
    let version = try await running.update(.digits)
    #expect(version.parameters == ["threshold": "0.7"])
    #expect(version.isProven)
    #expect(repository.server.takeRequests().count == 1)
    #expect(try running.installed(.digits).parameters == [:])
    #expect(try repository.client().installed(.digits).parameters == ["threshold": "0.7"])
  }

  @Test func `a rollback is a newer document with an older version`() async throws {
    let repository = try await TestRepository()
    let one = try repository.ship("1.0", 1)
    _ = try await repository.use()
    try repository.ship("2.0", 2)
    #expect(try await repository.use() == "2.0")
    try repository.point(to: one)
    _ = repository.server.takeRequests()
    #expect(try await repository.use() == "1.0")
    // The files were still in the cache.
    #expect(repository.server.takeRequests().count == 1)
    let state = try #require(try repository.client().models().first)
    #expect(state.active?.version.text == "1.0")
    #expect(state.previous?.version.text == "2.0")
  }

  @Test func `a rollback before the activation keeps the active version`() async throws {
    let repository = try await TestRepository()
    let one = try repository.ship("1.0", 1)
    _ = try await repository.use()
    try repository.ship("2.0", 2)
    _ = try await repository.client().update(.digits)
    try repository.point(to: one)
    _ = try await repository.client().update(.digits)
    #expect(try repository.client().models().first?.pending == nil)
    #expect(try repository.proven() == "1.0")
  }

  @Test func `unsafe versions are deleted and never used`() async throws {
    let repository = try await TestRepository()
    try repository.ship("1.0", 1)
    _ = try await repository.use()
    try repository.ship("2.0", 2)
    _ = try await repository.use()
    let running = try repository.client()
    #expect(try running.installed(.digits).version?.text == "2.0")
    // The unsafe versions are deleted even though the safe one can't be downloaded.
    let three = try repository.publish("3.0", 3, TestRepository.files("3.0"))
    try repository.point(to: three) { $0.minimumSafeSequence = 3 }
    repository.answers { $0.path.contains("blobs") ? .reply("500 No") : nil }
    await #expect(throws: ModelRepositoryClientError.self) { try await running.update(.digits) }
    // Not even a process that already used the version can get it again.
    #expect(throws: ModelRepositoryClientError.self) { try running.installed(.digits) }
    let error = #expect(throws: ModelRepositoryClientError.self) {
      try repository.client().installed(.digits)
    }
    #expect(error?.code == .unsafeVersion)
    #expect(error?.message.contains("'2.0'") == true)
    let bundled = "\(repository.folder)/own.tflite"
    try Data([1]).write(to: URL(filePath: bundled))
    let last = try repository.client { $0.bundled = [.digits: bundled] }.installed(.digits)
    #expect(last.source == .bundled)
    #expect(last.format == .tflite)
    repository.answers(nil)
    _ = try await running.update(.digits)
    #expect(try running.installed(.digits).version?.text == "3.0")
  }

  @Test func `a safe previous version replaces an unsafe one`() async throws {
    let repository = try await TestRepository()
    try repository.ship("2.0", 2)
    _ = try await repository.use()
    let one = try repository.publish("1.0", 1, TestRepository.files("1.0"))
    try repository.point(to: one)
    #expect(try await repository.use() == "1.0")
    try repository.point(to: nil) { $0.minimumSafeSequence = 2 }
    let client = try repository.client()
    await #expect(throws: ModelRepositoryClientError.self) { try await client.update(.digits) }
    #expect(try repository.proven() == "2.0")
    _ = try client.removeUnused()
    #expect(repository.names(in: "store").count == 3)
  }

  @Test func `each channel has its own document`() async throws {
    let repository = try await TestRepository()
    try repository.ship("1.0", 1)
    _ = try await repository.use()
    let beta = try repository.client { $0.channel = .named("beta") }
    let error = await #expect(throws: ModelRepositoryClientError.self) {
      try await beta.update(.digits)
    }
    #expect(error?.code == .notFound)
    #expect(repository.server.takeRequests().last?.path == "/v1/models/digits/channels/beta")
  }
}
#endif
