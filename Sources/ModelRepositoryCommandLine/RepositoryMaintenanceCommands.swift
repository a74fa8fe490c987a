// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import ArgumentParser
import ModelCommands
import ModelRepositoryAPI
import ModelRepositoryClient
import ModelRepositoryServer
import TensorIO
import TensorIOCommandLine

/// The command `tensorio repository gc`.
struct RepositoryCollectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "gc", abstract: "Delete what no version needs.",
    discussion: "What was uploaded in the last day stays: it may be about to be published.")

  @OptionGroup var place: RepositoryTokenCommand.Place

  func run() throws {
    try BlockingTask.run { [self] in
      if let data = place.data { try DataFolderArguments.requireRepository(data) }
      let report = try await place.ask(
        { try await $0.collectGarbage() }, { try await $0.collectGarbage() })
      if place.json { return try Console.printJSON(report) }
      Console.printData(
        "\(report.blobs) blobs, \(report.orphans) files without a blob, \(report.uploads) uploads: "
          + report.bytes.byteText)
    }
  }
}

/// The command `tensorio repository fsck`.
struct RepositoryCheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fsck", abstract: "Check a repository's folder; 65 where something is wrong.",
    discussion: "Blobs with other bytes go to the folder 'quarantine'. No server may run meanwhile."
  )

  @OptionGroup var folder: DataFolderArguments

  @Flag(help: "Read every byte again, too.")
  var rehash = false

  @Flag(help: "Print what was found as JSON.")
  var json = false

  func run() throws {
    try BlockingTask.run { [self] in
      // A missing database, or a folder in its place, is damage too if the file COMMITS exists.
      if !FileSystem.isFile(folder.data + "/COMMITS") {
        try DataFolderArguments.requireRepository(folder.data)
      }
      let report = try await RepositoryStore.fsck(
        ModelRepositoryOptions(dataFolder: folder.data), rehash: rehash)
      if json {
        try Console.printJSON(report)
      } else {
        Self.show(report)
      }
      if !report.isSound { throw ExitCode(65) }
    }
  }

  private static func show(_ report: IntegrityReport) {
    Console.printData("\(report.blobs) blobs, \(report.bytes.byteText)")
    let faults =
      report.lost.map { "lost: \($0)" } + report.wrongSizes.map { "another size: \($0)" }
      + report.wrongDigests.map { "other bytes: \($0)" }
      + report.missing.map { "missing in version \($0.version) of \($0.model): \($0.digest)" }
      + report.untrusted.map { "not signed by a key of the repository: channel \($0)" }
      + report.database.map { "database: \($0)" } + report.rows.map { "database: \($0)" }
    for fault in faults { Console.printData(fault.printable) }
    if report.isSound { Console.printData("sound") }
    for channel in report.outdated {
      Console.printData(
        "signed by a key that was replaced: channel \(channel.printable); the server signs it again"
      )
    }
    if !report.orphans.isEmpty {
      let files = counted(report.orphans.count, "file")
      Console.printData("\(files) that no version needs; 'gc' removes them")
    }
  }
}

/// The command `tensorio repository backup`.
struct RepositoryBackupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "Copy a repository; its server may run meanwhile.",
    discussion: """
      The private keys are not in it: keep a copy of the folder 'keys' apart, on another medium, and \
      give it to 'restore --keys'. On the same disk blobs are linked, and take no room. Those in S3 \
      are downloaded, with the \
      credentials of AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN.
      """)

  @OptionGroup var folder: DataFolderArguments

  @Argument(help: "A new folder.", completion: .directory)
  var destination: String

  @Flag(help: "Copy the private keys, too: whoever has the backup can sign then.")
  var withKeys = false

  func run() throws {
    try BlockingTask.run { [self] in
      try DataFolderArguments.requireRepository(folder.data)
      try await RepositoryStore.backup(
        ModelRepositoryOptions(dataFolder: folder.data), to: destination, includingKeys: withKeys)
      guard !withKeys else { return }
      Console.printMessage(
        "The private keys are not in the backup. Keep a copy of '\(folder.data)/keys' apart.")
    }
  }
}

/// The command `tensorio repository restore`.
struct RepositoryRestoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Make a repository of a copy.")

  @Argument(help: "What 'repository backup' made.", completion: .directory)
  var backup: String

  @OptionGroup var folder: DataFolderArguments

  @Option(
    help: ArgumentHelp(
      "The folder of the private keys, which 'backup' leaves out.", valueName: "folder"),
    completion: .directory)
  var keys: String?

  @OptionGroup var blobs: BlobPlaceArguments

  func run() throws {
    try BlockingTask.run { [self] in
      var options = ModelRepositoryOptions(dataFolder: folder.data)
      options.blobs = try blobs.place()
      try await RepositoryStore.restore(from: backup, keys: keys, options)
      guard try RepositoryKeys.list(folder.data).allSatisfy({ $0.state != .signing }) else {
        return
      }
      Console.printMessage(
        "There are no private keys yet. Copy NAME.key to '\(folder.data)/keys' before you serve.")
    }
  }
}
#endif
