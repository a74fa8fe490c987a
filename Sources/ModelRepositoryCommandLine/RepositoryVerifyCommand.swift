// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import ArgumentParser
import ModelCommands
import ModelRepositoryAPI
import ModelRepositoryClient
import ModelTools
import TensorIO
import TensorIOCommandLine

/// The command `tensorio repository verify`.
struct RepositoryVerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Download all that a channel serves, and verify the signature and every byte.")

  @Argument(help: "The model.")
  var model: RepositoryName

  @OptionGroup var keys: TrustedKeyArguments

  @OptionGroup var channel: ChannelArguments

  @OptionGroup var server: RepositoryServerArguments

  @Flag(help: "Print the findings as JSON.")
  var json = false

  func run() throws {
    let verifier = try RepositoryVerifier(
      server: server.address, token: server.secret, trust: keys.trust(),
      certificateAuthorities: server.certificateAuthorities)
    try BlockingTask.run { [self] in
      let report = try await verifier.verify(channel.channel, of: model)
      if json {
        try Console.printJSON(
          .object([
            "document_version": .integer(Int64(report.document.documentVersion)),
            "blobs": .integer(Int64(report.blobs)), "bytes": .integer(Int64(report.bytes)),
            "faults": .strings(report.faults),
          ]))
      } else {
        Console.printData(
          "document \(report.document.documentVersion), \(report.blobs) blobs, "
            + "\(report.bytes.byteText), \(report.faults.count) faults")
        for fault in report.faults { Console.printData(fault.printable) }
      }
      if !report.faults.isEmpty { throw ExitCode(65) }
    }
  }
}
#endif
