// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ModelCommands
import SwiftGeneration
import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct GenerateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate",
    abstract: "Write a Swift type for a bundle, whose inputs and outputs the compiler checks.",
    discussion: """
      The type takes what model.json describes, such as an image, and returns structures whose \
      properties have the names of the outputs. At most \(GenerationOptions.mostCases) different \
      labels become an enumeration. The type refuses a bundle whose names, types or labels have \
      changed since.

        tensorio generate digits.tiobundle --output Sources/App/Digits.swift
        tensorio generate digits.tiobundle --output Sources/App/Digits.swift --check

      With --check, nothing is written. The exit code is 1 if the file isn't what would be written.

      In a Swift package, the plugin TensorIOModels does this at every build.
      """)

  @Argument(help: "The bundle.", completion: .directory)
  var bundle: String

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The file to write. (default: standard output)", valueName: "name.swift"),
    completion: .file(extensions: ["swift"]))
  var output: String?

  @Option(
    name: .customLong("type"), help: "The type's name. (default: that of the bundle's folder)")
  var typeName: String?

  @Option(help: "Who can use the type: public, package or internal.")
  var access = GenerationOptions.Access.internal

  @Option(
    help: ArgumentHelp(
      "Where the program finds the bundle, unless it says another path. (default: the path of the "
        + "bundle as it is given here, or its name if that path is absolute)", valueName: "path"))
  var path: String?

  @Flag(
    help:
      "Make programs pass a loader, instead of importing the module of the bundle's backend.")
  var needsLoader = false

  @Flag(help: "Write nothing, and exit with 1 if the file is out of date.")
  var check = false

  @Flag(help: "Replace a file that wasn't generated.")
  var force = false

  func validate() throws {
    try checkUsage(
      !check || output != nil,
      "--check needs --output with the file to check, such as --output Digits.swift.")
  }

  func run() throws {
    let bundle = try ModelBundle(bundle)
    var options: GenerationOptions
    if let typeName {
      options = GenerationOptions(typeName: typeName)
    } else {
      options = try GenerationOptions(bundle: bundle.path)
    }
    options.access = access
    options.needsLoader = needsLoader
    options.location = .path(default: path ?? defaultPath(of: bundle))
    let source = try TypeGenerator(bundle, options: options).source
    guard let output else { return Console.printData(String(source.dropLast())) }
    if check { return try check(source, in: output) }
    try checkReplaceable(output)
    try FileSystem.checkOutput(output, "The type")
    try FileSystem.writeAtomically(output) { fresh in
      try Data(source.utf8).write(to: URL(filePath: fresh))
    } move: { fresh in
      try FileSystem.move(fresh, over: output)
    }
  }

  private func defaultPath(of bundle: ModelBundle) -> String {
    if bundle.path.hasPrefix("/") { return FileSystem.name(of: bundle.path) }
    return bundle.path.hasPrefix("./") ? String(bundle.path.dropFirst(2)) : bundle.path
  }

  private func check(_ source: String, in output: String) throws {
    let found: Data?
    do {
      found = try FileSystem.read(output)
    } catch let error as TensorIOError where error.code == .fileNotFound {
      found = nil
    }
    if found == Data(source.utf8) { return }
    let arguments = CommandLine.arguments.dropFirst().filter { $0 != "--check" }
      .map { $0.contains(" ") ? "\"\($0)\"" : $0 }
    let command = "'tensorio \(arguments.joined(separator: " "))"
    let advice =
      switch found {
      case nil: "is missing. Write it with \(command)'."
      case let found? where Self.isGenerated(found): "is out of date. Write it with \(command)'."
      default:
        "wasn't generated. Check the path, or replace the file with "
          + "\(command)\(force ? "" : " --force")'."
      }
    Console.printMessage("error: '\(output)' \(advice)")
    throw ExitCode(1)
  }

  private static func isGenerated(_ content: Data) -> Bool {
    content.starts(with: GenerationOptions.firstWords.utf8)
  }

  /// Refuses to replace what a person wrote.
  private func checkReplaceable(_ output: String) throws {
    try checkUsage(
      !FileSystem.isFolder(output), "'\(output)' is a folder. Pass the name of a file.")
    guard !force, FileSystem.isFile(output) else { return }
    try checkUsage(
      Self.isGenerated(FileSystem.read(output)),
      "'\(output)' exists and wasn't generated. Pass --force to replace it.")
  }
}

extension GenerationOptions.Access: ExpressibleByArgument {}
