// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Foundation
import ModelRepositoryAPI
import Synchronization
import Testing

@testable import ModelRepositoryClient

/// Ends a process after each of its steps and checks that the next process can recover.
@Suite(.timeLimit(.minutes(10))) struct ModelRepositoryCrashTests {
  /// The error that ends a process, without any handling or cleanup.
  private struct Death: Error {}

  /// Counts steps and ends the process at one of them, so that all later steps fail too.
  private final class Fate: Sendable {
    private struct State {
      var steps = 0
      var points: Set<FailurePoint> = []
    }

    private let state = Mutex(State())
    let last: Int

    init(dyingAt last: Int) { self.last = last }

    var points: Set<FailurePoint> { state.withLock { $0.points } }
    var hasDied: Bool { state.withLock { $0.steps >= last } }

    func reach(_ point: FailurePoint) throws {
      try state.withLock { state in
        state.steps += 1
        state.points.insert(point)
        if state.steps >= last { throw Death() }
      }
    }
  }

  /// What a process was doing when it ended.
  enum Scene: String, CaseIterable, Sendable {
    case firstDownload, download, activation, proof, failure, quarantine, deletion, removal
    case damagedBlob, damagedVersion, corruptDownload, rollback, unsafe, brokenDownload
  }

  private static let versions = ["1.0", "2.0"]

  private func isDeath(_ error: any Error) -> Bool {
    error is Death || (error as? ModelRepositoryClientError)?.cause is Death
  }

  /// Brings a cache into the state in which the scene begins.
  private func prepare(_ scene: Scene, _ repository: TestRepository) async throws {
    repository.answers(nil)
    guard scene != .firstDownload else {
      _ = try repository.ship("2.0", 2)
      return
    }
    let one = try repository.ship("1.0", 1)
    _ = try await repository.use()
    if scene == .rollback || scene == .damagedBlob || scene == .damagedVersion {
      try repository.ship("2.0", 2)
      _ = try await repository.use()
      if scene == .rollback { try repository.point(to: one) }
    } else {
      try repository.ship("2.0", 2)
    }
    let bytes = TestRepository.files("2.0")["assets/model.tflite"] ?? []
    switch scene {
    case .activation, .proof, .failure, .quarantine, .deletion:
      _ = try await repository.client().update(.digits)
      if scene == .quarantine {
        for _ in 0..<2 { _ = try repository.client().installed(.digits) }
      }
    case .removal:
      _ = try await repository.client().update(.digits)
      for name in ["a", "b"] {
        let digits = String(repeating: name, count: 64)
        try Data(count: 9).write(to: URL(filePath: "\(repository.folder)/store/\(digits)"))
      }
    case .damagedBlob:
      let file = try FileHandle(forUpdating: URL(filePath: repository.stored(bytes)))
      try file.write(contentsOf: [0xFF, 0xFE, 0xFD])
      try file.close()
    case .damagedVersion:
      let path = try repository.client().installed(.digits).path
      try FileManager.default.removeItem(atPath: path + "/model.json")
    case .corruptDownload, .brokenDownload:
      let path = "/v1/blobs/\(BlobDigest(of: bytes))"
      let count = Counter()
      repository.answers { request in
        guard request.path == path else { return nil }
        let number = count.next()
        guard number % 2 == 1 else { return nil }
        if scene == .corruptDownload {
          return .reply("200 OK", body: [UInt8](repeating: 1, count: bytes.count))
        }
        return .cut(
          "200 OK", ["Content-Length: \(bytes.count)"], body: Array(bytes[..<(bytes.count / 2)]))
      }
    case .unsafe:
      let two = try repository.publish("2.0", 2, TestRepository.files("2.0"))
      try repository.point(to: two) { $0.minimumSafeSequence = 2 }
    case .firstDownload, .download, .rollback: break
    }
  }

  /// Does what the process does until it ends.
  private func play(_ scene: Scene, _ repository: TestRepository, _ fate: Fate) async throws {
    var environment = ClientEnvironment()
    environment.reached = { try fate.reach($0) }
    let client = try repository.client(environment)
    switch scene {
    case .firstDownload, .download, .damagedBlob, .corruptDownload, .rollback, .unsafe,
      .brokenDownload:
      _ = try await client.update(.digits)
    case .activation, .quarantine, .damagedVersion: _ = try client.installed(.digits)
    case .proof: try client.markLoaded(client.installed(.digits))
    case .failure: try client.reportFailure(client.installed(.digits))
    case .deletion: try client.delete(.digits)
    case .removal: _ = try client.removeUnused()
    }
  }

  /// Checks what must be true whenever a process ended.
  private func check(_ scene: Scene, _ repository: TestRepository, _ step: Int) async throws {
    let comment: Comment = "\(scene.rawValue), step \(step)"
    try checkInstalled(scene, repository, comment)
    // The next download installs the channel's version or reports that it is quarantined.
    repository.answers(nil)
    let expected = scene == .rollback ? "1.0" : "2.0"
    do {
      let version = try await repository.client().update(.digits)
      #expect(version.version.text == expected, comment)
      #expect(try repository.proven() == expected, comment)
    } catch let error as ModelRepositoryClientError {
      #expect(error.code == .quarantined && scene == .quarantine, "\(comment): \(error)")
      #expect(try repository.proven() == "1.0", comment)
    }
    #expect(
      try repository.client().installed(.digits).files
        == TestRepository.files(scene == .quarantine ? "1.0" : expected), comment)
    // Nothing unused is left behind.
    _ = try repository.client().removeUnused()
    let state = try #require(try repository.client().models().first, comment)
    let count = [state.active, state.previous, state.pending].count { $0 != nil }
    #expect(repository.names(in: "store").count == 3 * count, comment)
    let folder = "models/\(repository.names(in: "models").first ?? "")"
    #expect(repository.names(in: folder + "/versions").count == count, comment)
    #expect(repository.names(in: folder + "/attempts").isEmpty, comment)
  }

  private func checkInstalled(
    _ scene: Scene, _ repository: TestRepository, _ comment: Comment
  ) throws {
    // If a model was installed before, one can be loaded, and it is complete.
    let model = try? repository.client().installed(.digits)
    let mayBeNone = [.firstDownload, .deletion, .unsafe].contains(scene)
    #expect(model != nil || mayBeNone, comment)
    if let model {
      let version = try #require(model.version?.text, comment)
      #expect(Self.versions.contains(version), comment)
      #expect(model.files == TestRepository.files(version), comment)
      try model.client.withdrawAttempt(model)
    }
  }

  @Test(arguments: Scene.allCases)
  func `a process can end after any step without damage`(_ scene: Scene) async throws {
    let points = try await Self.run(self, scene)
    #expect(!points.isEmpty)
  }

  private static func run(_ tests: Self, _ scene: Scene) async throws -> Set<FailurePoint> {
    var points: Set<FailurePoint> = []
    var step = 1
    while true {
      let repository = try await TestRepository()
      try await tests.prepare(scene, repository)
      let fate = Fate(dyingAt: step)
      do {
        try await tests.play(scene, repository, fate)
        if !fate.hasDied {
          points.formUnion(fate.points)
          break
        }
        Issue.record("\(scene) continued after step \(step)")
      } catch  where tests.isDeath(error) {
        points.formUnion(fate.points)
      }
      try await tests.check(scene, repository, step)
      step += 1
    }
    print("\(scene.rawValue): \(step - 1) deaths at \(points.count) points")
    return points
  }

  @Test func `the scenes cover every failure point`() async throws {
    var points: Set<FailurePoint> = []
    for scene in Scene.allCases {
      let repository = try await TestRepository()
      try await prepare(scene, repository)
      let fate = Fate(dyingAt: .max)
      try await play(scene, repository, fate)
      points.formUnion(fate.points)
    }
    #expect(points == Set(FailurePoint.allCases))
  }
}
#endif
