// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import TensorIO
import TensorIOImageCodecs

/// The command `tensorio run`.
struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Run a model once and print what it gives.",
    discussion: """
      Examples:
        tensorio run digits.tiobundle photo.png --top 3
        tensorio run prices.tiobundle '[1890, 3, 2, 1.6]'
        tensorio run two.tiobundle --input x='[1, 2]' --input y=@y.npy --json
      """)

  @OptionGroup var arguments: ModelArguments

  @Option(
    name: .long, help: "Print this many labels, highest first (a person sees 5 by default).")
  var top: Int?

  @Option(
    name: .long, parsing: .unconditional,
    help: "Print only labels with a value greater than this.")
  var threshold: Float?

  @Option(name: .long, help: "Run this many times; the latencies are means.")
  var iterations: Int = 1

  @Option(
    name: .long, parsing: .singleValue,
    help: ArgumentHelp(
      "Write an image output to a .png or .jpg file; may be repeated.", valueName: "name=path"))
  var outputImage: [NamedArgument] = []

  @Flag(name: .long, help: "Print JSON.")
  var json = false

  func validate() throws {
    if let top, top < 1 { throw ValidationError("--top takes a positive number, got \(top).") }
    guard iterations >= 1 else {
      throw ValidationError("--iterations takes a positive number, got \(iterations).")
    }
  }

  func run() throws {
    let deadline = Deadline(seconds: arguments.timeout)
    try deadline.watch {
      let printer = OutputPrinter(top: top, threshold: threshold)
      guard let model = try arguments.loadModel(cancellation: deadline.token) else {
        return try printer.printPlaceholder(asJSON: json)
      }
      let clock = ContinuousClock()
      let start = clock.now
      let inputs = try arguments.readInputs(for: try model.signature)
      let reading = clock.now - start
      let (outputs, latency) = try repeatRun(of: model, on: inputs, reading: reading)
      let images = try writeImages(outputs)
      if json {
        try printer.printJSON(outputs, latency, images: images)
      } else {
        try printer.printText(outputs, latency, images: images)
      }
    }
  }

  /// Runs the model; Ctrl-C ends the repetitions early, and what there is counts.
  private func repeatRun(
    of model: InferenceModel, on inputs: ModelInputs, reading: Duration
  ) throws -> (ModelOutputs, RunLatency) {
    let interruption = iterations > 1 ? Interruption() : nil
    var (outputs, sum) = try model.measure(inputs)
    var count = 1
    while count < iterations && interruption?.isRequested != true {
      let (next, latency) = try model.measure(inputs)
      outputs = next
      sum.preprocess += latency.preprocess
      sum.inference += latency.inference
      sum.postprocess += latency.postprocess
      count += 1
    }
    if count < iterations {
      Console.printMessage("interrupted after \(count) of \(iterations) runs")
    }
    return (
      outputs,
      RunLatency(
        preprocess: reading + sum.preprocess / count, inference: sum.inference / count,
        postprocess: sum.postprocess / count)
    )
  }

  private func writeImages(_ outputs: ModelOutputs) throws -> [String: String] {
    var written: [String: String] = [:]
    for argument in outputImage {
      let picture = try outputs[argument.name, as: PixelBuffer.self]
      try ImageEncoder().write(picture, to: argument.value)
      written[argument.name] = argument.value
    }
    return written
  }
}
