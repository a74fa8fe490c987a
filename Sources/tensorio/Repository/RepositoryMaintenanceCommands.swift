// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ModelRepositoryAPI
import ModelRepositoryClient
import ModelRepositoryServer
import TensorIO

/// The command `tensorio repository gc`.
struct RepositoryCollectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "gc", abstract: "Delete what no version needs.",
    discussion: "What was uploaded in the last day stays: it may be about to be published.")

  @OptionGroup var place: RepositoryTokenCommand.Place

  func run() throws {
    try BlockingTask.run { [self] in
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
    discussion: "Blobs with other bytes are put into quarantine. No server may run meanwhile.")

  @OptionGroup var folder: DataFolderArguments

  @Flag(help: "Read every byte again, too.")
  var rehash = false

  @Flag(help: "Print what was found as JSON.")
  var json = false

  func run() throws {
    try BlockingTask.run { [self] in
      let store = try await RepositoryStore(ModelRepositoryOptions(dataFolder: folder.data))
      let report = try await store.check(rehash: rehash)
      if json {
        try Console.printJSON(report)
      } else {
        Console.printData(
          "\(report.blobs) blobs, \(report.bytes.byteText), \(report.faults.count) faults")
        for fault in report.faults { Console.printData("\(fault)".printable) }
      }
      if !report.faults.isEmpty { throw ExitCode(65) }
    }
  }
}

/// The command `tensorio repository backup`.
struct RepositoryBackupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "Copy a repository, while it serves or not.")

  @OptionGroup var folder: DataFolderArguments

  @Argument(help: "A new folder.", completion: .directory)
  var destination: String

  func run() throws {
    try BlockingTask.run { [self] in
      try await RepositoryStore.backup(folder.data, to: destination)
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

  func run() throws {
    try BlockingTask.run { [self] in
      try await RepositoryStore.restore(backup, to: folder.data)
    }
  }
}
