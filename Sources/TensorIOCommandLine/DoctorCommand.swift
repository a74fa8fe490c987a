// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CSystemCalls
import Files
import Hashing
import ModelCommands
import ModelTools
import NativeLibrary
import NetRunner
import TensorIO
import TensorIOLiteRT
import TensorIOTensorFlow

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
struct Finding {
  var name: String
  /// What the part is for.
  var purpose: String
  /// Whether `tensorio` is of little use without the part.
  var isNeeded = false
  /// The path of the file; nil if it is missing or can't be used.
  var location: String?
  var version: String?
  /// Why an existing file can't be used.
  var fault: String?
  /// The command that installs the part.
  var remedy: String

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
enum Installation {
  /// The path of this program.
  static var program: String {
    ExternalPrograms.folder + "/" + FileSystem.name(of: CommandLine.arguments[0])
  }

  /// The system and the processor, such as "Linux x86_64".
  static var system: String {
    var names = utsname()
    guard uname(&names) == 0 else { return "unknown system" }
    func text<Value>(_ value: Value) -> String {
      withUnsafeBytes(of: value) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
    return "\(text(names.sysname)) \(text(names.machine))"
  }

  /// The folder of the libraries that the program installs.
  static var dataFolder: String { NativeLibrary.dataFolder ?? "" }

  /// Returns every part, with the necessary ones first.
  static func findings() -> [Finding] {
    [liteRT, tensorFlow, crypto, curl, zip]
      + ExternalPrograms.displayed.map { program("tensorio-" + $0._commandName) }
  }

  private static var liteRT: Finding {
    var finding = Finding(
      name: "LiteRT", purpose: "runs TensorFlow Lite models", isNeeded: true,
      remedy: fetch("litert", make: "setup"))
    finding.look { try LiteRTBackend().findLibrary() }
    if finding.location != nil { finding.version = LiteRTBackend.libraryVersion }
    return finding
  }

  private static var tensorFlow: Finding {
    var finding = Finding(
      name: "TensorFlow", purpose: "runs and trains SavedModels; 270 MB to download",
      remedy: fetch("tensorflow", make: "tensorflow"))
    let backend = TensorFlowBackend()
    finding.look { try backend.findLibrary() }
    if finding.location != nil { finding.version = try? backend.readLibraryVersion() }
    return finding
  }

  private static var crypto: Finding {
    var finding = Finding(
      name: "libcrypto", purpose: "computes the hashes of evaluations and labels",
      remedy: "apt-get install libssl3")
    #if canImport(CryptoKit)
    finding.location = "CryptoKit"
    #else
    finding.look { try LibCrypto.shared.get().path }
    #endif
    return finding
  }

  private static var curl: Finding {
    var finding = Finding(
      name: "libcurl", purpose: "downloads images",
      remedy: "apt-get install libcurl4")
    finding.look { try CurlLibrary.shared.get().path }
    return finding
  }

  private static var zip: Finding {
    var finding = Finding(
      name: "libzip", purpose: "reads and writes zip files of bundles and labels",
      remedy: "apt-get install libzip4")
    finding.look { try ZipLibrary.shared.path }
    return finding
  }

  private static func program(_ name: String) -> Finding {
    Finding(
      name: name, purpose: "what 'tensorio \(name.dropFirst("tensorio-".count))' starts",
      location: ExternalPrograms.find(name),
      remedy: "make programs, in TensorIO's source folder; the packages include it")
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

extension Finding {
  /// Records the path of a library, or why it can't be used.
  fileprivate mutating func look(_ find: () throws -> String) {
    do {
      location = try find()
    } catch let error as TensorIOError {
      // The heading already says that a library is missing.
      let isAbsent = (error.cause as? NativeLibrary.NotFound)?.isAbsent ?? false
      fault = isAbsent ? nil : error.message
    } catch {
      fault = "\(error)"
    }
  }
}
