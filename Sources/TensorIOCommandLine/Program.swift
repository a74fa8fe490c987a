// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
import ModelCommands
import TensorIO

/// Runs the command line of a process, for every program of the package.
package enum Program {
  /// Runs a command with the words of the command line, and ends the process if it fails.
  ///
  /// The name is what the user writes to get the root command, such as "tensorio repository".
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

  /// Parses only the subcommand that the first word names, which takes half as long as the whole
  /// tree.
  ///
  /// This is only for a command that sets `_superCommandName`, which shows that it may be parsed
  /// alone. The result is nil if parsing fails, so that the whole command tree reports the error.
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

  /// Returns the words of the command line, with a space before each VALUE that is a negative
  /// number.
  ///
  /// The parser treats every word with a leading dash as an option. No option of this program
  /// begins with a digit, and JSON may begin with a space.
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

  /// Prints an error to standard error, and ends the process with the exit code for its kind.
  static func exit(reporting error: any Error, of root: any ParsableCommand.Type) -> Never {
    guard let error = error as? any ReportedError else {
      // Help goes to standard output and messages to standard error. A message may quote a wrong
      // word, such as the name of somebody else's file, so `Console` prints it.
      let code = root.exitCode(for: error)
      let text = root.fullMessage(for: error)
      if !text.isEmpty { code == .success ? Console.printData(text) : Console.printMessage(text) }
      Console.end(code.rawValue)
    }
    Console.printMessage("error: \(error.message)")
    if let places = (error as? TensorIOError)?.searchedPlaces { Console.printMessage(places) }
    Console.end(error.exitCode)
  }
}

/// The behaviour of the server programs when they are built without their libraries.
package enum MissingTrait {
  package static func exit(of program: String) -> Never {
    Console.printMessage(
      "error: This \(program) has no server, because it was built without the trait Servers. Build "
        + "it with 'swift build --traits Servers --product \(program)'.")
    Console.end(69)
  }
}

/// Finds a misspelt command, for which the parser only reports an unexpected word.
enum CommandSpelling {
  /// Checks that each word that should be a command is one, and suggests the one that was meant.
  static func check(
    _ words: [String], against root: any ParsableCommand.Type, called name: String
  ) throws {
    var command = root
    var path = name
    for word in words {
      let subcommands = command.configuration.subcommands
      guard !subcommands.isEmpty, !word.hasPrefix("-") else { return }
      if let next = subcommands.first(where: { $0._commandName == word }) {
        command = next
        path += " " + word
        continue
      }
      // A group may have a default subcommand, which takes the word as its own argument.
      guard word != "help", command.configuration.defaultSubcommand == nil else { return }
      let names = subcommands.filter { $0.configuration.shouldDisplay }.map { $0._commandName }
      let meant = Spelling.suggestion(for: word, among: names)
      throw TensorIOError(
        .invalidOption,
        "There is no command '\(path) \(word)'. "
          + (meant.map { "Did you mean '\(path) \($0)'?" } ?? hint(word, path, names)))
    }
  }

  /// Returns a hint for a word that resembles no command; a file is most likely a model.
  private static func hint(_ word: String, _ path: String, _ names: [String]) -> String {
    if path == "tensorio", FileSystem.isFile(word) || FileSystem.isFolder(word) {
      return "To run a model, write 'tensorio run \(word)'."
    }
    return "The commands are \(names.joined(separator: ", ")); '\(path) --help' describes them."
  }
}
