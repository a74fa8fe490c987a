// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import ArgumentParser
import Foundation
import ModelCommands
import ModelRepositoryAPI
import ModelRepositoryServer
import TensorIO

/// The options for signing the next root document.
struct RootCeremonyArguments: ParsableArguments {
  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "The file of a root key to sign with; may be repeated. Others can sign later: 'keys sign'.",
      valueName: "file"),
    completion: .file())
  var rootKey: [String] = []

  @Option(
    help: ArgumentHelp(
      "How many days the root document is valid, 1 to 400.", valueName: "days"))
  var days = 365

  func validate() throws {
    guard (1...400).contains(days) else { throw ValidationError("--days takes 1 to 400.") }
  }

  /// Reads the root keys and returns the ceremony that signs with them.
  ///
  /// - Throws: `RepositoryError` if a file isn't a private key.
  func ceremony() throws -> RepositoryKeys.Ceremony {
    RepositoryKeys.Ceremony(
      rootKeys: try rootKey.map { try RepositoryKeys.readKey(inFile: $0) },
      lifetime: Double(days) * 24 * 3600)
  }
}

/// The options for the keys of the root role.
struct RootRoleArguments: ParsableArguments {
  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "The file of a root key, which is created if it is missing; may be repeated.",
      valueName: "file"),
    completion: .file())
  var root: [String] = []

  @Option(
    help: ArgumentHelp(
      "How many root keys must sign a root document (default: 1).", valueName: "number"))
  var threshold: Int?

  func validate() throws {
    guard threshold == nil || (1...max(1, root.count)).contains(threshold ?? 1) else {
      throw ValidationError("--threshold takes 1 to the number of --root files.")
    }
    guard Set(root).count == root.count else {
      throw ValidationError("The same --root file is given twice.")
    }
  }

  /// Reads the keys and creates missing ones.
  func keys() throws -> [SigningKey] {
    try root.map { path in
      guard !FileManager.default.fileExists(atPath: path) else {
        return try RepositoryKeys.readKey(inFile: path)
      }
      let key = try RepositoryKeys.makeKey(at: path)
      Console.printMessage(
        "Created the root key '\(path)'. Keep it offline, with a backup in another location.")
      return key
    }
  }

  func role(_ keys: [SigningKey]) -> RootDocument.RootRole {
    RootDocument.RootRole(threshold: threshold ?? 1, keys: keys.map(\.verificationKey))
  }
}

extension Console {
  /// Prints whether a root document was published or needs more signatures.
  static func show(_ outcome: RepositoryKeys.Outcome) {
    switch outcome {
    case .published(let root):
      printData("Published \(root.summary)")
      showKeys(of: root)
    case .draft(let root, let path):
      printData("Draft of \(root.summary)")
      showKeys(of: root)
      printMessage(
        "It needs more signatures. For each other root key, run: "
          + "tensorio repository keys sign '\(path)' --root-key FILE --data FOLDER")
    }
  }

  /// Prints the keys that a root document allows to sign, and those that it revokes.
  static func showKeys(of root: RootDocument) {
    printData("keys that sign: " + root.channels.keys.map(\.key).joined(separator: " "))
    guard !root.channels.revoked.isEmpty else { return }
    printData("revoked keys: " + root.channels.revoked.joined(separator: " "))
  }
}

/// The command `tensorio repository keys create`.
struct RepositoryKeyCreateCommand: WaitingCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Create a signing key or root keys.",
    discussion: """
      With NAME, creates another key that signs the documents of channels.
      With --root FILE, creates root keys, and the first root document of the repository in \
      --data. Without --data, only the key files are created.
      """)

  @Argument(help: "The name of the key; its file is keys/NAME.key.")
  var name: RepositoryName?

  @Option(help: DataFolderArguments.help, completion: .directory)
  var data: String?

  @OptionGroup var role: RootRoleArguments

  @OptionGroup var ceremony: RootCeremonyArguments

  @Option(help: ArgumentHelp("How many days the key may sign.", valueName: "days"))
  var keyDays: Int?

  @Flag(help: "Sign with a new key, if all keys of a repository without a root document are lost.")
  var lost = false

  func validate() throws {
    guard (name == nil) != role.root.isEmpty else {
      throw ValidationError("Pass the name of a key, or a file with --root.")
    }
    guard name == nil || data != nil else { throw ValidationError("--data is missing.") }
    guard (1...3650).contains(keyDays ?? 1) else {
      throw ValidationError("--key-days takes 1 to 3650.")
    }
  }

  func work() async throws {
    if let data { try DataFolderArguments.requireRepository(data) }
    if let name, let data { return try await makeKey(name, data) }
    let repository = try data.map { try RepositoryKeys(dataFolder: $0) }
    // This is checked before keys are made that would be of no use.
    try repository?.requireNoDraft()
    let keys = try role.keys()
    if let repository {
      var ceremony = try ceremony.ceremony()
      ceremony.rootKeys += keys
      Console.show(try repository.makeRoot(role.role(keys), ceremony))
    }
    for key in keys { Console.printData(key.verificationKey.text) }
  }

  private func makeKey(_ name: RepositoryName, _ data: String) async throws {
    if lost {
      let key = try await RepositoryStore(ModelRepositoryOptions(dataFolder: data))
        .replaceLostKeys(with: name)
      Console.printMessage(
        "Clients reject its signatures until they trust this key. Add it to your apps.")
      return Console.printData(key.text)
    }
    let keys = try RepositoryKeys(dataFolder: data)
    guard try keys.root() != nil else { return Console.printData(try keys.makeKey(name).text) }
    let ceremony = try ceremony.ceremony()
    Console.show(
      try keys.addKey(
        name, expires: keyDays.map { ceremony.now + Double($0) * 24 * 3600 }, ceremony))
  }
}

/// The command `tensorio repository keys rotate`.
struct RepositoryKeyRotateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rotate",
    abstract: "Replace the signing keys by a new one, or replace the root keys.",
    discussion: """
      With --root, the root keys are replaced, and enough of the old ones (their threshold) must \
      sign. Programs that only know the old keys switch to the new ones automatically.
      """)

  @OptionGroup var folder: DataFolderArguments

  @Option(
    help: ArgumentHelp(
      "The name of the new key, for the file keys/NAME.key (default: signing-N).",
      valueName: "name"))
  var name: RepositoryName?

  @Flag(help: "The old keys may be stolen, so clients delete versions that only they signed.")
  var stolen = false

  @Option(help: ArgumentHelp("How many days the new key may sign.", valueName: "days"))
  var keyDays: Int?

  @OptionGroup var role: RootRoleArguments

  @OptionGroup var ceremony: RootCeremonyArguments

  func validate() throws {
    guard role.root.isEmpty || (name == nil && !stolen && keyDays == nil) else {
      throw ValidationError(
        "--root replaces the root keys, so it can't be combined with --name, --stolen or "
          + "--key-days.")
    }
    guard (1...3650).contains(keyDays ?? 1) else {
      throw ValidationError("--key-days takes 1 to 3650.")
    }
  }

  func run() throws {
    let keys = try folder.keys()
    var ceremony = try ceremony.ceremony()
    guard role.root.isEmpty else {
      try keys.requireNoDraft()
      let rootKeys = try role.keys()
      ceremony.rootKeys += rootKeys
      return Console.show(try keys.rotateRoot(to: role.role(rootKeys), ceremony))
    }
    Console.show(
      try keys.rotate(
        to: name ?? keys.freeName(),
        expires: keyDays.map { ceremony.now + Double($0) * 24 * 3600 }, isStolen: stolen, ceremony))
  }
}

/// The command `tensorio repository keys retire`.
struct RepositoryKeyRetireCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "retire", abstract: "Stop signing with a key, while other keys still sign.")

  @Argument(help: "The key's name, its id, or the key itself.")
  var key: String

  @OptionGroup var folder: DataFolderArguments

  @Flag(help: "The key may be stolen, so clients delete versions that only it signed.")
  var stolen = false

  @OptionGroup var ceremony: RootCeremonyArguments

  func run() throws {
    let ceremony = ceremony.rootKey.isEmpty ? nil : try ceremony.ceremony()
    guard let outcome = try folder.keys().retire(key, isStolen: stolen, ceremony) else {
      return Console.printData("'\(key)' no longer signs.")
    }
    Console.show(outcome)
  }
}

/// The command `tensorio repository keys renew`.
struct RepositoryKeyRenewCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "renew", abstract: "Extend the validity of the root document.",
    discussion: "Clients reject downloads if their root document has expired without a newer one."
  )

  @OptionGroup var folder: DataFolderArguments

  @OptionGroup var ceremony: RootCeremonyArguments

  func run() throws {
    Console.show(try folder.keys().renew(ceremony.ceremony()))
  }
}

/// The command `tensorio repository keys sign`.
struct RepositoryKeySignCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sign", abstract: "Add the signature of a root key to a draft.",
    discussion: """
      With --data, the root document is published once enough root keys have signed it. Without \
      --data, only the draft is changed, for example on a computer that only has the root key.
      """)

  @Argument(help: "The draft, which another command wrote.", completion: .file())
  var draft: String

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp("The file of a root key; may be repeated.", valueName: "file"),
    completion: .file())
  var rootKey: [String] = []

  @Option(help: DataFolderArguments.help, completion: .directory)
  var data: String?

  func validate() throws {
    guard !rootKey.isEmpty || data != nil else {
      throw ValidationError("Pass a root key with --root-key, or the repository with --data.")
    }
  }

  func run() throws {
    try FileSystem.requireFile(draft)
    let keys = try rootKey.map { try RepositoryKeys.readKey(inFile: $0) }
    guard let data else {
      let root = try RepositoryKeys.signDraft(draft, by: keys)
      Console.printData("Signed the draft of \(root.summary)")
      Console.showKeys(of: root)
      return
    }
    Console.show(try DataFolderArguments.keys(data).sign(draft, by: keys))
  }
}
#endif
