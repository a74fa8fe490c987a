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

/// `tensorio repository serve` on a free port with its own folder, for one test.
final class RunningRepository {
  /// The server's address: `http://127.0.0.1:PORT`.
  let address: String
  /// The key that clients trust; empty if it wasn't requested.
  let key: String
  /// The repository's folder.
  var data: String { folder.path + "/data" }

  private let process: ChildProcess
  private let folder: TemporaryFolder
  private let environment: [String: String]

  /// Creates a token with every permission and starts the server.
  ///
  /// - Parameters:
  ///   - arguments: Further arguments of the server.
  ///   - secrets: Environment variables that only the server gets.
  ///   - variables: Further environment variables for the commands.
  ///   - asksForKey: Whether to request the server's key, which is the first request.
  /// - Throws: An error if a command fails or the server doesn't start.
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

  /// Runs `tensorio repository` with the server's address and token, and checks the exit status.
  @discardableResult
  func run(
    _ arguments: String..., status: Int32 = 0, location: SourceLocation = #_sourceLocation
  ) async throws -> (output: String, error: String) {
    try await run(arguments, status: status, location: location)
  }

  /// Runs `tensorio repository` with the server's address and token, and checks the exit status.
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

  /// Pulls a model as one of a program's installations.
  ///
  /// - Returns: The version that the installation has afterwards.
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

  /// Sends the server a signal, waits for it to end, and returns its exit status.
  func end(with signal: Int32) async -> Int32 {
    kill(process.identifier, signal)
    return await process.finish().status
  }
}
#endif
