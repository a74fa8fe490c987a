// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import ArgumentParser
import Foundation
import ModelCommands
import ModelRepositoryAPI
import ModelRepositoryClient
import WebClient

/// Options for the model repository that Net Runner imports from.
struct NetRunnerRepositoryArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A model repository to import from; TENSORIO_REPOSITORY_TOKEN has its token, if needed.",
      valueName: "address"))
  var repository: String?

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "A trusted key, as printed by 'repository keys'; may be repeated.", valueName: "key"))
  var repositoryKey: [String] = []

  @Option(
    name: [.customLong("repository-root"), .customLong("root")],
    help: ArgumentHelp(
      "A trusted root document instead of keys: a file from the repository's folder 'roots'.",
      valueName: "file"),
    completion: .file())
  var repositoryRoot: String?

  @Option(
    name: [.customLong("repository-ca"), .customLong("ca")],
    help: ArgumentHelp(
      "A PEM file of authorities to trust for the repository, besides the system's.",
      valueName: "file"),
    completion: .file())
  var repositoryAuthorities: String?

  @Option(
    help: ArgumentHelp("The repository's channel (default: stable).", valueName: "channel"),
    transform: Self.channel)
  var repositoryChannel: RepositoryName?

  private static func channel(_ word: String) throws -> RepositoryName {
    guard let name = RepositoryName(word) else {
      throw ValidationError("'\(word)' isn't a valid channel name.")
    }
    return name
  }

  func validate() throws {
    let others: [String?] = [
      repositoryKey.first, repositoryRoot, repositoryAuthorities, repositoryChannel?.text,
    ]
    try checkUsage(
      repository != nil || others.allSatisfy({ $0 == nil }),
      "--repository-key, --repository-root, --repository-ca and --repository-channel need "
        + "--repository.")
    try checkUsage(
      repository == nil || repositoryKey.isEmpty != (repositoryRoot == nil),
      "Pass a key that signs the repository's documents with --repository-key, or a root "
        + "document with --repository-root.")
    _ = try keys()
  }

  private func keys() throws -> [VerificationKey] {
    do {
      return try repositoryKey.map { try VerificationKey($0) }
    } catch {
      throw ValidationError("\(error)")
    }
  }

  /// Returns the repository's configuration, or nil if no repository is given.
  func configuration() throws -> ModelRepositoryConfiguration? {
    guard let repository else { return nil }
    let channel = repositoryChannel ?? .stable
    var configuration = ModelRepositoryConfiguration(
      server: repository, keys: try keys(),
      folder: RepositoryCache.folder(server: repository, channel: channel))
    configuration.root = try repositoryRoot.map(SignedDocument.init(ofRootFile:))
    configuration.certificateAuthorities = repositoryAuthorities
    configuration.connectTimeout = .seconds(ConnectionFault.connectSeconds)
    configuration.failsFast = true
    configuration.channel = channel
    let token = ProcessInfo.processInfo.environment["TENSORIO_REPOSITORY_TOKEN"]
    configuration.token = token.flatMap { $0.isEmpty ? nil : $0 }
    return configuration
  }
}
#endif
