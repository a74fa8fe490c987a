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

/// The command `tensorio repository audit`.
struct RepositoryAuditCommand: WaitingCommand {
  static let configuration = CommandConfiguration(
    commandName: "audit", abstract: "List who changed what, newest first.",
    discussion: """
      Rejected tokens are listed too, with the addresses that they came from. Rejections within \
      ten minutes share one record. By default, the server is asked, which needs a token with the \
      scope admin. With --data, the folder of a repository on this machine is read instead, even \
      while its server is running.
      """)

  @Option(help: DataFolderArguments.help, completion: .directory)
  var data: String?

  @OptionGroup var server: RepositoryServerArguments

  @Option(
    help: ArgumentHelp(
      "Only records since this time: 30m, 12h, 7d, 2026-11-23 or 2026-11-23T09:00:00Z.",
      valueName: "time"))
  var since: AuditTime?

  @Option(help: "The largest number of records.")
  var limit = 100

  @Option(
    help: ArgumentHelp(
      "Only records with a lower number than this, to continue after the last one.",
      valueName: "number"))
  var before: Int?

  @Flag(help: "Print JSON.")
  var json = false

  func validate() throws {
    guard (1...1_000_000).contains(limit), before ?? 1 > 0 else {
      throw ValidationError("--limit takes 1 to 1000000, --before a positive number.")
    }
  }

  func work() async throws {
    let records: [AuditRecord]
    if let data {
      try DataFolderArguments.requireRepository(data)
      records = try await RepositoryStore.auditLog(
        data, before: before, since: since?.time, limit: limit)
    } else {
      records = try await server.publisher().auditLog(
        before: before, since: since?.time, limit: limit)
    }
    if json { return try Console.printJSON(AuditLog(records: records)) }
    Self.show(records)
    if records.count == limit, let last = records.last?.id, last > 1 {
      Console.printMessage("There may be more. Continue with --before \(last), or raise --limit.")
    }
  }

  private static func show(_ records: [AuditRecord]) {
    var table = TextTable(
      headings: ["number", "time", "token", "action", "what", "detail", "before", "after"])
    for record in records {
      let nobody = record.action == AuditRecord.refusedToken ? "" : "command line"
      table.append(
        "\(record.id)", record.time.text, record.token ?? nobody, record.action, record.subject,
        record.detail ?? "", record.before ?? "", record.after ?? "")
    }
    Console.printTable(table)
  }
}

/// A time on the command line: how long ago, a day, or a moment in UTC.
struct AuditTime: ExpressibleByArgument {
  let time: Date

  init?(argument: String) {
    let units: [Character: TimeInterval] = ["m": 60, "h": 3600, "d": 24 * 3600]
    if let unit = argument.last.flatMap({ units[$0] }), let count = Int(argument.dropLast()),
      (0...1_000_000).contains(count)
    {
      time = .now - Double(count) * unit
    } else if let moment = (try? Date(argument, strategy: .iso8601))
      ?? (try? Date(argument + "T00:00:00Z", strategy: .iso8601))
    {
      time = moment
    } else {
      return nil
    }
  }
}
#endif
