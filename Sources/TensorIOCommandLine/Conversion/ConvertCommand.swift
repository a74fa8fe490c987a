// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ModelCommands
import ModelTools
import TensorIO

struct ConvertCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "convert",
    abstract: "Convert a bundle of TensorFlow to one of TensorFlow Lite, with its description.",
    discussion: """
      The model is converted by Python's converter, so Python needs the package tensorflow. The inputs, \
      outputs, labels and files in assets/ stay as model.json describes them, and so does the preparation \
      of images.

        tensorio convert trained.tiobundle --output lite.tiobundle
        tensorio convert trained.tiobundle --output small.tiobundle --quantize float16
        tensorio convert trained.tiobundle --output fast.tiobundle --quantize int8 --samples photos

      Both models are then run on the samples, or on the same random values. Without --quantize, the bundle is \
      written only if their results agree.
      """)

  @Argument(help: "The bundle of a TensorFlow model for inference.", completion: .directory)
  var bundle: String

  @Option(
    name: .shortAndLong, help: ArgumentHelp("The bundle to write.", valueName: "name.tiobundle"),
    completion: .directory)
  var output: String

  @OptionGroup var conversion: ConversionArguments

  func run() throws {
    let comparison = try LiteRTConversion(conversion).convert(
      ModelBundle(bundle), to: BundleWriter(destination: output))
    Console.printMessage(comparison.text)
    Console.printMessage("converted: \(output)")
  }
}

/// How a model is converted to TensorFlow Lite.
struct ConversionArguments: ParsableArguments {
  @Option(
    help: """
      How the weights are stored: float16, or dynamic for whole numbers of 8 bits. int8 also computes with \
      whole numbers of 8 bits, whose ranges are those of --samples. (default: as they are)
      """)
  var quantize: Quantization?

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "For int8: photos, recordings, arrays, tables or folders of what the model will see.",
      valueName: "paths"), completion: .file())
  var samples: [String] = []

  @Option(
    help: ArgumentHelp(
      "The most samples that are used, which are spread over all of them.", valueName: "n"))
  var sampleLimit = 200

  @Option(
    help: ArgumentHelp(
      "The Python that converts the model. (default: TENSORIO_PYTHON, or python3 on PATH)",
      valueName: "path"), completion: .file())
  var python: String?

  enum Quantization: String, CaseIterable, ExpressibleByArgument {
    case float16, dynamic, int8
  }

  func validate() throws {
    try checkUsage(
      quantize != .int8 || !samples.isEmpty,
      "--quantize int8 needs --samples: a few hundred photos, or whatever the model will see.")
    try checkUsage(
      quantize == .int8 || samples.isEmpty, "--samples is only for --quantize int8.")
    try checkUsage(sampleLimit >= 1, "--sample-limit takes a number from 1.")
  }
}
