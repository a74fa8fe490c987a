// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
import ModelCommands
import TensorIO

/// Runs the command line of a process, as every program of the package does.
package enum Program {
  /// Runs a command with the words of the command line, and ends the process where it fails.
  ///
  /// - Parameters:
  ///   - root: The program's command.
  ///   - name: What a person writes to get it: "tensorio", or "tensorio repository".
  package static func run(_ root: any ParsableCommand.Type, called name: String) {
    do {
      let words = words(CommandLine.arguments.dropFirst())
      if var command = parseAlone(words, of: root) { return try command.run() }
      try CommandSpelling.check(words, against: root, called: name)
      var command = try root.parseAsRoot(words)
      try command.run()
    } catch {
      exit(reporting: error, of: root)
    }
  }

  /// The command that the first word names, parsed without the commands above it, which takes half as
  /// long; nil where that gives no command that can run, and the whole tree is to say why.
  ///
  /// Only for a command that says with `_superCommandName` that it may stand alone.
  private static func parseAlone(
    _ words: [String], of root: any ParsableCommand.Type
  ) -> (any ParsableCommand)? {
    guard let name = words.first,
      let type = root.configuration.subcommands.first(where: { $0._commandName == name }),
      type.configuration._superCommandName != nil,
      let command = try? type.parseAsRoot(Array(words.dropFirst())), Swift.type(of: command) == type
    else { return nil }
    return command
  }

  /// The words of the command line, a negative number that is a VALUE marked as no option.
  ///
  /// The parser takes every word with a dash for an option, and no option of ours is a digit. JSON
  /// may begin with a space.
  private static func words(_ arguments: ArraySlice<String>) -> [String] {
    zip(arguments, [""] + arguments).map { word, previous in
      let isNegativeNumber = word.hasPrefix("-") && word.dropFirst().first?.isWholeNumber == true
      return isNegativeNumber && !numericOptions.contains(previous) ? " " + word : word
    }
  }

  /// The options whose value may look like an option.
  private static let numericOptions = [
    "--threshold", "--tolerance", "--label-offset", "--ignore-class",
  ]

  /// Ends the process: what was thrown goes to standard error, and its kind into the exit code.
  static func exit(reporting error: any Error, of root: any ParsableCommand.Type) -> Never {
    guard let error = error as? any ReportedError else {
      // Help is data; a wrong word of the command line may be the name of somebody else's file.
      let code = root.exitCode(for: error)
      let text = root.fullMessage(for: error)
      if !text.isEmpty { code == .success ? Console.printData(text) : Console.printMessage(text) }
      Console.exit(code.rawValue)
    }
    Console.printMessage("error: \(error.message)")
    if let places = (error as? TensorIOError)?.searchedPlaces { Console.printMessage(places) }
    Console.exit(error.exitCode)
  }
}
