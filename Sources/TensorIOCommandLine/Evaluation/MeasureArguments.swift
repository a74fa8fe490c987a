// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
import ModelCommands
public import NetRunner
import TensorIO

struct MeasureArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A metric; may be repeated. Default: metrics that suit the labels. Known: "
        + TensorIOTool.current.metrics.names.joined(separator: ", ") + ".", valueName: "name"))
  var metric: [String] = []

  @Option(help: "The k of top-k accuracy.")
  var topK = 5

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The number to add to class numbers of the dataset: 1 if the model's class 0 is a background "
        + "that the dataset doesn't count, -1 for the opposite case.", valueName: "number"))
  var labelOffset = 0

  @Option(
    help: ArgumentHelp(
      "A .csv of two columns, or a .json object, with the model's label for labels of the dataset "
        + "that the model doesn't know.", valueName: "file"), completion: .file())
  var labelMap: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The class whose pixels segmentation metrics ignore.", valueName: "class"))
  var ignoreClass = 255

  @Option(help: "The seed for resampled intervals, and for the choice of images with --limit.")
  var seed: UInt64 = 0

  func validate() throws {
    try checkUsage(topK >= 1, "--top-k takes a positive number, got \(topK).")
    let known = TensorIOTool.current.metrics.names
    for name in metric where !known.contains(name) {
      throw ValidationError(
        "There is no metric '\(name)'. The metrics are \(known.joined(separator: ", ")).")
    }
  }

  func apply(to options: inout EvaluationOptions) throws {
    options.metrics = metric
    options.registry = TensorIOTool.current.metrics
    options.topK = topK
    options.labelOffset = labelOffset
    if let labelMap { try options.readLabelMap(labelMap) }
    options.ignoredClass = ignoreClass
    options.seed = seed
  }
}

/// The outputs that rows keep: `all`, `none` or a number.
extension KeptOutputs: ExpressibleByArgument {
  public init?(argument: String) {
    switch argument {
    case "all": self = .all
    case "none": self = .none
    default:
      guard let count = Int(argument), count >= 1 else { return nil }
      self = .top(count)
    }
  }
}

/// A gate, which is a number and the value that it must reach, such as `top1=0.7`.
extension Gate: ExpressibleByArgument {
  public init?(argument: String) {
    // The parser's own message already says what the option takes.
    guard let gate = try? Gate(parsing: argument) else { return nil }
    self = gate
  }
}

extension Dataset.Layout: ExpressibleByArgument {}
