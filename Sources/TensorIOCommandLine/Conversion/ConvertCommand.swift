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

      Both models are then run on the same random values. Without --quantize, the bundle is written only \
      if their results agree.
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
      How the weights are stored: float16, or dynamic for whole numbers of 8 bits. (default: as they are)
      """)
  var quantize: Quantization?

  @Option(
    help: ArgumentHelp(
      "The Python that converts the model. (default: TENSORIO_PYTHON, or python3 on PATH)",
      valueName: "path"), completion: .file())
  var python: String?

  enum Quantization: String, CaseIterable, ExpressibleByArgument {
    case float16, dynamic
  }
}
