// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Files
import Foundation
import ModelRepositoryAPI
import TensorIO
import TensorIOLiteRT
import TestSupport
import Testing

@testable import ModelRepositoryClient

@Suite(.timeLimit(.minutes(10))) struct ModelRepositoryActivationTests {
  /// Makes a repository whose version 1.0 is in use and whose version 2.0 is downloaded.
  private func pending() async throws -> TestRepository {
    let repository = try await TestRepository()
    try repository.ship("1.0", 1)
    #expect(try await repository.use() == "1.0")
    try repository.ship("2.0", 2)
    _ = try await repository.client().update(.digits)
    return repository
  }

  @Test func `two crashes quarantine a version, and the previous one is used`() async throws {
    let repository = try await pending()
    for _ in 0..<2 {
      // This process ends without reporting success or failure.
      #expect(try repository.client().installed(.digits).version?.text == "2.0")
    }
    let model = try repository.client().installed(.digits)
    #expect(model.version?.text == "1.0")
    #expect(model.files == TestRepository.files("1.0"))
    _ = repository.server.takeRequests()
    let client = try repository.client()
    let error = await #expect(throws: ModelRepositoryClientError.self) {
      try await client.update(.digits)
    }
    #expect(error?.code == .quarantined)
    #expect(repository.server.takeRequests().count == 1)
    #expect(try client.models().first?.quarantined.count == 1)
    // A later version is installed.
    try repository.ship("3.0", 3)
    #expect(try await repository.use() == "3.0")
    // Deleting the model clears the quarantine.
    let two = try repository.publish("2.0", 2, TestRepository.files("2.0"))
    try repository.point(to: two)
    try repository.client().delete(.digits)
    #expect(try await repository.use() == "2.0")
  }

  @Test func `processes that are still loading aren't counted as crashes`() async throws {
    let repository = try await pending()
    let loading = try (0..<8).map { _ in try repository.client().installed(.digits) }
    #expect(loading.allSatisfy { $0.version?.text == "2.0" })
    try loading.first?.client.markLoaded(loading[0])
    #expect(try repository.client().installed(.digits).version?.text == "2.0")
  }

  @Test func `attempts of a proven version aren't counted`() async throws {
    let repository = try await pending()
    #expect(try repository.proven() == "2.0")
    for _ in 0..<4 { #expect(try repository.client().installed(.digits).version?.text == "2.0") }
  }

  @Test func `a reported failure switches to the previous version at once`() async throws {
    let repository = try await pending()
    let client = try repository.client()
    let model = try client.installed(.digits)
    #expect(model.version?.text == "2.0")
    try client.reportFailure(model)
    try client.reportFailure(model)
    let previous = try client.installed(.digits)
    #expect(previous.version?.text == "1.0")
    #expect(previous.source == .previous)
    // The next process tries once more, and a second failure quarantines the version.
    let next = try repository.client()
    #expect(try next.installed(.digits).version?.text == "2.0")
    try next.reportFailure(next.installed(.digits))
    let last = try repository.client().installed(.digits)
    #expect(last.version?.text == "1.0")
    #expect(last.source == .repository)
  }

  @Test func `without a previous version, the bundled model is used`() async throws {
    let repository = try await TestRepository()
    let own = "\(repository.folder)/own.tiobundle"
    #expect(throws: ModelRepositoryClientError.self) {
      try repository.client { $0.bundled = [.digits: own] }.installed(.digits)
    }
    try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
    let client = try repository.client { $0.bundled = [.digits: own] }
    let model = try client.installed(.digits)
    #expect(model.path == own)
    #expect(model.source == .bundled)
    #expect(model.version == nil)
    try client.markLoaded(model)
    try client.reportFailure(model)
    try repository.ship("1.0", 1)
    _ = try await client.update(.digits)
    for _ in 0..<2 { #expect(try repository.client().installed(.digits).version?.text == "1.0") }
    #expect(try repository.client { $0.bundled = [.digits: own] }.installed(.digits).path == own)
    let error = #expect(throws: ModelRepositoryClientError.self) {
      try repository.client().installed(.digits)
    }
    #expect(error?.code == .quarantined)
  }

  // MARK: - Damage

  @Test func `a flipped byte is found at every position`() async throws {
    let repository = try await TestRepository()
    let blob = (0..<40).map { UInt8($0) }
    try repository.point(to: repository.publish("1.0", 1, ["x": blob]))
    #expect(try await repository.use() == "1.0")
    let manifest = try #require(
      repository.names(in: "store").first { $0 != BlobDigest(of: blob).hexadecimal })
    let size = try Data(contentsOf: URL(filePath: "\(repository.folder)/store/\(manifest)")).count
    for (file, count) in [
      (repository.stored(blob), blob.count), ("\(repository.folder)/store/\(manifest)", size),
    ] {
      for position in 0..<count {
        try flip(file, at: position)
        let error = #expect(throws: ModelRepositoryClientError.self) {
          try repository.client().installed(.digits)
        }
        #expect(error?.code == .notFound)
        _ = try await repository.client().update(.digits)
        #expect(try repository.client().installed(.digits).files == ["x": blob])
      }
    }
  }

  @Test func `a damaged version falls back to the previous one until it is downloaded again`()
    async throws
  {
    let repository = try await pending()
    #expect(try repository.proven() == "2.0")
    let bytes = try #require(TestRepository.files("2.0")["assets/model.tflite"])
    try flip(repository.stored(bytes), at: 500)
    let model = try repository.client().installed(.digits)
    #expect(model.version?.text == "1.0")
    #expect(model.source == .previous)
    _ = repository.server.takeRequests()
    _ = try await repository.client().update(.digits)
    #expect(repository.server.takeRequests().count == 2)
    #expect(try repository.proven() == "2.0")
  }

  @Test func `a damaged download isn't activated`() async throws {
    let repository = try await pending()
    let bytes = try #require(TestRepository.files("2.0")["model.json"])
    try flip(repository.stored(bytes), at: 0)
    #expect(try repository.proven() == "1.0")
    let state = try #require(try repository.client().models().first)
    #expect(state.active?.version.text == "1.0")
    #expect(state.pending?.version.text == "2.0")
    #expect(try await repository.use() == "2.0")
  }

  @Test func `missing and extra files of a version are repaired from the store`() async throws {
    let repository = try await pending()
    let model = try repository.client().installed(.digits)
    let files = TestRepository.files("2.0")
    try FileManager.default.removeItem(atPath: model.path + "/model.json")
    #expect(try repository.client().installed(.digits).files == files)
    try model.client.markLoaded(model)
    try Data([1]).write(to: URL(filePath: model.path + "/assets/extra"))
    #expect(try repository.client().installed(.digits).files == files)
    try FileManager.default.removeItem(atPath: model.path)
    #expect(try repository.client().installed(.digits).files == files)
    try FileManager.default.removeItem(atPath: model.path + "/model.json")
    try FileManager.default.createSymbolicLink(
      atPath: model.path + "/model.json",
      withDestinationPath: repository.stored(files["model.json"] ?? []))
    #expect(try repository.client().installed(.digits).files == files)
  }

  @Test func `an unreadable state file costs one request and no downloads of blobs`() async throws {
    let repository = try await pending()
    let folder = try #require(repository.names(in: "models").first)
    for content in ["", "{", "{\"layout\":2}"] {
      try Data(content.utf8).write(
        to: URL(filePath: "\(repository.folder)/models/\(folder)/state.json"))
      #expect(throws: ModelRepositoryClientError.self) {
        try repository.client().installed(.digits)
      }
      _ = repository.server.takeRequests()
      #expect(try await repository.use() == "2.0")
      #expect(repository.server.takeRequests().count == 1)
    }
  }

  @Test func `on a full disk, a proven version is used and nothing is lost`() async throws {
    let repository = try await pending()
    var environment = ClientEnvironment()
    environment.reached = { point in
      guard point == .stateWritten else { return }
      errno = ENOSPC
      throw FileError(.written, "state.json")
    }
    #expect(try repository.client(environment).installed(.digits).version?.text == "1.0")
    #expect(try repository.proven() == "2.0")
    // Without a proven version, the bundled model is used, or an error says why there is none.
    try repository.client().delete(.digits)
    _ = try await repository.client().update(.digits)
    let error = #expect(throws: ModelRepositoryClientError.self) {
      try repository.client(environment).installed(.digits)
    }
    #expect(error?.code == .diskFull)
    let own = "\(repository.folder)/own.tflite"
    try Data([1]).write(to: URL(filePath: own))
    let model = try repository.client(environment) { $0.bundled = [.digits: own] }
      .installed(.digits)
    #expect(model.source == .bundled)
  }

  @Test func `a file with a temporary read error isn't treated as damaged`() throws {
    func fails(_ number: CInt) throws -> Bool? {
      try CacheFile.unlessTransient { () throws -> Bool? in
        errno = number
        throw FileError(.opened, "x")
      }
    }
    for number in [ENOENT, EACCES, EIO, ELOOP, EINVAL] { #expect(try fails(number) == nil) }
    for number in [EMFILE, ENFILE, ENOMEM] {
      #expect(throws: FileError.self) { try fails(number) }
    }
  }

  // MARK: - Removing

  @Test func `deleting a model also deletes its blobs`() async throws {
    let repository = try await pending()
    let client = try repository.client()
    _ = try client.installed(.digits)
    try client.delete(.digits)
    #expect(!client.isDownloaded(.digits))
    #expect(throws: ModelRepositoryClientError.self) { try client.installed(.digits) }
    #expect(repository.names(in: "store").isEmpty)
    try client.delete(.named("unknown"))
    #expect(try client.models().allSatisfy { $0.active == nil })
  }

  @Test func `unused blobs are removed, and blobs that other models need are kept`() async throws {
    let repository = try await TestRepository()
    let shared = [UInt8](repeating: 3, count: 777)
    let other = RepositoryName.named("other")
    try repository.point(to: repository.publish("1", 1, ["x": shared, "y": [1]]))
    try repository.point(
      to: repository.publish("1", 1, ["x": shared], model: other), model: other)
    let client = try repository.client()
    _ = try await client.update(.digits)
    _ = try await client.update(other)
    try Data(count: 555).write(
      to: URL(filePath: "\(repository.folder)/store/\(String(repeating: "a", count: 64))"))
    try Data(count: 5).write(
      to: URL(filePath: "\(repository.folder)/partial/\(String(repeating: "b", count: 64)).x"))
    #expect(try client.removeUnused() == 555)
    var environment = ClientEnvironment()
    environment.now = { Date(timeIntervalSinceNow: 25 * 3600) }
    #expect(try repository.client(environment).removeUnused() == 5)
    try client.delete(.digits)
    #expect(try repository.client().installed(other).files == ["x": shared])
    #expect(try client.models().map(\.model) == [.digits, other])
  }

  @Test func `old versions are removed once no process uses them`() async throws {
    let repository = try await pending()
    let folder = "models/\(try #require(repository.names(in: "models").first))/versions"
    do {
      let running = try repository.client()
      _ = try running.installed(.digits)
      try running.markLoaded(running.installed(.digits))
      for version in 3...5 {
        try repository.ship("\(version).0", version)
        _ = try await repository.use()
      }
      #expect(repository.names(in: folder).count == 3)
    }
    try repository.ship("6.0", 6)
    _ = try await repository.use()
    #expect(repository.names(in: folder).count == 2)
    _ = try repository.client().removeUnused()
    #expect(repository.names(in: "store").count == 6)
  }

  // MARK: - Loading

  private static let digits = Python.root.appending(path: "Demo/digits.tiobundle")

  @Test func `loading a bundle proves it, and a broken one is reported`() async throws {
    let repository = try await TestRepository()
    var files = try Self.digitsFiles()
    try repository.point(to: repository.publish("1.0", 1, files))
    _ = try await repository.client().update(.digits)
    let loader = ModelLoader(backends: [.liteRT])
    let client = try repository.client()
    #expect(throws: TensorIOError.self) {
      try client.installed(.digits).load(with: ModelLoader(backends: []))
    }
    #expect(try client.installed(.digits).load(with: loader).isLoaded)
    #expect(try client.models().first?.active?.isProven == true)
    for name in files.keys where name.hasSuffix(".tflite") { files[name] = [1, 2, 3] }
    try repository.point(to: repository.publish("2.0", 2, files))
    _ = try await repository.client().update(.digits)
    for _ in 0..<2 {
      let client = try repository.client()
      #expect(throws: TensorIOError.self) { try client.installed(.digits).load(with: loader) }
      #expect(try client.installed(.digits).load(with: loader).isLoaded)
    }
    #expect(try repository.client().models().first?.quarantined.count == 1)
  }

  @Test func `a version that loads but fails its trial isn't proven`() async throws {
    struct Failure: Error {}
    let repository = try await TestRepository()
    let loader = ModelLoader(backends: [.liteRT])
    for (version, sequence) in [("1.0", 1), ("2.0", 2)] {
      var files = try Self.digitsFiles()
      files["assets/note"] = Array(version.utf8)
      try repository.point(to: repository.publish(version, sequence, files))
      _ = try await repository.client().update(.digits)
      guard sequence == 1 else { continue }
      let model = try repository.client().installed(.digits).load(with: loader) { model in
        #expect(model.isLoaded)
      }
      model.unload()
    }
    for _ in 0..<2 {
      let installed = try repository.client().installed(.digits)
      #expect(installed.version?.text == "2.0")
      #expect(throws: Failure.self) { try installed.load(with: loader) { _ in throw Failure() } }
    }
    // A proven version needs no trial.
    let before = try repository.client().installed(.digits)
    #expect(before.version?.text == "1.0")
    _ = try before.load(with: loader) { _ in Issue.record("A proven version was tried again.") }
  }

  private static func digitsFiles() throws -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: digits.path) {
      let bytes = FileManager.default.contents(atPath: digits.appending(path: path).path)
      if let bytes, !bytes.isEmpty { files[path] = Array(bytes) }
    }
    return files
  }

  private func flip(_ path: String, at position: Int) throws {
    var bytes = try Data(contentsOf: URL(filePath: path))
    bytes[position] ^= 0x40
    // This writes in place, so that hard links keep sharing the file.
    let file = try FileHandle(forUpdating: URL(filePath: path))
    try file.write(contentsOf: bytes)
    try file.close()
  }
}
#endif
