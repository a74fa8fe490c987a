// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import AudioFiles
import CSystemCalls
import Files
import Hashing
import ModelCommands
import ModelTools
import NativeLibrary
import NetRunner
import StoredRows
import TensorIO
import TensorIOLiteRT
import TensorIOTensorFlow

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
          "system": .string(Installation.system),
          "data_folder": .string(Installation.dataFolder ?? ""),
          "parts": .array(findings.map(\.json)),
        ]))
    } else {
      Console.printData("tensorio \(Version.current), \(Installation.system)")
      Console.printData("  \(Installation.program)")
      for finding in findings { print(finding) }
    }
    if findings.contains(where: { $0.isNeeded && $0.location == nil }) { throw ExitCode(69) }
  }

  private func print(_ finding: Finding) {
    let mark = finding.location != nil ? "found" : finding.isNeeded ? "MISSING" : "not installed"
    Console.printData("")
    Console.printData("\(Console.bold(finding.name)): \(mark)  (\(finding.purpose))")
    if let location = finding.location {
      Console.printData("  \(location)" + (finding.version.map { ", version \($0)" } ?? ""))
    } else {
      if let fault = finding.fault { Console.printData("  \(fault)") }
      Console.printData("  to install it: \(finding.remedy)")
    }
  }
}

/// A part of an installation, which is a program or a library that is opened when it is needed.
private struct Finding {
  let name: String
  let purpose: String
  /// Whether `tensorio` is of little use without the part.
  let isNeeded: Bool
  /// The path of the file; nil if it is missing or can't be used.
  private(set) var location: String?
  private(set) var version: String?
  /// Why an existing file can't be used.
  private(set) var fault: String?
  let remedy: String

  init(
    _ name: String, for purpose: String, isNeeded: Bool = false, remedy: String,
    version: () -> String? = { nil }, find: () throws -> String?
  ) {
    self.name = name
    self.purpose = purpose
    self.isNeeded = isNeeded
    self.remedy = remedy
    do {
      location = try find()
      if location != nil { self.version = version() }
    } catch let error as TensorIOError {
      // The heading already says that a library is missing.
      let isAbsent = (error.cause as? NativeLibrary.NotFound)?.isAbsent ?? false
      fault = isAbsent ? nil : error.message
    } catch {
      fault = "\(error)"
    }
  }

  var json: JSONValue {
    .object([
      "name": .string(name), "purpose": .string(purpose), "needed": .bool(isNeeded),
      "found": .bool(location != nil), "path": .stringOrNull(location),
      "version": .stringOrNull(version),
      "problem": .stringOrNull(fault), "install": .string(remedy),
    ])
  }
}

/// What is installed on this machine.
package enum Installation {
  fileprivate static var program: String {
    ExternalPrograms.folder + "/" + FileSystem.name(of: CommandLine.arguments[0])
  }

  /// The system and the processor, such as "Linux x86_64".
  fileprivate static var system: String {
    var names = utsname()
    guard uname(&names) == 0 else { return "unknown system" }
    func text<Value>(_ value: Value) -> String {
      withUnsafeBytes(of: value) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
    return "\(text(names.sysname)) \(text(names.machine))"
  }

  /// The folder of libraries and imported models; nil without a home folder.
  package static var dataFolder: String? { NativeLibrary.dataFolder }

  /// Returns every part, with the necessary ones first.
  fileprivate static func findings() -> [Finding] {
    let tensorFlow = TensorFlowBackend()
    return [
      Finding(
        "LiteRT", for: "runs TensorFlow Lite models", isNeeded: true,
        remedy: fetch("litert", make: "setup"), version: { LiteRTBackend.libraryVersion },
        find: { try LiteRTBackend().findLibrary() }),
      Finding(
        "TensorFlow", for: "runs and trains SavedModels; 270 MB to download",
        remedy: fetch("tensorflow", make: "tensorflow"),
        version: { try? tensorFlow.readLibraryVersion() },
        find: { try tensorFlow.findLibrary() }),
      Finding(
        "libcrypto", for: "computes the hashes of evaluations and labels",
        remedy: "apt-get install libssl3", find: SHA256.findLibrary),
      Finding(
        "libcurl", for: "downloads images", remedy: "apt-get install libcurl4",
        find: { try CurlLibrary.shared.get().library.path }),
      Finding(
        "libsndfile", for: "reads recordings", remedy: "apt-get install libsndfile1",
        find: { try SoundLibrary.shared.path }),
      Finding(
        "libzip", for: "reads and writes zip files of bundles and labels",
        remedy: "apt-get install libzip4", find: { try ZipLibrary.shared.path }),
      Finding(
        "SQLite", for: "stores results of bulk runs and labels",
        remedy: "apt-get install libsqlite3-0",
        find: { try SQLiteLibrary.shared.path ?? "a part of this program" }),
    ]
      + ExternalPrograms.displayed.map { command in
        Finding(
          "tensorio-" + command._commandName, for: "what 'tensorio \(command._commandName)' starts",
          remedy: "make programs, in TensorIO's source folder; the packages include it",
          find: { ExternalPrograms.find("tensorio-" + command._commandName) })
      }
  }

  /// Returns the command that downloads a runtime into the user's data folder.
  private static func fetch(_ library: String, make target: String) -> String {
    let script = ExternalPrograms.folder + "/../share/tensorio/fetch_library.py"
    guard FileSystem.isFile(script), let path = FileOperations.realPath(script) else {
      return "make \(target), in TensorIO's source folder"
    }
    return "python3 \(path) \(library)"
  }
}
