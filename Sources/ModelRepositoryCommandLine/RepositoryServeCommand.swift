// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import ArgumentParser
import Foundation
import ModelCommands
public import ModelRepositoryClient
public import ModelRepositoryServer
import ServerCommandLine
import TensorIOCommandLine

/// The command `tensorio repository serve`.
struct RepositoryServeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Host models.",
    discussion: """
      A missing folder is created. Writing needs a token, which 'repository token create' creates. \
      Use --host to allow other machines. Without --cert and --key, put a proxy with TLS in front.
      """)

  @OptionGroup var folder: DataFolderArguments

  @OptionGroup var blobs: BlobLocationArguments

  @Option(help: "The port; 0 picks a free one.")
  var port = 8090

  @OptionGroup var server: ServerArguments

  @Flag(name: .customLong("private"), help: "Require a token for reading, too.")
  var isPrivate = false

  @Option(
    help: ArgumentHelp(
      "The most megabytes that all models together may take.", valueName: "megabytes"))
  var quota: Int?

  @Option(
    help: ArgumentHelp(
      "How many megabytes per second are read to find models that are damaged on the disk; 0 turns "
        + "this off (default: 4, or 0 for models in S3).", valueName: "megabytes"))
  var scrub: Int?

  @Option(
    help: ArgumentHelp(
      "Another repository with the same models, which replaces damaged files. Its token is in "
        + "TENSORIO_MIRROR_TOKEN.", valueName: "address"))
  var mirror: String?

  @Option(
    help: ArgumentHelp(
      "How many megabytes of the disk uploads leave free, so that changes of channels and garbage "
        + "collection still work (default: a twentieth of the disk, from 2 to 64).",
      valueName: "megabytes"))
  var reserve: Int?

  @Option(help: "How many days a signed document is valid; it is renewed after half of them.")
  var documentDays = 30

  func validate() throws {
    try check("--port", port, 0...65535)
    try check("--quota", quota, 1...1_000_000_000, "megabytes")
    try check("--document-days", documentDays, 1...400, "days")
    try check("--scrub", scrub, 0...100_000, "megabytes a second")
    try check("--reserve", reserve, 0...1_000_000, "megabytes")
  }

  private func check(
    _ option: String, _ value: Int?, _ range: ClosedRange<Int>, _ unit: String? = nil
  ) throws {
    guard let value else { return }
    try checkUsage(
      range.contains(value),
      "\(option) takes \(range.lowerBound) to \(range.upperBound)\(unit.map { " " + $0 } ?? ""), "
        + "got \(value).")
  }

  func run() throws {
    var options = ModelRepositoryOptions(dataFolder: folder.data)
    options.blobs = try blobs.location()
    options.host = server.host
    options.port = port
    options.certificate = try server.certificate
    options.requiresTokenToRead = isPrivate
    options.connectionsPerAddress = server.connectionsPerAddress
    options.healthPort = server.healthPort
    options.quota = quota.map { $0 * 1_000_000 }
    options.mirror = try mirror.map {
      try ModelRepositoryMirror(
        server: $0, token: ProcessInfo.processInfo.environment["TENSORIO_MIRROR_TOKEN"])
    }
    options.scrubRate = scrub.map { $0 * 1_000_000 }
    options.reservedBytes = reserve.map { $0 * 1_000_000 }
    options.documentLifetime = Double(documentDays) * 24 * 3600
    options.shutdownTime = server.shutdownTime
    options.version = Version.current
    let server = try ModelRepositoryServer(
      options, logger: server.logger(label: "model-repository"))
    try BlockingTask.run {
      try await server.run { address in Console.printData("Repository: \(address)") }
    }
  }
}

extension ModelRepositoryMirror: BlobMirror {
  /// The server's address.
  public var name: String { server }
}
#endif
