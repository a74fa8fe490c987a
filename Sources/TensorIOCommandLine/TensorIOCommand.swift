// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import TensorIO

/// The command line: the only place that names all backends.
struct TensorIOCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tensorio",
    abstract: "Run, train, inspect and measure models that a model.json describes.",
    discussion: """
      A model is a folder, NAME.tiobundle, with a model.json that says what goes in and what \
      comes out, and the model itself: a TensorFlow Lite file, or a SavedModel of TensorFlow.

      Exit codes: 0 done, 64 wrong usage, 65 a bad bundle, model or input, 66 a file is missing, \
      69 a native library is missing, 70 a fault of this program; parity: 1 when tensors differ; \
      evaluate, merge: 1 when a gate is not met; evaluate, bulk: 130 interrupted.
      """,
    version: Version.current,
    subcommands: [
      RunCommand.self, InspectCommand.self, ValidateCommand.self, InitCommand.self,
      ParityCommand.self, BenchCommand.self, TrainCommand.self,
      EvaluateCommand.self, MergeCommand.self, CompareCommand.self, BulkCommand.self,
      LabelCommand.self, NetRunnerCommand.self, RepositoryCommand.self, SessionWorkerCommand.self,
    ])

  static func main() {
    ProcessGuard.begin(for: CommandLine.arguments)
    do {
      let words = Self.words(CommandLine.arguments.dropFirst())
      try CommandSpelling.check(words, against: Self.self)
      var command = try parseAsRoot(words)
      try command.run()
    } catch {
      exit(reporting: error)
    }
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
  private static func exit(reporting error: any Error) -> Never {
    guard let error = error as? any ReportedError else {
      // Help is data; a wrong word of the command line may be the name of somebody else's file.
      let code = exitCode(for: error)
      let text = fullMessage(for: error)
      if !text.isEmpty { code == .success ? Console.printData(text) : Console.printMessage(text) }
      Console.exit(code.rawValue)
    }
    Console.printMessage("error: \(error.message)")
    if let places = (error as? TensorIOError)?.searchedPlaces { Console.printMessage(places) }
    Console.exit(error.exitCode)
  }
}

/// An error that is told in one sentence, without the usage.
protocol ReportedError: Error {
  /// What people read.
  var message: String { get }
  /// The exit code that tells a script what kind of failure it was.
  var exitCode: Int32 { get }
}

extension TensorIOError: ReportedError {
  /// Where a missing library was looked for, line by line; nil for another error.
  fileprivate var searchedPlaces: String? {
    guard code == .missingLibrary else { return nil }
    var cause = self.cause
    while let error = cause as? TensorIOError { cause = error.cause }
    // A single place is in the message.
    return cause.map { "\($0)" }.flatMap { $0.split(separator: "\n").count > 2 ? $0 : nil }
  }

  var exitCode: Int32 {
    switch code {
    case .fileNotFound: 66
    case .missingLibrary: 69
    case .fileExists, .invalidOption: 64
    case .internalFault: 70
    default: 65
    }
  }
}
