// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
import ModelCommands
public import NetRunner
import Synchronization

/// The `tensorio` command, for programs that add output formats and metrics of their own to it.
///
/// ```swift
/// TensorIOTool.main { tool in
///   tool.outputFormats.register(ShortFormat(), named: "short")
///   tool.metrics.register("mine") { context in MyMetric(labels: context.labels) }
/// }
/// ```
///
/// The program then takes the same command line as `tensorio`. A model whose `options.output_format`
/// is `short` is shown that way on Net Runner's page, and `evaluate --metric mine` measures by the
/// new metric. Source: Documentation/Evaluation.md.
public struct TensorIOTool: Sendable {
  /// The ways to show outputs, by name.
  public var outputFormats = OutputFormats()
  /// The metrics, by name.
  public var metrics = MetricRegistry()

  /// Commands besides the usual ones; one of a usual command's name takes its place.
  ///
  /// `NetRunnerCommand` of the module `NetRunnerCommandLine` makes `netrunner` a part of the program,
  /// so that the page knows the program's formats and metrics.
  public var commands: [any ParsableCommand.Type] = []

  private static let stored = Mutex(TensorIOTool())

  /// What the commands of this process use.
  package static var current: TensorIOTool { stored.withLock { $0 } }

  /// Runs the command line of this process, and ends the process with its exit code where it fails.
  ///
  /// - Parameter extend: Adds output formats, metrics and commands.
  public static func main(adding extend: (inout TensorIOTool) -> Void = { _ in }) {
    // Scripts ask for it at every start, and the parser takes most of a start.
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
