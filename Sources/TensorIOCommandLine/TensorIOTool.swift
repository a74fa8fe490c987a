// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
import ModelCommands
public import NetRunner
import Synchronization
import TensorIO
import TensorIOIsolation
import TensorIOLiteRT

/// The `tensorio` command, for programs that extend it with their own output formats and metrics.
///
/// ```swift
/// TensorIOTool.main { tool in
///   tool.outputFormats.register(ShortFormat(), named: "short")
///   tool.metrics.register("mine") { context in MyMetric(labels: context.labels) }
/// }
/// ```
///
/// The program then accepts the same command line as `tensorio`. Net Runner's page shows a model in
/// the new format if its `options.output_format` is `short`, and `evaluate --metric mine` uses the
/// new metric. Documentation/Evaluation.md has more.
public struct TensorIOTool: Sendable {
  /// The output formats, by name.
  public var outputFormats = OutputFormats()
  /// The metrics, by name.
  public var metrics = MetricRegistry()

  /// Additional commands; one with the name of a built-in command replaces it.
  ///
  /// `NetRunnerCommand` of the module `NetRunnerCommandLine` makes `netrunner` a part of the
  /// program, so that the page knows the program's formats and metrics.
  public var commands: [any ParsableCommand.Type] = []

  private static let stored = Mutex(TensorIOTool())

  package static var current: TensorIOTool { stored.withLock { $0 } }

  /// Runs the command line of this process, and ends the process with an exit code if it fails.
  ///
  /// - Parameter extend: A closure that adds output formats, metrics and commands.
  public static func main(adding extend: (inout TensorIOTool) -> Void = { _ in }) {
    // Scripts often ask for the version, and the parser takes most of the startup time.
    if CommandLine.arguments.count == 2, CommandLine.arguments[1] == "--version" {
      return Console.printData(Version.current)
    }
    var tool = TensorIOTool()
    extend(&tool)
    stored.withLock { $0 = tool }
    ProcessGuard.begin(for: CommandLine.arguments)
    do {
      try ExternalPrograms.start(Array(CommandLine.arguments.dropFirst()))
    } catch {
      Program.exit(reporting: error, of: TensorIOCommand.self)
    }
    Program.run(TensorIOCommand.self, called: "tensorio")
  }
}

struct TensorIOCommand: ParsableCommand {
  // This is evaluated only after `TensorIOTool.main` has stored what the program adds.
  static let configuration = CommandConfiguration(
    commandName: "tensorio",
    abstract: "Run, train, inspect and measure models that a model.json describes.",
    discussion: """
      A bundle is a folder NAME.tiobundle. It contains a model.json that describes the inputs and \
      outputs, and the model itself: a TensorFlow Lite file or a TensorFlow SavedModel.

      Exit codes: 0 success, 64 wrong usage, 65 a bad bundle, model or input, 66 a file is \
      missing, 69 a native library or a program is missing, 70 a bug in this program; parity: 1 if \
      the tensors differ; generate --check: 1 if the file is out of date; evaluate, merge: 1 if a \
      gate is not met; 130 interrupted, after the results so far were printed or saved.
      """,
    version: Version.current,
    subcommands: [
      ModelCommands.run, ModelCommands.inspect, ValidateCommand.self, ModelCommands.initialize,
      ModelCommands.metadata, GenerateCommand.self, ModelCommands.parity, BenchCommand.self,
      TrainCommand.self,
      ConvertCommand.self,
      EvaluateCommand.self, MergeCommand.self, CompareCommand.self, ListCommand.self,
      BulkCommand.self, WorkerCommand.self, LabelCommand.self, DoctorCommand.self,
      SessionWorkerCommand.self,
    ] + TensorIOTool.current.commands + ExternalPrograms.displayed)
}

/// The hidden command `tensorio session-worker`, which runs one model for the process that started
/// it.
package struct SessionWorkerCommand: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "session-worker", abstract: "Run one model for another tensorio process.",
    shouldDisplay: false)

  @Option(help: "The most memory that the process may reserve, in bytes.")
  var memory: Int

  @Argument(help: "The model's path, which the list of processes shows.")
  var model: String

  @Option(help: MemoryLimit.help)
  var memoryLimit = MemoryLimit.standard

  package init() {}

  package func run() throws {
    SessionWorker.serve(backends: Backends.limited(by: memoryLimit), memoryBytes: memory)
  }
}
