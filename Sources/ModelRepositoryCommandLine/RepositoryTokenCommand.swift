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
import ModelRepositoryServer
import ModelTools
import TensorIO
import TensorIOCommandLine

/// The command `tensorio repository token`.
struct RepositoryTokenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token", abstract: "Create, list and revoke tokens.",
    discussion: """
      With --data, the folder of a repository on this machine is changed directly. Create the \
      first token this way, with the scope admin. While a server is running, leave --data out. The \
      command then asks the server, which needs a token with the scope admin.
      """,
    subcommands: [Create.self, List.self, Revoke.self])

  /// The options for a repository on this machine or a server.
  struct Location: ParsableArguments {
    @Option(
      help: ArgumentHelp("The repository's folder on this machine.", valueName: "folder"),
      completion: .directory)
    var data: String?

    @OptionGroup var server: RepositoryServerArguments

    @Flag(help: "Print JSON.")
    var json = false

    /// Runs the first closure on the folder if one was given, and the second on the server
    /// otherwise.
    ///
    /// Only a command that creates a repository accepts a missing folder.
    func ask<Answer: Sendable>(
      createsRepository: Bool = false,
      _ store: @escaping @Sendable (RepositoryStore) async throws -> Answer,
      _ publisher: @escaping @Sendable (ModelRepositoryPublisher) async throws -> Answer
    ) async throws -> Answer {
      guard let data else { return try await publisher(server.publisher()) }
      if !createsRepository { try DataFolderArguments.requireRepository(data) }
      return try await store(RepositoryStore(ModelRepositoryOptions(dataFolder: data)))
    }
  }

  struct Create: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Create a token. Its secret is only shown once.")

    @Argument(help: "A name for people.")
    var name: String

    @Option(parsing: .singleValue, help: "read, publish, rollout or admin; may be repeated.")
    var scope: [TokenScope]

    @Option(
      parsing: .singleValue,
      help: ArgumentHelp(
        "The models that the token is valid for; * matches any characters (default: all).",
        valueName: "pattern"))
    var model: [String] = []

    @Option(help: "How many days the token is valid (default: no expiry).")
    var days: Int?

    @OptionGroup var location: Location

    func validate() throws {
      guard (1...36_500).contains(days ?? 1) else {
        throw ValidationError("--days takes 1 to 36500.")
      }
    }

    func run() throws {
      try BlockingTask.run { [self] in
        let request = TokenRequest(
          name: name, scopes: scope, models: model.isEmpty ? nil : model,
          expires: days.map { Date.now.addingTimeInterval(Double($0) * 24 * 3600) })
        let made = try await location.ask(
          createsRepository: true,
          { try await $0.makeToken(request) }, { try await $0.makeToken(request) })
        if location.json { return try Console.printJSON(made) }
        Console.printData(made.secret)
        Console.printMessage("Save this token, because it isn't shown again.")
      }
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the tokens.")

    @OptionGroup var location: Location

    func run() throws {
      try BlockingTask.run { [self] in
        let tokens = try await location.ask({ try await $0.tokens() }, { try await $0.tokens() })
        if location.json { return try Console.printJSON(TokenList(tokens: tokens)) }
        var table = TextTable(headings: ["id", "name", "scopes", "models", "expires", "revoked"])
        for token in tokens {
          table.append(
            token.id, token.name, token.scopes.map(\.rawValue).joined(separator: " "),
            token.models.joined(separator: " "), token.expires?.text ?? "",
            token.revoked?.text ?? "")
        }
        Console.printTable(table)
      }
    }
  }

  struct Revoke: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Revoke a token.")

    @Argument(help: "The token's id, from 'token list'.")
    var id: String

    @OptionGroup var location: Location

    func run() throws {
      try BlockingTask.run { [self] in
        try await location.ask({ try await $0.revokeToken(id) }, { try await $0.revokeToken(id) })
      }
    }
  }
}
#endif
