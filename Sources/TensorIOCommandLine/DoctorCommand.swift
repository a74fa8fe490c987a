// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ModelCommands
import ModelTools
import TensorIO

/// The command `tensorio doctor`.
struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Show what is installed, what is missing, and how to install it.",
    discussion: """
      Exit codes: 0 if models can run, 69 if LiteRT is missing, which TensorFlow Lite models need. \
      Everything else is optional.
      """)

  @Flag(help: "Print the findings as JSON.")
  var json = false

  func run() throws {
    let findings = Installation.findings()
    if json {
      try Console.printJSON(
        .object([
          "version": .string(Version.current), "program": .string(Installation.program),
          "system": .string(Installation.system), "data_folder": .string(Installation.dataFolder),
          "parts": .array(findings.map(\.json)),
        ]))
    } else {
      Console.printData("tensorio \(Version.current), \(Installation.system)")
      Console.printData("  \(Installation.program)")
      for finding in findings { print(finding) }
    }
    if findings.contains(where: { $0.isNeeded && $0.place == nil }) { throw ExitCode(69) }
  }

  private func print(_ finding: Finding) {
    let mark = finding.place != nil ? "found" : finding.isNeeded ? "MISSING" : "not installed"
    Console.printData("")
    Console.printData("\(Console.bold(finding.name)): \(mark)  (\(finding.purpose))")
    if let place = finding.place {
      Console.printData("  \(place)" + (finding.version.map { ", version \($0)" } ?? ""))
    } else {
      if let fault = finding.fault { Console.printData("  \(fault)") }
      Console.printData("  to install it: \(finding.remedy)")
    }
  }
}

/// A part of an installation, which is a program or a library that is opened when it is needed.
struct Finding {
  var name: String
  /// What the part is for.
  var purpose: String
  /// Whether `tensorio` is of little use without the part.
  var isNeeded = false
  /// The path of the file; nil if it is missing or can't be used.
  var place: String?
  var version: String?
  /// Why an existing file can't be used.
  var fault: String?
  /// The command that installs the part.
  var remedy: String

  var json: JSONValue {
    .object([
      "name": .string(name), "purpose": .string(purpose), "needed": .bool(isNeeded),
      "found": .bool(place != nil), "path": .stringOrNull(place),
      "version": .stringOrNull(version),
      "problem": .stringOrNull(fault), "install": .string(remedy),
    ])
  }
}
