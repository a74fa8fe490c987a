// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import TensorIO
import TestSupport
import Testing

@testable import ModelRepositoryAPI

/// Federated rounds as people run them: a server and clients that are processes of their own.
@Suite(.enabled(if: hasLiteRT, "The LiteRT library isn't installed."), .timeLimit(.minutes(15)))
struct RoundCommandTests {
  private static let bundle =
    CommandRunner.packageFolder.path + "/Tests/Fixtures/Federated/points.tiobundle"

  /// The folder of the commands' cache and state.
  private let home: TemporaryFolder

  init() throws { home = try TemporaryFolder() }

  /// Returns lines with points around the corners of a triangle.
  private func points(_ count: Int, seed: UInt64, labels: Bool = false) -> String {
    var random = SplitMix64(seed: seed)
    func noise() -> Double { Double.random(in: -0.3...0.3, using: &random) }
    let corners = [(1.0, 0.0), (-0.5, 0.9), (-0.5, -0.9)]
    return (0..<count).map { index in
      let corner = corners[index % 3]
      let x = "[\(corner.0 + noise()), \(corner.1 + noise())]"
      if labels {
        return #"{"x": \#(x), "y": [0, 0, 0], "label": "\#(["a", "b", "c"][index % 3])"}"#
      }
      let y = (0..<3).map { $0 == index % 3 ? "1" : "0" }.joined(separator: ", ")
      return #"{"x": \#(x), "y": [\#(y)]}"#
    }.joined(separator: "\n") + "\n"
  }

  private func write(_ text: String, to path: String) throws -> String {
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  /// A server's process and its address.
  private struct Server {
    let process: ChildProcess
    let address: String

    init(_ data: String) throws {
      // Nobody reads the log, which would fill its pipe and then block the server.
      process = try ChildProcess(
        "/bin/sh",
        [
          "-c", #"exec "$0" "$@" 2> /dev/null"#, CommandRunner.binary.path, "repository", "serve",
          "--data", data, "--port", "0",
        ], environment: ProcessInfo.processInfo.environment)
      let line = String(decoding: process.output.availableData, as: UTF8.self)
      let text = line.replacing("Repository: ", with: "").trimmingCharacters(in: .newlines)
      address = text.hasSuffix("/") ? String(text.dropLast()) : text
      try #require(address.hasPrefix("http"), "\(line)")
    }

    func end() async {
      kill(process.identifier, SIGKILL)
      _ = await process.finish()
    }
  }

  @discardableResult
  private func run(
    _ arguments: String..., at server: Server, token: String, status: Int32 = 0,
    location: SourceLocation = #_sourceLocation
  ) async throws -> String {
    let result = try await CommandRunner.run(
      ["repository"] + arguments,
      environment: [
        "TENSORIO_REPOSITORY": server.address, "TENSORIO_REPOSITORY_TOKEN": token,
        "XDG_STATE_HOME": home.path, "XDG_CACHE_HOME": home.path,
      ])
    #expect(
      result.status == status, "\(arguments): \(result.output)\(result.error)",
      sourceLocation: location)
    return result.output
  }

  private func makeToken(_ scope: String, in data: String) async throws -> String {
    let made = try await CommandRunner.run([
      "repository", "token", "create", "t", "--scope", scope, "--data", data, "--json",
    ])
    return try RepositoryJSON.decode(NewToken.self, from: Data(made.output.utf8)).secret
  }

  /// Waits until the round is in a state, and returns it.
  private func status(
    at server: Server, _ token: String, when isReached: (RoundStatus) -> Bool
  ) async throws -> RoundStatus {
    let found = try await eventually {
      if isReached(try await status(at: server, token)) { return true }
      try await Task.sleep(for: .milliseconds(500))
      return false
    }
    #expect(found)
    return try await status(at: server, token)
  }

  private func status(at server: Server, _ token: String) async throws -> RoundStatus {
    let text = try await run(
      "federated", "status", "points", "r", "--json", at: server, token: token)
    return try RepositoryJSON.decode(RoundStatus.self, from: Data(text.utf8))
  }

  @Test
  func `a round ends although clients and the server are killed, and its average is rolled out`()
    async throws
  {
    let folder = try TemporaryFolder()
    let data = folder.path + "/data"
    let admin = try await makeToken("admin", in: data)
    var clients: [String] = []
    for _ in 0..<10 { clients.append(try await makeToken("train", in: data)) }
    var server = try Server(data)
    try await run(
      "push", Self.bundle, "--model", "points", "--as", "1.0", "--channel", "stable", at: server,
      token: admin)
    let keys = try await run("keys", "--json", at: server, token: admin)
    let key = try #require(
      try RepositoryJSON.decode(KeyList.self, from: Data(keys.utf8)).keys.first?.key)
    // Otherwise, every client would find out what is missing.
    try await run(
      "federated", "create", "points", "wrong", "--base", "1.0", "--deadline", "100", "--minimum",
      "7", "--clip", "1", at: server, token: admin, status: 65)
    try await run(
      "federated", "create", "points", "wrong", "--base", "1.0", "--deadline", "100", "--minimum",
      "7", "--clip", "1", "--placeholder", "rate=0.5", "--placeholder", "nope=1", at: server,
      token: admin, status: 65)
    try await run(
      "federated", "create", "points", "r", "--base", "1.0", "--deadline", "100", "--minimum", "7",
      "--epochs", "200", "--batch-size", "8", "--placeholder", "rate=0.5", "--clip", "50",
      at: server, token: admin)

    // Three clients are killed while they train, which takes them much longer than the others.
    let large = try write(points(6_000, seed: 99), to: folder.path + "/large.jsonl")
    let victims = try (0..<3).map { index in
      try ChildProcess(
        CommandRunner.binary.path,
        ["repository", "federated", "join", "points", "r", "--key", key, "--data", large],
        environment: ProcessInfo.processInfo.environment.merging([
          "TENSORIO_REPOSITORY": server.address, "TENSORIO_REPOSITORY_TOKEN": clients[index],
          "XDG_CACHE_HOME": home.path,
        ]) { _, new in new })
    }
    _ = try await status(at: server, admin) { $0.enrolled == 3 }
    for victim in victims { kill(victim.identifier, SIGKILL) }
    for victim in victims { #expect(await victim.finish().status == SIGKILL) }

    for index in 3..<10 {
      if index == 7 {
        // The server is killed in the middle of the round. Nothing that it accepted is lost.
        await server.end()
        server = try Server(data)
        let found = try await status(at: server, admin)
        #expect(found.updates == 4 && found.enrolled == 7 && found.state == .open)
      }
      let own = try write(
        points(24 + index, seed: UInt64(index)), to: folder.path + "/\(index).jsonl")
      let text = try await run(
        "federated", "join", "points", "r", "--key", key, "--data", own, "--json", at: server,
        token: clients[index])
      #expect(text.contains(#""ending":"completed","examples":\#(24 + index)"#), "\(text)")
    }
    // A client sends one update, and a stranger's key is not trusted.
    let own = folder.path + "/3.jsonl"
    try await run(
      "federated", "join", "points", "r", "--key", key, "--data", own, at: server,
      token: clients[3], status: 65)
    try await run(
      "federated", "join", "points", "r", "--key", SigningKey().verificationKey.text, "--data",
      own, at: server, token: clients[0], status: 65)

    let ended = try await status(at: server, admin) { ![.open, .averaging].contains($0.state) }
    #expect(ended.state == .finished && ended.updates == 7 && ended.enrolled == 10)

    let held = try write(points(60, seed: 5, labels: true), to: folder.path + "/held.jsonl")
    try await run(
      "federated", "finish", "points", "r", "--as", "1.1", "--dataset", held, "--require",
      "top1>=1.01", at: server, token: admin, status: 1)
    let finished = try await run(
      "federated", "finish", "points", "r", "--as", "1.1", "--dataset", held, "--require",
      "top1>=0.95", "--keep", "top1=0.01", at: server, token: admin)
    #expect(finished.contains("published  points  1.1  sequence 2"))
    try await run(
      "rollout", "start", "points", "1.1", "--percent", "100", at: server, token: admin)
    try await run(
      "pull", "points", "--key", key, "-o", folder.path + "/pulled", at: server, token: admin)
    let answer = try await CommandRunner.run([
      "run", folder.path + "/pulled/points.tiobundle", #"{"x": [-0.5, 0.9]}"#, "--top", "1",
    ])
    #expect(answer.status == 0 && answer.output.contains("b"), "\(answer)")
    await server.end()
  }
}
#endif
