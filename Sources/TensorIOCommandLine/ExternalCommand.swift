// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CSystemCalls
import ModelCommands
import NativeLibrary
import TensorIO

/// A command that is a separate program, `tensorio-NAME`, which replaces this process.
///
/// `tensorio` therefore contains no server. Signals, exit codes and the terminal belong to the
/// program, as with the commands of git and cargo.
protocol ExternalCommand: ParsableCommand {
  var words: [String] { get }
}

extension ExternalCommand {
  func run() throws {
    throw try Self.become(words)
  }

  /// Replaces this process with the program, and returns an error only if that fails.
  static func become(_ words: [String]) throws -> TensorIOError {
    let name = "tensorio-" + _commandName
    guard let path = ExternalPrograms.find(name) else {
      return TensorIOError(
        .missingLibrary,
        "'tensorio \(_commandName)' needs the program \(name), which is neither in "
          + "'\(ExternalPrograms.folder)' nor on PATH. Build it in TensorIO's source folder with "
          + "'make programs', or install TensorIO's package, which includes it.")
    }
    var arguments: [UnsafeMutablePointer<CChar>?] = ([path] + words).map { strdup($0) }
    arguments.append(nil)
    execv(path, arguments)
    return TensorIOError(
      .missingLibrary, "'\(path)' can't be started: \(String(cString: strerror(errno))).")
  }
}

/// The commands that are separate programs.
enum ExternalPrograms {
  private static let commands: [any ExternalCommand.Type] = [
    NetRunnerProgram.self, RepositoryProgram.self,
  ]

  /// The commands that aren't built into this program.
  static var displayed: [any ParsableCommand.Type] {
    commands.compactMap { isOwn($0) ? nil : $0 }
  }

  /// Whether the command is built into this program.
  private static func isOwn(_ command: any ExternalCommand.Type) -> Bool {
    TensorIOTool.current.commands.contains { $0._commandName == command._commandName }
  }

  /// Replaces this process with the program that a command line asks for, including for its help.
  ///
  /// This returns if the command line asks for none of the programs. Nothing is parsed first, so a
  /// server starts as fast this way as under its own name.
  static func start(_ words: [String]) throws {
    let asksForHelp = words.first == "help"
    guard let word = asksForHelp ? words.dropFirst().first : words.first,
      let command = commands.first(where: { $0._commandName == word }), !isOwn(command)
    else { return }
    let rest = Array(words.dropFirst(asksForHelp ? 2 : 1))
    throw try command.become(asksForHelp ? rest + ["--help"] : rest)
  }

  /// Returns the path of a program in this program's folder or on PATH; nil if it is missing.
  static func find(_ name: String) -> String? {
    let path = getenv("PATH").map { String(cString: $0) } ?? ""
    let folders = [folder] + path.split(separator: ":").map(String.init)
    return folders.map { $0 + "/" + name }.first {
      FileSystem.isFile($0) && access($0, X_OK) == 0
    }
  }

  /// The folder of this program, with links resolved.
  static let folder = NativeLibrary.executableFolder ?? "."
}

struct NetRunnerProgram: ExternalCommand {
  static let configuration = CommandConfiguration(
    commandName: "netrunner",
    abstract: "Run models in a browser on photos, videos and the live camera.")

  @Argument(parsing: .captureForPassthrough) var words: [String] = []
}

struct RepositoryProgram: ExternalCommand {
  static let configuration = CommandConfiguration(
    commandName: "repository",
    abstract: "Host and publish models, and control which clients get them.")

  @Argument(parsing: .captureForPassthrough) var words: [String] = []
}
