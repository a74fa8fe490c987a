// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import ArgumentParser
import ModelCommands
import ModelRepositoryAPI
import ModelRepositoryServer
import ModelTools
import TensorIO

/// The command `tensorio repository gc`.
struct RepositoryCollectCommand: WaitingCommand {
  static let configuration = CommandConfiguration(
    commandName: "gc", abstract: "Delete files that no version needs.",
    discussion: "Uploads of the last day stay, because they may be about to be published.")

  @OptionGroup var location: RepositoryTokenCommand.Location

  func work() async throws {
    let report = try await location.repository().collectGarbage()
    if location.output.json { return try Console.printJSON(report) }
    Console.printData(
      "\(report.blobs) blobs, \(report.orphans) files without a blob, \(report.uploads) uploads: "
        + report.bytes.byteText)
  }
}

/// The command `tensorio repository fsck`.
struct RepositoryCheckCommand: WaitingCommand {
  static let configuration = CommandConfiguration(
    commandName: "fsck",
    abstract: "Check a repository's folder; exit with code 65 if something is wrong.",
    discussion: "Damaged blobs are moved to the folder 'quarantine'. Stop the server first."
  )

  @OptionGroup var folder: DataFolderArguments

  @Flag(help: "Also read and verify every byte.")
  var rehash = false

  @Flag(help: "Print the findings as JSON.")
  var json = false

  func work() async throws {
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

  private static func show(_ report: IntegrityReport) {
    Console.printData("\(report.blobs) blobs, \(report.bytes.byteText)")
    let faults =
      report.lost.map { "lost: \($0)" } + report.wrongSizes.map { "wrong size: \($0)" }
      + report.wrongDigests.map { "damaged: \($0)" }
      + report.missing.map { "missing in version \($0.version) of \($0.model): \($0.digest)" }
      + report.untrusted.map { "not signed by a key of the repository: channel \($0)" }
      + report.averages.map { "missing or damaged: the average of round \($0)" }
      + report.database.map { "database: \($0)" } + report.rows.map { "database: \($0)" }
    for fault in faults { Console.printData(fault.printable) }
    if report.isSound { Console.printData("sound") }
    for channel in report.outdated {
      Console.printData(
        "signed by a replaced key: channel \(channel.printable); the server will sign it again"
      )
    }
    if !report.orphans.isEmpty {
      let files = counted(report.orphans.count, "file")
      Console.printData("\(files) that no version needs; 'gc' removes them")
    }
  }
}

/// The command `tensorio repository backup`.
struct RepositoryBackupCommand: WaitingCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "Back up a repository, even while its server is running.",
    discussion: """
      The backup doesn't contain the private keys. Keep a copy of the folder 'keys' on another \
      medium, and pass it to 'restore --keys'. On the same disk, blobs are hard links and take no \
      space. Damage to such a file damages both, so copy the backup to another disk. Blobs in S3 \
      are downloaded with the credentials in AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and \
      AWS_SESSION_TOKEN.
      """)

  @OptionGroup var folder: DataFolderArguments

  @Argument(help: "A new folder.", completion: .directory)
  var destination: String

  @Flag(help: "Also copy the private keys. Anyone with the backup can then sign.")
  var withKeys = false

  func work() async throws {
    try DataFolderArguments.requireRepository(folder.data)
    let missing = try await RepositoryStore.backup(
      ModelRepositoryOptions(dataFolder: folder.data), to: destination, includingKeys: withKeys)
    if !withKeys {
      Console.printMessage(
        "The backup doesn't contain the private keys. Keep a separate copy of "
          + "'\(folder.data)/keys'.")
    }
    try missing.report(in: folder.data)
  }
}

/// The command `tensorio repository restore`.
struct RepositoryRestoreCommand: WaitingCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Restore a repository from a backup.")

  @Argument(help: "The backup that 'repository backup' made.", completion: .directory)
  var backup: String

  @OptionGroup var folder: DataFolderArguments

  @Option(
    help: ArgumentHelp(
      "The folder of the private keys, which the backup doesn't contain.", valueName: "folder"),
    completion: .directory)
  var keys: String?

  @OptionGroup var blobs: BlobLocationArguments

  func work() async throws {
    var options = ModelRepositoryOptions(dataFolder: folder.data)
    options.blobs = try blobs.location()
    let missing = try await RepositoryStore.restore(from: backup, keys: keys, options)
    if try RepositoryKeys.list(folder.data).allSatisfy({ $0.state != .signing }) {
      Console.printMessage(
        "The private keys are missing. Copy NAME.key to '\(folder.data)/keys' before 'serve'.")
    }
    try missing.report(in: backup)
  }
}

extension [MissingBlob] {
  /// Names the versions that can't be downloaded, and ends the command with the status 65.
  ///
  /// - Throws: `ExitCode`, unless the list is empty.
  fileprivate func report(in folder: String) throws {
    guard !isEmpty else { return }
    let versions = Set(map { "\($0.version.printable) of \($0.model.printable)" }).sorted()
    for version in versions {
      Console.printMessage("error: '\(folder.printable)' lacks files of version \(version).")
    }
    Console.printMessage(
      "The copy has everything else. Publish \(versions.count == 1 ? "this version" : "these versions") "
        + "again, or take the files from an older backup. 'repository fsck' lists them.")
    throw ExitCode(65)
  }
}
#endif
