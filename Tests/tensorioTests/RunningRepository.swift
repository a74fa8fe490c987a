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

/// `tensorio repository serve` on a free port, with a folder of its own, for one test.
final class RunningRepository {
  /// Where it answers: `http://127.0.0.1:PORT`.
  let address: String
  /// The key that its clients trust.
  let key: String
  /// What it keeps.
  var data: String { folder.path + "/data" }

  private let process: ChildProcess
  private let folder: TemporaryFolder
  private let environment: [String: String]

  /// Makes a token for all, and starts the server.
  ///
  /// - Parameters:
  ///   - arguments: Further ones of the server.
  ///   - secrets: Variables of the server, and of nothing else.
  ///   - variables: Further variables of the commands.
  ///   - asksForKey: Whether the key is asked for, which is the first request.
  /// - Throws: When one of them does not work.
  init(
    _ arguments: [String] = [], secrets: [String: String] = [:], variables: [String: String] = [:],
    asksForKey: Bool = true
  ) async throws {
    let folder = try TemporaryFolder()
    self.folder = folder
    let data = folder.path + "/data"
    var environment = [
      "XDG_STATE_HOME": folder.path + "/state", "XDG_CACHE_HOME": folder.path + "/cache",
    ]
    let made = try await CommandRunner.run(
      [
        "repository", "token", "create", "all", "--scope", "admin", "--data", data, "--json",
      ], environment: environment)
    try #require(made.status == 0, "\(made.error)")
    let token = try RepositoryJSON.decode(NewToken.self, from: Data(made.output.utf8))
    environment["TENSORIO_REPOSITORY_TOKEN"] = token.secret
    let all = ProcessInfo.processInfo.environment.merging(environment) { _, own in own }
      .merging(secrets) { _, own in own }
    process = try ChildProcess(
      CommandRunner.binary.path,
      ["repository", "serve", "--data", data, "--port", "0"] + arguments,
      environment: all)
    let line = String(decoding: process.output.availableData, as: UTF8.self)
    let text = line.replacing("Repository: ", with: "").trimmingCharacters(in: .newlines)
    address = text.hasSuffix("/") ? String(text.dropLast()) : text
    try #require(address.hasPrefix("http"), "\(line)")
    environment["TENSORIO_REPOSITORY"] = address
    environment.merge(variables) { _, new in new }
    self.environment = environment
    guard asksForKey else {
      key = ""
      return
    }
    let keys = try await CommandRunner.run(
      ["repository", "keys", "--json"], environment: environment)
    key = try #require(
      try RepositoryJSON.decode(KeyList.self, from: Data(keys.output.utf8)).keys.first?.key,
      "\(keys.error)")
  }

  deinit {
    kill(process.identifier, SIGKILL)
    _ = process.wait()
  }

  /// Runs `tensorio repository` with its address and token; it must end with a status.
  @discardableResult
  func run(
    _ arguments: String..., status: Int32 = 0, location: SourceLocation = #_sourceLocation
  ) async throws -> (output: String, error: String) {
    try await run(arguments, status: status, location: location)
  }

  /// Runs `tensorio repository` with its address and token; it must end with a status.
  @discardableResult
  func run(
    _ arguments: [String], status: Int32 = 0, without variables: Set<String> = [],
    location: SourceLocation = #_sourceLocation
  ) async throws -> (output: String, error: String) {
    let result = try await CommandRunner.run(
      ["repository"] + arguments,
      environment: environment.filter { !variables.contains($0.key) }.mapValues(Optional.some))
    #expect(
      result.status == status, "\(arguments): \(result.output)\(result.error)",
      sourceLocation: location)
    return (result.output, result.error)
  }

  /// Downloads a model as one of a program's installations does.
  ///
  /// - Returns: The version that it has then.
  func pull(
    _ model: String, as installation: String = "one", into output: String
  ) async throws -> String {
    let (text, _) = try await run(
      "pull", model, "--key", key, "-o", output, "--force", "--installation-id", installation,
      "--json")
    guard case .object(let members) = try JSONValue(parsing: Data(text.utf8)),
      case .string(let version)? = members["version"]
    else { return "" }
    return version
  }

  /// Sends the server a signal, and waits for its end.
  func end(with signal: Int32) async -> Int32 {
    kill(process.identifier, signal)
    return await process.finish().status
  }
}
#endif
