// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import TensorIO
import TensorIODecoding

struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", _superCommandName: "tensorio",
    abstract: "Run a model once and print its outputs.",
    discussion: """
      Examples:
        tensorio run digits.tiobundle photo.png --top 3
        tensorio run prices.tiobundle '[1890, 3, 2, 1.6]'
        tensorio run two.tiobundle --input x='[1, 2]' --input y=@y.npy --json
        tensorio run scene.tiobundle photo.jpg --output-image classes=classes.svg
        tensorio run faces.tiobundle photo.jpg --output-image faces=faces.svg
        tensorio run digits.tiobundle photo.png --preview seen
      """)

  @OptionGroup var arguments: ModelArguments

  @Option(help: "Print this many labels, highest first (default: 5 in text output).")
  var top: Int?

  @Option(parsing: .unconditional, help: "Print only labels with a value above this.")
  var threshold: Float?

  @Option(
    name: .customLong("iterations"),
    help: "Run the model this many times, and print mean latencies. (default: 1)")
  var givenIterations: Int?

  @Option(
    help: ArgumentHelp(
      "Write an image output to a .png or .jpg file; a class map can also go to an .svg file "
        + "with its legend, and objects go to an .svg file with the photo. May be repeated.",
      valueName: "name=path"))
  var outputImage: [NamedArgument] = []

  @Option(
    help: ArgumentHelp(
      "Write each input image as the model sees it, and its red, green and blue channels, as "
        + ".png files.", valueName: "folder"), completion: .directory)
  var preview: String?

  @Flag(help: "Print JSON.")
  var json = false

  private var iterations: Int { givenIterations ?? 1 }

  func validate() throws {
    if let top, top < 1 { throw ValidationError("--top takes a positive number, got \(top).") }
    try checkUsage(threshold?.isNaN != true, "--threshold takes a number, such as 0.5, got nan.")
    try checkUsage(iterations >= 1, "--iterations takes a positive number, got \(iterations).")
    var paths: [String: String] = [:]
    for argument in outputImage {
      if let first = paths.updateValue(argument.value, forKey: argument.name) {
        throw ValidationError(
          "--output-image takes each output once, got '\(argument.name)' twice: '\(first)' and "
            + "'\(argument.value)'.")
      }
    }
  }

  func run() throws {
    let deadline = Deadline(seconds: arguments.timeout)
    try deadline.watch {
      let printer = OutputPrinter(top: top, threshold: threshold)
      let accelerators = AcceleratorReport(arguments.accelerator)
      guard
        let model = try arguments.loadModel(cancellation: deadline.token, on: accelerators)
      else {
        return try printer.printPlaceholder(asJSON: json)
      }
      let signature = try model.loadSignature()
      try WrittenImages.check(outputImage, for: signature)
      let clock = ContinuousClock()
      let start = clock.now
      let inputs = try arguments.readInputs(for: signature)
      let reading = clock.now - start
      let (outputs, latency) = try signature.namingOption {
        let measured = try repeatRun(of: model, on: inputs, reading: reading)
        // The first run took the time of the trial, too. A model with state would go on from it.
        guard accelerators.isTried,
          try !model.loadWarnings().contains(where: { $0.code == .keepsState })
        else { return measured }
        return try repeatRun(of: model, on: inputs, reading: reading)
      }
      var images = WrittenImages()
      if let preview { try images.writePreviews(of: inputs, signature, to: preview) }
      // Each output is decoded once, for its file and for what is printed.
      let values = try outputs.values()
      try images.write(outputImage, of: values, signature, inputs)
      if json {
        try printer.printJSON(
          values, latency, images, with: accelerators.isAsked ? accelerators.members : [:])
      } else {
        try printer.printText(values, latency, images)
        if accelerators.isAsked { Console.printMessage("accelerator: \(accelerators.text())") }
      }
    }
    if Interruption.wasRequested { throw Interruption.exitCode }
  }

  /// Returns the last outputs with the mean latency of the runs, which Ctrl-C ends early.
  private func repeatRun(
    of model: InferenceModel, on inputs: ModelInputs, reading: Duration
  ) throws -> (ModelOutputs, RunLatency) {
    let interruption = iterations > 1 ? Interruption() : nil
    var (outputs, sum) = try model.measure(inputs)
    ProcessGuard.modelHasAnswered()
    var count = 1
    while count < iterations && interruption?.isRequested != true {
      let (next, latency) = try model.measure(inputs)
      outputs = next
      sum += latency
      count += 1
    }
    if count < iterations {
      Console.printMessage("interrupted after \(count) of \(iterations) runs")
    }
    var mean = sum / count
    mean.preprocess += reading
    return (outputs, mean)
  }
}
