// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import ModelRepositoryAPI
import TensorIO
import TestSupport
import Testing

/// What `tensorio repository pull` installs into a folder.
@Suite(.enabled(if: hasLiteRT, "The LiteRT library is missing; run 'make setup'."))
struct RepositoryPullTests {
  private static let root = CommandRunner.packageFolder.path
  private static let digits = root + "/Demo/digits.tiobundle"

  /// A bundle that takes an image and returns numbers, with a fixture as its model.
  static func bundle(in folder: String, with model: String) throws -> String {
    let path = folder + "/hosted.tiobundle"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    // Net Runner takes only images with three channels, and this model doesn't read its input.
    let oneChannel = Data([4, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0])
    try FileSystem.read(root + "/Tests/Fixtures/\(model).tflite")
      .replacing(oneChannel, with: oneChannel.dropLast(4) + [3, 0, 0, 0])
      .write(to: URL(filePath: path + "/model.tflite"))
    try Data(
      """
      {
        "name": "Hosted", "details": "", "id": "hosted", "version": "2", "author": "", "license": "",
        "model": {"file": "model.tflite", "quantized": false, "backend": "tflite"},
        "inputs": [{"name": "x", "type": "image", "shape": [4, 4, 3], "format": "RGB"}],
        "outputs": [{"name": "y", "type": "array", "shape": [4, 4, 1]}]
      }
      """.utf8
    ).write(to: URL(filePath: path + "/model.json"))
    return path
  }

  /// Whether a message says why the child process ended.
  ///
  /// Beside other tests, a crash may take so long that the child is stopped first.
  private static func tellsOfTheEnd(_ message: String) -> Bool {
    message.contains("ended the process that ran it") || message.contains("didn't respond")
  }

  @Test(arguments: ["Hostile/scale_zero", "Models/crash_on_run"])
  func `a version that fails its trial run is refused, and the previous one stays`(
    _ file: String
  ) async throws {
    let repository = try await RunningRepository()
    let folder = try TemporaryFolder()
    let models = folder.path + "/models"
    let bad = try Self.bundle(in: folder.path, with: file)
    try await repository.run(
      "push", Self.digits, "--model", "digits", "--as", "1.0", "--channel", "stable")
    #expect(try await repository.pull("digits", into: models) == "1.0")
    let before = try FileSystem.read(models + "/digits.tiobundle/model.tflite")
    try await repository.run(
      "push", bad, "--model", "digits", "--as", "2.0", "--channel", "stable", "--no-check")
    let pull = [
      "pull", "digits", "--key", repository.key, "--force", "--installation-id", "one", "-o",
    ]
    // Failing twice quarantines the version; the reason must still be shown.
    for _ in 0..<3 {
      let (_, refusal) = try await repository.run(pull + [models], status: 65)
      #expect(refusal.contains("Version '2.0' of 'digits' was refused"), "\(refusal)")
      #expect(refusal.contains("wasn't changed") && refusal.contains("--no-check"), "\(refusal)")
      #expect(!refusal.contains("/versions/"), "\(refusal)")
      #expect(try FileSystem.read(models + "/digits.tiobundle/model.tflite") == before)
      #expect(try FileSystem.contents(of: models) == ["digits.tiobundle"])
    }
    try await repository.run(pull + [folder.path + "/raw", "--no-check"])
    #expect(
      try FileSystem.read(folder.path + "/raw/digits.tiobundle/model.tflite")
        == FileSystem.read(bad + "/model.tflite"))
    try await repository.run("rollback", "digits")
    #expect(try await repository.pull("digits", into: models) == "1.0")
  }

  @Test func `a bare model file that fails its trial run is refused`() async throws {
    let repository = try await RunningRepository()
    let folder = try TemporaryFolder()
    try await repository.run(
      "push", Self.root + "/Tests/Fixtures/Models/crash_on_run.tflite", "--model", "raw", "--as",
      "1.0", "--channel", "stable", "--no-check")
    let (_, refusal) = try await repository.run(
      "pull", "raw", "--key", repository.key, "-o", folder.path, status: 65)
    #expect(refusal.contains("The model 'raw.tflite'") && Self.tellsOfTheEnd(refusal), "\(refusal)")
    #expect(refusal.contains("Nothing was written to"), "\(refusal)")
    #expect(try folder.contents.isEmpty)
  }

  @Test func `Net Runner refuses a model that crashes its process and keeps running`() async throws
  {
    let repository = try await RunningRepository()
    let folder = try TemporaryFolder()
    let bad = try Self.bundle(in: folder.path, with: "Models/crash_on_run")
    try await repository.run(
      "push", bad, "--model", "hosted", "--as", "1.0", "--channel", "stable", "--no-check")
    let server = try RunningServer([
      "--repository", repository.address, "--repository-key", repository.key,
    ])
    func ask(_ path: String, _ options: String...) async throws -> String {
      let curl = try ChildProcess(
        "/usr/bin/env", ["curl", "-sS", "--max-time", "300", server.address + path] + options)
      return await curl.finish().output
    }
    _ = try await ask(
      "api/v1/imports", "-H", "Content-Type: application/json", "-d",
      #"{"repository_model": "hosted"}"#)
    var jobs = ""
    for _ in 0..<3000 where !jobs.contains(#""failed""#) && !jobs.contains(#""done""#) {
      try await Task.sleep(for: .milliseconds(100))
      jobs = try await ask("api/v1/imports")
    }
    #expect(Self.tellsOfTheEnd(jobs), "\(jobs)")
    let models = try await ask("api/v1/models")
    #expect(models.contains(#""digits""#) && !models.contains(#""hosted""#), "\(models)")
    // The shared cache doesn't record the version as good.
    let (_, refusal) = try await repository.run(
      "pull", "hosted", "--key", repository.key, "-o", folder.path + "/pulled", status: 65)
    #expect(Self.tellsOfTheEnd(refusal), "\(refusal)")
  }

  @Test func `installations on one computer keep their versions during a paused rollout`()
    async throws
  {
    let repository = try await RunningRepository()
    let folder = try TemporaryFolder()
    let int8 = Self.root + "/Demo/digits-int8.tiobundle"
    try await repository.run(
      "push", Self.digits, "--model", "digits", "--as", "1.0", "--channel", "stable")
    try await repository.run("push", int8, "--model", "digits", "--as", "2.0")
    let (started, _) = try await repository.run(
      "rollout", "start", "digits", "2.0", "--percent", "20", "--json")
    let document = try RepositoryJSON.decode(ChannelDocument.self, from: Data(started.utf8))
    let salt = try #require(document.experiment?.salt)
    let ids = (0..<1000).map { "device-\($0)" }
    let inside = try #require(ids.first { RolloutBucket.number(of: $0, salt: salt) < 2000 })
    let outside = try #require(ids.first { RolloutBucket.number(of: $0, salt: salt) >= 2000 })
    func versions() async throws -> [String] {
      var versions: [String] = []
      for id in [inside, outside] {
        versions.append(try await repository.pull("digits", as: id, into: folder.path + "/" + id))
      }
      return versions
    }
    #expect(try await versions() == ["2.0", "1.0"])
    try await repository.run("rollout", "pause", "digits")
    for _ in 0..<2 { #expect(try await versions() == ["2.0", "1.0"]) }
    // Members keep their version, and the others don't join through the shared cache.
    let model = folder.path + "/\(inside)/digits.tiobundle/model.tflite"
    #expect(try FileSystem.read(model) == FileSystem.read(int8 + "/model.tflite"))
  }

  @Test func `leftovers of killed pulls are removed, and folders of running pulls stay`()
    async throws
  {
    let repository = try await RunningRepository()
    let folder = try TemporaryFolder()
    try await repository.run(
      "push", Self.digits, "--model", "digits", "--as", "1.0", "--channel", "stable")
    let names = ["dead", "alive"].map { ".tensorio-pull-\($0)" }
    for name in names {
      try FileManager.default.createDirectory(
        atPath: folder.path + "/\(name)/digits.tiobundle", withIntermediateDirectories: true)
    }
    let descriptor = open(folder.path + "/" + names[1], O_RDONLY | O_CLOEXEC)
    try #require(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    #expect(try await repository.pull("digits", into: folder.path) == "1.0")
    #expect(try folder.contents == [names[1], "digits.tiobundle"])
    close(descriptor)
    #expect(try await repository.pull("digits", into: folder.path) == "1.0")
    #expect(try folder.contents == ["digits.tiobundle"])
  }
}
#endif
