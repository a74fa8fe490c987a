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

/// The repository as people use it: on the command line and over HTTP.
@Suite struct RepositoryCommandTests {
  private static let digits = CommandRunner.packageFolder.path + "/Demo/digits.tiobundle"
  private static let int8 = CommandRunner.packageFolder.path + "/Demo/digits-int8.tiobundle"
  private static let image = CommandRunner.packageFolder.path + "/Demo/images/digit-7-01.png"

  @Test func `a model can be published, pulled, rolled back and withdrawn`() async throws {
    let repository = try await RunningRepository()
    let folder = try TemporaryFolder()
    try await repository.run(
      "push", Self.digits, "--model", "digits", "--as", "1.0", "--channel", "stable")
    #expect(try await repository.pull("digits", into: folder.path) == "1.0")
    let pulled = folder.path + "/digits.tiobundle"
    // The model is for everybody, unlike the cache.
    func permissions(_ path: String) throws -> Int {
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      return try #require(attributes[.posixPermissions] as? Int)
    }
    let usual = try permissions(folder.path)
    #expect(try permissions(pulled) == usual)
    #expect(try permissions(pulled + "/model.json") == usual & 0o666)
    let answers = try await [Self.digits, pulled].asyncMap {
      try await CommandRunner.run(["run", $0, Self.image, "--top", "3"]).output
    }
    #expect(answers[0] == answers[1] && answers[0].contains("seven"))
    #expect(
      try FileSystem.read(pulled + "/model.json") == FileSystem.read(Self.digits + "/model.json"))

    // Publishing the same version again changes nothing; another model as this version is refused.
    try await repository.run("push", Self.digits, "--model", "digits", "--as", "1.0")
    let (_, refusal) = try await repository.run(
      "push", Self.int8, "--model", "digits", "--as", "1.0", status: 65)
    #expect(refusal.contains("1.0"))

    try await repository.run("push", Self.int8, "--model", "digits", "--as", "2.0")
    #expect(try await repository.pull("digits", into: folder.path) == "1.0")
    try await repository.run("channel", "digits", "--set", "2.0")
    #expect(try await repository.pull("digits", into: folder.path) == "2.0")
    try await repository.run("rollback", "digits")
    #expect(try await repository.pull("digits", into: folder.path) == "1.0")
    try await repository.run("withdraw", "digits", "1.0", status: 65)
    try await repository.run("withdraw", "digits", "2.0")
    try await repository.run("channel", "digits", "--set", "2.0", status: 65)
    let (versions, _) = try await repository.run("versions", "digits", "--json")
    let list = try RepositoryJSON.decode(VersionList.self, from: Data(versions.utf8)).versions
    #expect(list.map(\.version.text).sorted() == ["1.0", "2.0"])
    #expect(list.filter(\.isWithdrawn).map(\.version.text) == ["2.0"])
    #expect(await repository.end(with: SIGTERM) == 0)
  }

  @Test func `a model that exceeds the quota is refused before it is sent`() async throws {
    let repository = try await RunningRepository(["--quota", "1"])
    let folder = try TemporaryFolder()
    let bundle = folder.path + "/large.tiobundle"
    try FileManager.default.copyItem(atPath: Self.digits, toPath: bundle)
    try Data(count: 2_000_000).write(to: URL(filePath: bundle + "/weights.bin"))
    let (_, refusal) = try await repository.run(
      "push", bundle, "--model", "large", "--as", "1.0", status: 65)
    #expect(refusal.contains("there is no space for 2000000 more"), "\(refusal)")
    // Nothing of it is left that counts.
    try await repository.run("push", Self.digits, "--model", "digits", "--as", "1.0")
  }

  @Test(arguments: [
    ("--port", "65536", "0 to 65535"), ("--quota", "0", "1 to 1000000000 megabytes"),
    ("--document-days", "401", "1 to 400 days"), ("--reserve", "1000001", "0 to 1000000 megabytes"),
  ])
  func `a number that the server can't use is an error`(
    option: String, value: String, range: String
  ) async throws {
    let folder = try TemporaryFolder()
    let result = try await CommandRunner.run([
      "repository", "serve", "--data", folder.path + "/data", option, value,
    ])
    #expect(result.status == 64)
    #expect(result.error.contains("\(option) takes \(range), got \(value)."), "\(result.error)")
  }

  @Test func `a rollout reaches its share and can be ramped, paused and promoted`() async throws {
    let repository = try await RunningRepository()
    let folder = try TemporaryFolder()
    try await repository.run(
      "push", Self.digits, "--model", "digits", "--as", "1.0", "--channel", "stable")
    try await repository.run("push", Self.int8, "--model", "digits", "--as", "2.0")
    let (started, _) = try await repository.run(
      "rollout", "start", "digits", "2.0", "--percent", "20", "--json")
    let document = try RepositoryJSON.decode(ChannelDocument.self, from: Data(started.utf8))
    let salt = try #require(document.experiment?.salt)
    func bucket(_ id: String) -> Int { RolloutBucket.number(of: id, salt: salt) }
    let ids = (0..<1000).map { "device-\($0)" }
    let first = try #require(ids.first { bucket($0) < 2000 })
    let second = try #require(ids.first { (2000..<4000).contains(bucket($0)) })
    let last = try #require(ids.first { bucket($0) >= 4000 })
    func versions() async throws -> [String] {
      try await [first, second, last].asyncMap {
        try await repository.pull("digits", as: $0, into: folder.path + "/" + $0)
      }
    }
    #expect(try await versions() == ["2.0", "1.0", "1.0"])
    try await repository.run("rollout", "start", "digits", "2.0", "--percent", "5", status: 64)
    try await repository.run("rollout", "ramp", "digits", "--percent", "40")
    #expect(try await versions() == ["2.0", "2.0", "1.0"])
    try await repository.run("rollout", "pause", "digits")
    try await repository.run("rollout", "ramp", "digits", "--percent", "100", status: 64)
    try await repository.run("rollout", "resume", "digits")
    try await repository.run("rollout", "promote", "digits")
    #expect(try await versions() == ["2.0", "2.0", "2.0"])
    try await repository.run("rollout", "promote", "digits", status: 64)
  }

  @Test func `each variant has its own parameters`() async throws {
    let repository = try await RunningRepository()
    try await repository.run(
      "push", Self.digits, "--model", "digits", "--as", "1.0", "--channel", "stable")
    let (text, _) = try await repository.run(
      "variants", "digits", "--arm", "v1=1.0:1", "--arm", "v1.0=1.0:49", "--arm", "b=1.0:50",
      "--parameter", "v1.0.limit=0.4", "--parameter", "v1.limit=0.4", "--parameter", "b.limit=0.6",
      "--json")
    let document = try RepositoryJSON.decode(ChannelDocument.self, from: Data(text.utf8))
    let counts = Dictionary(
      grouping: (0..<1000).map { document.assignment(for: "device-\($0)").parameters["limit"] },
      by: { $0 }
    ).mapValues(\.count)
    #expect(counts.count == 2 && counts.values.allSatisfy { abs($0 - 500) < 80 }, "\(counts)")
  }

  @Test func `a blob that was changed on the server's disk is found and never installed`()
    async throws
  {
    let repository = try await RunningRepository()
    let folder = try TemporaryFolder()
    try await repository.run(
      "push", Self.digits, "--model", "digits", "--as", "1.0", "--channel", "stable")
    #expect(try await repository.pull("digits", into: folder.path) == "1.0")
    // A blob that the server doesn't keep in memory.
    let (next, table) = (folder.path + "/next.tiobundle", "/assets/table")
    try FileManager.default.copyItem(atPath: Self.int8, toPath: next)
    try FileManager.default.createDirectory(
      atPath: next + "/assets", withIntermediateDirectories: true)
    try Data(repeating: 7, count: 100_000).write(to: URL(filePath: next + table))
    try await repository.run("push", next, "--model", "digits", "--as", "2.0")
    try await repository.run("channel", "digits", "--set", "2.0")
    try await repository.run("verify", "digits", "--key", repository.key)
    try Self.flipBlob(in: repository.data, like: next + table)
    let (found, _) = try await repository.run(
      "verify", "digits", "--key", repository.key, status: 65)
    #expect(found.contains("1 faults"))
    let before = try FileSystem.read(folder.path + "/digits.tiobundle/model.tflite")
    let (_, refusal) = try await repository.run(
      "pull", "digits", "--key", repository.key, "-o", folder.path, "--force",
      "--installation-id", "one", status: 65)
    #expect(refusal.contains("sha256"), "\(refusal)")
    #expect(try FileSystem.read(folder.path + "/digits.tiobundle/model.tflite") == before)
    #expect(await repository.end(with: SIGTERM) == 0)
    try await repository.run("fsck", "--data", repository.data, "--rehash", status: 65)
  }

  @Test func `a backup can be restored and has no private keys`() async throws {
    let repository = try await RunningRepository()
    let folder = try TemporaryFolder()
    try await repository.run(
      "push", Self.digits, "--model", "digits", "--as", "1.0", "--channel", "stable")
    // Only the server may open the folder while it runs, but a backup can be made.
    let (_, locked) = try await repository.run("fsck", "--data", repository.data, status: 65)
    #expect(locked.contains(repository.data))
    let backup = folder.path + "/backup"
    try await repository.run("backup", "--data", repository.data, backup)
    try await repository.run("backup", "--data", repository.data, backup, status: 65)
    #expect(await repository.end(with: SIGTERM) == 0)
    try await repository.run("backup", "--data", repository.data, backup + "-2")
    // The signing keys aren't in it.
    #expect(try FileSystem.contents(of: backup + "/keys").isEmpty)
    let (_, hint) = try await repository.run(
      "restore", backup, "--data", folder.path + "/without")
    #expect(hint.contains("/without/keys"))
    try await repository.run(
      "restore", backup, "--keys", repository.data + "/keys", "--data", folder.path + "/new")
    try await repository.run("fsck", "--data", folder.path + "/new", "--rehash")
    let keys = try await repository.run("keys", "--data", folder.path + "/new", "--json").output
    #expect(keys.contains(repository.key))
  }

  @Test func `an unknown key, a wrong token and a missing model are refused`() async throws {
    let repository = try await RunningRepository()
    let folder = try TemporaryFolder()
    try await repository.run(
      "push", Self.digits, "--model", "digits", "--as", "1.0", "--channel", "stable")
    let other = SigningKey().verificationKey.text
    let (_, untrusted) = try await repository.run(
      "pull", "digits", "--key", other, "-o", folder.path, status: 65)
    #expect(untrusted.contains("no valid signature"))
    try await repository.run(
      "push", Self.int8, "--model", "digits", "--as", "2.0", "--token", "wrong", status: 65)
    try await repository.run(
      "pull", "cats", "--key", repository.key, "-o", folder.path, status: 66)
    try await repository.run("fsck", "--data", folder.path + "/typo", status: 66)
    try await repository.run("keys", "--data", folder.path + "/typo", status: 66)
    try await repository.run(
      "variants", "digits", "--arm", "a=1.0:50", "--parameter", "=", status: 64)
    try await repository.run("models", "--server", "http://models.example.com", status: 65)
    try await repository.run("push", "nowhere", "--model", "x", "--as", "1", status: 66)
    try await repository.run("push", Self.digits, "--model", "../x", "--as", "1", status: 64)
    #expect(try FileSystem.contents(of: folder.path).isEmpty)
  }

  @Test(
    .enabled(if: Python.path != nil, "TENSORIO_PYTHON isn't set; see Tools/requirements.txt."))
  func `killed servers, publishers and clients lose nothing`() async throws {
    let seen = try await Python.run(
      ["Tools/peers/kill_repository.py", CommandRunner.binary.path, "--count", "24"])
    #expect(seen.contains("kills"))
  }

  /// Changes a bit of the blob with the contents of a file.
  private static func flipBlob(in data: String, like file: String) throws {
    let digest = BlobDigest(of: try FileSystem.read(file)).hexadecimal
    let path = "\(data)/blobs/sha256/\(digest.prefix(2))/\(digest)"
    var bytes = try FileSystem.read(path)
    bytes[bytes.count / 2] ^= 1
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    try bytes.write(to: URL(filePath: path))
  }
}

extension Array {
  fileprivate func asyncMap<Result>(
    _ transform: (Element) async throws -> Result
  ) async rethrows -> [Result] {
    var results: [Result] = []
    for element in self { results.append(try await transform(element)) }
    return results
  }
}
#endif
