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

/// The command `tensorio repository keys`.
struct RepositoryKeysCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keys",
    abstract: "Print the keys that clients should trust; create and replace keys.",
    discussion: """
      Without a subcommand, the keys that clients should trust are printed. Use --data on the \
      server's own machine, because an attacker who forges documents can also forge keys.

      A repository signs with the keys in its folder 'keys'. Root keys are kept offline. They sign \
      root documents, which tell clients about other keys, so a stolen key can be replaced without \
      updating any program. A running server picks up changes within a second.

      Examples:
        tensorio repository keys create --root /media/usb/root.key --data models-data
        tensorio repository keys rotate --root-key /media/usb/root.key --data models-data
        tensorio repository keys rotate --stolen --root-key /media/usb/root.key --data models-data
      """,
    subcommands: [
      Trusted.self, List.self, RepositoryKeyCreateCommand.self, RepositoryKeyRotateCommand.self,
      RepositoryKeyRetireCommand.self, RepositoryKeyRenewCommand.self,
      RepositoryKeySignCommand.self,
    ], defaultSubcommand: Trusted.self)

  struct Trusted: WaitingCommand {
    static let configuration = CommandConfiguration(
      commandName: "trusted", abstract: "Print the keys that clients should trust (default).")

    @OptionGroup var location: RepositoryTokenCommand.Location

    func work() async throws {
      let (records, root) = try await RepositoryKeysCommand.keys(location)
      let keys = try records.filter {
        root != nil ? $0.role == .root : $0.state == .signing
      }.map { KeyList.Key(try VerificationKey($0.key)) }
      if location.output.json { return try Console.printJSON(KeyList(keys: keys)) }
      for key in keys { Console.printData(key.key) }
      if keys.isEmpty { Console.printMessage("No key exists yet. 'serve' creates one.") }
    }
  }

  struct List: WaitingCommand {
    static let configuration = CommandConfiguration(
      abstract: "List all keys, what they sign, and their files.")

    @OptionGroup var location: RepositoryTokenCommand.Location

    func work() async throws {
      let (records, root) = try await RepositoryKeysCommand.keys(location)
      if location.output.json { return try Console.printJSON(records) }
      var table = TextTable(headings: ["id", "signs", "state", "name", "expires", "key"])
      for record in records {
        table.append(
          record.id, record.role.rawValue, record.state.rawValue, record.name ?? "",
          record.expires?.text ?? "", record.key)
      }
      Console.printTable(table)
      guard let root else {
        return Console.printMessage(
          "No root document, so a stolen key can't be replaced. See: keys create --root")
      }
      Console.printData(root.summary)
    }
  }

  /// Returns the keys and the newest root document of the folder if one was given, and the server's
  /// otherwise.
  private static func keys(
    _ location: RepositoryTokenCommand.Location
  ) async throws -> (records: [KeyRecord], root: RootDocument?) {
    if let data = location.data {
      try DataFolderArguments.requireRepository(data)
      return try (RepositoryKeys.list(data), RepositoryKeys.root(data))
    }
    let publisher = try location.output.server.publisher()
    let signing = try await publisher.keys().map { try VerificationKey($0.key) }
    let root = try await publisher.root()
    // The server's clock decides which keys have expired.
    let records = try RepositoryKeys.records(
      root, signing.map { (name: nil, key: $0) }, at: .distantPast)
    return (records, root)
  }
}

extension RootDocument {
  /// A summary of the document on one line.
  var summary: String {
    "root document \(version): \(root.threshold) of \(root.keys.count) root keys sign, expires "
      + expires.text
  }
}

extension RepositoryKeys {
  /// Reads a private key from a regular file that only its owner may read.
  ///
  /// - Throws: `TensorIOError` for another kind of file, or `RepositoryError` if the file isn't a
  ///   key.
  static func readKey(inFile path: String) throws -> SigningKey {
    if FileManager.default.fileExists(atPath: path) { try FileSystem.requireFile(path) }
    return try readKey(path)
  }
}
#endif
