// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import ModelRepositoryAPI
import ModelRepositoryClient

/// The repository that Net Runner imports from.
struct NetRunnerRepositoryArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A model repository to import from; TENSORIO_REPOSITORY_TOKEN is its token, if it wants one.",
      valueName: "address"))
  var repository: String?

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "A key that is trusted, as 'repository keys' prints it; may be repeated.", valueName: "key"))
  var repositoryKey: [String] = []

  @Option(help: ArgumentHelp("The repository's channel; stable unless told.", valueName: "channel"))
  var repositoryChannel: RepositoryName?

  func validate() throws {
    guard repository != nil || (repositoryKey.isEmpty && repositoryChannel == nil) else {
      throw ValidationError("--repository-key and --repository-channel belong to --repository.")
    }
    guard repository == nil || !repositoryKey.isEmpty else {
      throw ValidationError("--repository-key is missing: whose signature is good?")
    }
    _ = try configuration()
  }

  /// What Net Runner is told; nil without a repository.
  func configuration() throws -> ModelRepositoryConfiguration? {
    guard let repository else { return nil }
    let channel = repositoryChannel ?? .stable
    let keys: [VerificationKey]
    do {
      keys = try repositoryKey.map { try VerificationKey($0) }
    } catch {
      throw ValidationError("\(error)")
    }
    var configuration = ModelRepositoryConfiguration(
      server: repository, keys: keys,
      folder: RepositoryCache.folder(server: repository, channel: channel))
    configuration.channel = channel
    let token = ProcessInfo.processInfo.environment["TENSORIO_REPOSITORY_TOKEN"]
    configuration.token = token.flatMap { $0.isEmpty ? nil : $0 }
    return configuration
  }
}
