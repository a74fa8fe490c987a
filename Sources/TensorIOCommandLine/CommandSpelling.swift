// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ModelCommands
import TensorIO

/// Finds a misspelt command, for which the parser only reports an unexpected word.
enum CommandSpelling {
  /// Checks that each word that should be a command is one.
  ///
  /// - Parameters:
  ///   - words: The words of the command line.
  ///   - root: The command whose subcommands the first word may name.
  ///   - name: What the user writes to get the root command.
  /// - Throws: `TensorIOError` with the command that the user probably meant.
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

  /// Returns a hint for a word that resembles no command.
  ///
  /// If the word is a file, it is most likely a model.
  private static func hint(_ word: String, _ path: String, _ names: [String]) -> String {
    if path == "tensorio", FileSystem.isFile(word) || FileSystem.isFolder(word) {
      return "To run a model, write 'tensorio run \(word)'."
    }
    return "The commands are \(names.joined(separator: ", ")); '\(path) --help' describes them."
  }
}
