// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Foundation
import ModelRepositoryAPI
import TestSupport
import Testing

@testable import ModelRepositoryClient

@Suite(.timeLimit(.minutes(10))) struct ModelRepositorySharedCacheTests {
  @Test func `eight clients of one cache download each blob once`() async throws {
    let repository = try await TestRepository()
    for version in 1...3 {
      try repository.ship("\(version).0", version, size: 100_000)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<8 {
          group.addTask {
            let client = try repository.client { $0.installationID = nil }
            let update = try await client.update(.digits)
            #expect(update.version.text == "\(version).0")
            let model = try client.installed(.digits)
            #expect(model.files == TestRepository.files("\(version).0", size: 100_000))
            try client.markLoaded(model)
          }
        }
        try await group.waitForAll()
      }
    }
    let blobs = repository.server.takeRequests().map(\.path).filter { $0.contains("blobs") }
    #expect(blobs.count == 9)
    #expect(Set(blobs).count == 9)
    #expect(repository.names(in: "").count { $0.hasPrefix("installation-id") } == 1)
  }

  @Test func `all clients of a folder share one installation ID`() async throws {
    let repository = try await TestRepository()
    let ids = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<8 {
        group.addTask { try repository.client { $0.installationID = nil }.installationID }
      }
      return try await group.reduce(into: Set<String>()) { $0.insert($1) }
    }
    #expect(ids.count == 1)
    #expect(UUID(uuidString: ids.first ?? "") != nil)
    let file = "\(repository.folder)/installation-id"
    try Data("damaged".utf8).write(to: URL(filePath: file))
    let new = try repository.client { $0.installationID = nil }.installationID
    #expect(UUID(uuidString: new) != nil)
    #expect(try repository.client().installationID == "installation-1")
  }

  @Test func `nothing is removed during a download`() async throws {
    let repository = try await TestRepository()
    try repository.ship("1.0", 1)
    repository.answers { request in
      request.path.contains("blobs") ? .bytes([], closes: false) : nil
    }
    let client = try repository.client()
    let task = Task { try await client.update(.digits) }
    while !repository.server.takeRequests().contains(where: { $0.path.contains("blobs") }) {
      try await Task.sleep(for: .milliseconds(10))
    }
    let unused = "\(repository.folder)/store/\(String(repeating: "a", count: 64))"
    try Data(count: 9).write(to: URL(filePath: unused))
    #expect(try repository.client().removeUnused() == 0)
    task.cancel()
    _ = await task.result
    // The download releases the cache shortly after its caller was cancelled.
    var removed = 0
    let isRemoved = try await eventually {
      removed = try repository.client().removeUnused()
      return removed > 0
    }
    #expect(isRemoved && removed == 9)
  }

  // MARK: - Processes

  /// Runs this program as a client whose files are limited to this many blocks of 512 bytes.
  private func child(
    _ repository: TestRepository, limit: Int? = nil
  ) throws -> ChildProcess {
    var environment = ProcessInfo.processInfo.environment
    environment["TENSORIO_TEST_REPOSITORY_PORT"] = "\(repository.server.port)"
    environment["TENSORIO_TEST_REPOSITORY_KEY"] = repository.key.verificationKey.text
    environment["TENSORIO_TEST_REPOSITORY_FOLDER"] = repository.folder
    let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let words = ["--testing-library", "swift-testing", "--filter", "ModelRepositoryChildTests"]
    guard let limit else { return try ChildProcess(program, words, environment: environment) }
    let script = "trap '' XFSZ; ulimit -f \(limit); exec \"$0\" \"$@\""
    return try ChildProcess(
      "/bin/sh", ["-c", script, program] + words, environment: environment)
  }

  private static let hasProcesses = FileManager.default.fileExists(atPath: "/proc/self/exe")

  @Test(.enabled(if: hasProcesses, "This test needs /proc/self/exe."))
  func `eight processes share a cache and its downloads`() async throws {
    let repository = try await TestRepository()
    try repository.ship("1.0", 1, size: 2_000_000)
    let results = try await withThrowingTaskGroup(of: ChildProcess.Result.self) { group in
      for _ in 0..<8 {
        let process = try child(repository)
        group.addTask { await process.finish() }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    for result in results {
      #expect(result.status == 0, "\(result.output)\n\(result.error)")
      #expect(result.output.contains("has 1.0"))
    }
    let blobs = repository.server.takeRequests().map(\.path).filter { $0.contains("blobs") }
    #expect(blobs.count == 3)
    #expect(try repository.client().installed(.digits).version?.text == "1.0")
  }

  @Test(.enabled(if: hasProcesses, "This test needs /proc/self/exe."))
  func `a process that can't write reports it and uses the installed version`() async throws {
    let repository = try await TestRepository()
    try repository.ship("1.0", 1)
    _ = try await repository.use()
    try repository.ship("2.0", 2, size: 3_000_000)
    let result = try await child(repository, limit: 1000).finish()
    #expect(result.status == 0, "\(result.output)\n\(result.error)")
    #expect(result.output.contains("failed with disk_full"))
    #expect(result.output.contains("has 1.0"))
    #expect(try await repository.use() == "2.0")
  }

  /// This kills processes at any time, not only between steps.
  @Test(.enabled(if: hasProcesses, "This test needs /proc/self/exe."))
  func `killed processes leave a working cache`() async throws {
    let repository = try await TestRepository()
    try repository.ship("1.0", 1, size: 3_000_000)
    _ = try await repository.use()
    var killed = 0
    for round in 2..<14 {
      let version = "\(round).0"
      try repository.ship(version, round, size: 3_000_000)
      let process = try child(repository)
      let result = Task { await process.finish() }
      // The process starts with its first request and is killed at a random time after that.
      let start = ContinuousClock.now
      while repository.server.takeRequests().isEmpty, ContinuousClock.now - start < longestWait {
        try await Task.sleep(for: .milliseconds(1))
      }
      try await Task.sleep(for: .microseconds(Int.random(in: 0..<150_000)))
      kill(process.identifier, SIGKILL)
      if await result.value.status == SIGKILL { killed += 1 }
      do {
        let model = try repository.client().installed(.digits)
        let text = try #require(model.version?.text)
        #expect([version, "\(round - 1).0"].contains(text))
        #expect(model.files == TestRepository.files(text, size: 3_000_000), "round \(round)")
        try model.client.withdrawAttempt(model)
      }
      #expect(try await repository.use() == version)
    }
    print("\(killed) of 12 processes were killed")
    _ = try repository.client().removeUnused()
    #expect(repository.names(in: "store").count == 6)
  }
}

/// The suite that runs in the processes that the tests above start.
@Suite struct ModelRepositoryChildTests {
  private static let port = ProcessInfo.processInfo.environment["TENSORIO_TEST_REPOSITORY_PORT"]

  @Test(.enabled(if: port != nil, "Only another test starts this."))
  func `a client updates its model and loads it`() async throws {
    let environment = ProcessInfo.processInfo.environment
    let port = try #require(Self.port)
    let key = try VerificationKey(#require(environment["TENSORIO_TEST_REPOSITORY_KEY"]))
    var configuration = ModelRepositoryConfiguration(
      server: "http://127.0.0.1:\(port)", keys: [key],
      folder: try #require(environment["TENSORIO_TEST_REPOSITORY_FOLDER"]))
    configuration.installationID = "installation-1"
    let client = try ModelRepositoryClient(configuration)
    do {
      _ = try await client.update(.digits)
    } catch let error as ModelRepositoryClientError {
      print("failed with \(error.code): \(error)")
    }
    let model = try client.installed(.digits)
    let version = try #require(model.version?.text)
    let size = model.files["assets/model.tflite"]?.count ?? 0
    #expect(model.files == TestRepository.files(version, size: size))
    try client.markLoaded(model)
    print("has \(version)")
  }
}
#endif
