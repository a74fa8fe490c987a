// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

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

  private static let stored = Mutex(TensorIOTool())

  /// What the commands of this process use.
  static var current: TensorIOTool { stored.withLock { $0 } }

  /// Runs the command line of this process, and ends the process with its exit code where it fails.
  ///
  /// - Parameter extend: Adds output formats and metrics.
  public static func main(adding extend: (inout TensorIOTool) -> Void = { _ in }) {
    var tool = TensorIOTool()
    extend(&tool)
    stored.withLock { $0 = tool }
    TensorIOCommand.main()
  }
}
