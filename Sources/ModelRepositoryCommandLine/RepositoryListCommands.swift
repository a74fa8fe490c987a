// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import ArgumentParser
import ModelCommands
import ModelRepositoryAPI
import ModelRepositoryClient
import ModelTools

/// The command `tensorio repository models`.
struct RepositoryModelsCommand: WaitingCommand {
  static let configuration = CommandConfiguration(
    commandName: "models", abstract: "List the models.")

  @OptionGroup var output: ServerOutputArguments

  func work() async throws {
    let models = try await output.server.publisher().models()
    if output.json { return try Console.printJSON(ModelList(models: models)) }
    var table = TextTable(headings: ["model", "versions"])
    for model in models { table.append(model.name.text, "\(model.versions)") }
    Console.printTable(table)
  }
}

/// The command `tensorio repository versions`.
struct RepositoryVersionsCommand: WaitingCommand {
  static let configuration = CommandConfiguration(
    commandName: "versions", abstract: "List the versions of a model, newest first.")

  @Argument(help: "The model.")
  var model: RepositoryName

  @OptionGroup var output: ServerOutputArguments

  func work() async throws {
    let versions = try await output.server.publisher().versions(of: model)
    if output.json { return try Console.printJSON(VersionList(versions: versions)) }
    var table = TextTable(headings: ["version", "number", "size", "published", "", "manifest"])
    for version in versions {
      table.append(
        version.version.text, "\(version.sequence)", version.size.byteText,
        version.published.text, version.isWithdrawn ? "withdrawn" : "",
        version.manifest.digest.description)
    }
    Console.printTable(table)
  }
}

/// The command `tensorio repository withdraw`.
struct RepositoryWithdrawCommand: WaitingCommand {
  static let configuration = CommandConfiguration(
    commandName: "withdraw", abstract: "Withdraw a version, so that clients no longer get it.",
    discussion: """
      A version can't be withdrawn while a channel serves it. Clients that have it keep it, unless \
      the channel's --minimum-safe excludes it.
      """)

  @Argument(help: "The model.")
  var model: RepositoryName

  @Argument(help: "The version.")
  var version: RepositoryName

  @OptionGroup var server: RepositoryServerArguments

  func work() async throws {
    try await server.publisher().withdraw(version, of: model)
  }
}
#endif
