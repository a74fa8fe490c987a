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
import TensorIOCommandLine

/// The options for signing the next root document.
struct RootCeremonyArguments: ParsableArguments {
  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "The file of a root key that signs; may be repeated. Others can sign later with 'keys sign'.",
      valueName: "file"),
    completion: .file())
  var rootKey: [String] = []

  @Option(
    help: ArgumentHelp(
      "For how many days the root document is good, 1 to 400.", valueName: "days"))
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
      "The file of a root key, which is made where it is not there; may be repeated.",
      valueName: "file"),
    completion: .file())
  var root: [String] = []

  @Option(
    help: ArgumentHelp(
      "How many root keys have to sign a root document; 1 unless told.", valueName: "number"))
  var threshold: Int?

  func validate() throws {
    guard threshold == nil || (1...max(1, root.count)).contains(threshold ?? 1) else {
      throw ValidationError("--threshold takes 1 to the number of --root files.")
    }
    guard Set(root).count == root.count else {
      throw ValidationError("A --root file is named twice.")
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
        "Made the root key '\(path)'. Keep it offline, with a copy in another place.")
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
    case .published(let root): printData("Published \(root.summary)")
    case .draft(let root, let path):
      printData("Draft of \(root.summary)")
      printMessage(
        "It needs further signatures. Run for each further root key: "
          + "tensorio repository keys sign '\(path)' --root-key FILE --data FOLDER")
    }
  }
}

/// The command `tensorio repository keys create`.
struct RepositoryKeyCreateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Make a key that signs, or root keys.",
    discussion: """
      With NAME: a key that signs channels' documents beside the others.
      With --root FILE: root keys, and the first root document of the repository in --data. Without \
      --data, only the files are made.
      """)

  @Argument(help: "The name of the key, for the file keys/NAME.key.")
  var name: RepositoryName?

  @Option(
    help: ArgumentHelp("The repository's folder on this machine.", valueName: "folder"),
    completion: .directory)
  var data: String?

  @OptionGroup var role: RootRoleArguments

  @OptionGroup var ceremony: RootCeremonyArguments

  @Option(help: ArgumentHelp("For how many days the key may sign.", valueName: "days"))
  var keyDays: Int?

  @Flag(help: "The keys of a repository without a root document are lost: sign with a new one.")
  var lost = false

  func validate() throws {
    guard (name == nil) != role.root.isEmpty else {
      throw ValidationError("Name a key, or a file with --root.")
    }
    guard name == nil || data != nil else { throw ValidationError("--data is missing.") }
    guard (1...3650).contains(keyDays ?? 1) else {
      throw ValidationError("--key-days takes 1 to 3650.")
    }
  }

  func run() throws {
    try BlockingTask.run { [self] in
      if let data { try DataFolderArguments.requireRepository(data) }
      if let name, let data { return try await makeKey(name, data) }
      let keys = try role.keys()
      if let data {
        var ceremony = try ceremony.ceremony()
        ceremony.rootKeys += keys
        Console.show(try RepositoryKeys(dataFolder: data).makeRoot(role.role(keys), ceremony))
      }
      for key in keys { Console.printData(key.verificationKey.text) }
    }
  }

  private func makeKey(_ name: RepositoryName, _ data: String) async throws {
    if lost {
      let key = try await RepositoryStore(ModelRepositoryOptions(dataFolder: data))
        .replaceLostKeys(with: name)
      Console.printMessage("Clients refuse what it signs until they trust it: build it in.")
      return Console.printData(key.text)
    }
    let keys = try RepositoryKeys(dataFolder: data)
    guard try keys.root() != nil else { return Console.printData(try keys.makeKey(name).text) }
    let ceremony = try ceremony.ceremony()
    Console.show(
      try keys.addKey(name, expires: ceremony.expiry(afterDays: keyDays), ceremony))
  }
}

extension RepositoryKeys.Ceremony {
  /// Returns the date on which a key expires, or nil if it doesn't.
  fileprivate func expiry(afterDays days: Int?) -> Date? {
    days.map { now + Double($0) * 24 * 3600 }
  }
}

/// The command `tensorio repository keys rotate`.
struct RepositoryKeyRotateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rotate", abstract: "Replace the keys that sign by a new one, or the root keys.",
    discussion: """
      With --root the root keys are replaced; as many of the old ones as they ask for have to sign. \
      Programs that only know the old keys follow by themselves.
      """)

  @OptionGroup var folder: DataFolderArguments

  @Option(
    help: ArgumentHelp(
      "The name of the new key, for the file keys/NAME.key; signing-N unless told.",
      valueName: "name"))
  var name: RepositoryName?

  @Flag(
    help: "Somebody else may have the old keys: clients delete versions that only they signed.")
  var stolen = false

  @Option(help: ArgumentHelp("For how many days the new key may sign.", valueName: "days"))
  var keyDays: Int?

  @OptionGroup var role: RootRoleArguments

  @OptionGroup var ceremony: RootCeremonyArguments

  func validate() throws {
    guard role.root.isEmpty || (name == nil && !stolen && keyDays == nil) else {
      throw ValidationError(
        "--root replaces the root keys; --name, --stolen and --key-days do not go "
          + "with it.")
    }
    guard (1...3650).contains(keyDays ?? 1) else {
      throw ValidationError("--key-days takes 1 to 3650.")
    }
  }

  func run() throws {
    try DataFolderArguments.requireRepository(folder.data)
    var ceremony = try ceremony.ceremony()
    let keys = try RepositoryKeys(dataFolder: folder.data)
    guard role.root.isEmpty else {
      let rootKeys = try role.keys()
      ceremony.rootKeys += rootKeys
      return Console.show(try keys.rotateRoot(to: role.role(rootKeys), ceremony))
    }
    Console.show(
      try keys.rotate(
        to: name ?? keys.freeName(), expires: ceremony.expiry(afterDays: keyDays),
        isStolen: stolen, ceremony))
  }
}

/// The command `tensorio repository keys retire`.
struct RepositoryKeyRetireCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "retire", abstract: "Let a key sign no more, while others do.")

  @Argument(help: "The key's name, its id, or the key itself.")
  var key: String

  @OptionGroup var folder: DataFolderArguments

  @Flag(help: "Somebody else may have the key: clients delete versions that only it signed.")
  var stolen = false

  @OptionGroup var ceremony: RootCeremonyArguments

  func run() throws {
    try DataFolderArguments.requireRepository(folder.data)
    let ceremony = ceremony.rootKey.isEmpty ? nil : try ceremony.ceremony()
    let keys = try RepositoryKeys(dataFolder: folder.data)
    guard let outcome = try keys.retire(key, isStolen: stolen, ceremony) else {
      return Console.printData("'\(key)' does not sign any more.")
    }
    Console.show(outcome)
  }
}

/// The command `tensorio repository keys renew`.
struct RepositoryKeyRenewCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "renew", abstract: "Sign the root document for a further time.",
    discussion: "Clients refuse downloads when their root document expired and there is none after."
  )

  @OptionGroup var folder: DataFolderArguments

  @OptionGroup var ceremony: RootCeremonyArguments

  func run() throws {
    try DataFolderArguments.requireRepository(folder.data)
    let ceremony = try ceremony.ceremony()
    Console.show(try RepositoryKeys(dataFolder: folder.data).renew(ceremony))
  }
}

/// The command `tensorio repository keys sign`.
struct RepositoryKeySignCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sign", abstract: "Add the signature of a root key to a draft.",
    discussion: """
      With --data the root document is published when enough root keys signed it. Without, the draft \
      is changed, as on a computer that only has the root key.
      """)

  @Argument(help: "The draft, which another command made.", completion: .file())
  var draft: String

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp("The file of a root key; may be repeated.", valueName: "file"),
    completion: .file())
  var rootKey: [String] = []

  @Option(
    help: ArgumentHelp("The repository's folder on this machine.", valueName: "folder"),
    completion: .directory)
  var data: String?

  func validate() throws {
    guard !rootKey.isEmpty || data != nil else {
      throw ValidationError("Name a root key with --root-key, or the repository with --data.")
    }
  }

  func run() throws {
    try FileSystem.requireFile(draft)
    let keys = try rootKey.map { try RepositoryKeys.readKey(inFile: $0) }
    guard let data else {
      let root = try RepositoryKeys.signDraft(draft, by: keys)
      Console.printData("Signed the draft of \(root.summary)")
      Console.printData("keys that sign: " + root.channels.keys.map(\.key).joined(separator: " "))
      return
    }
    try DataFolderArguments.requireRepository(data)
    Console.show(try RepositoryKeys(dataFolder: data).sign(draft, by: keys))
  }
}
#endif
