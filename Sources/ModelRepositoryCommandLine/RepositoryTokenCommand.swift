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

/// What administrators do with a folder on this machine as with a server.
protocol AdministeredRepository: Sendable {
  func makeToken(_ request: TokenRequest) async throws -> NewToken
  func tokens() async throws -> [TokenRecord]
  func revokeToken(_ id: String) async throws
  func collectGarbage() async throws -> CollectionReport
}

extension RepositoryStore: AdministeredRepository {}

extension ModelRepositoryPublisher: AdministeredRepository {}

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
    @Option(help: DataFolderArguments.help, completion: .directory)
    var data: String?

    @OptionGroup var output: ServerOutputArguments

    /// Opens the folder if one was given, and otherwise connects to the server.
    ///
    /// Only a command that creates a repository accepts a missing folder.
    func repository(createsIt: Bool = false) throws -> any AdministeredRepository {
      guard let data else { return try output.server.publisher() }
      if !createsIt { try DataFolderArguments.requireRepository(data) }
      return try RepositoryStore(ModelRepositoryOptions(dataFolder: data))
    }
  }

  struct Create: WaitingCommand {
    static let configuration = CommandConfiguration(
      abstract: "Create a token. Its secret is only shown once.")

    @Argument(help: "A name for people.")
    var name: String

    @Option(parsing: .singleValue, help: "What the token allows; may be repeated.")
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

    func work() async throws {
      let request = TokenRequest(
        name: name, scopes: scope, models: model.isEmpty ? nil : model,
        expires: days.map { Date.now.addingTimeInterval(Double($0) * 24 * 3600) })
      let made = try await location.repository(createsIt: true).makeToken(request)
      if location.output.json { return try Console.printJSON(made) }
      Console.printData(made.secret)
      Console.printMessage("Save this token, because it isn't shown again.")
    }
  }

  struct List: WaitingCommand {
    static let configuration = CommandConfiguration(abstract: "List the tokens.")

    @OptionGroup var location: Location

    func work() async throws {
      let tokens = try await location.repository().tokens()
      if location.output.json { return try Console.printJSON(TokenList(tokens: tokens)) }
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

  struct Revoke: WaitingCommand {
    static let configuration = CommandConfiguration(abstract: "Revoke a token.")

    @Argument(help: "The token's id, from 'token list'.")
    var id: String

    @OptionGroup var location: Location

    func work() async throws {
      try await location.repository().revokeToken(id)
    }
  }
}
#endif
