// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import TensorIO

/// `tensorio inspect`: what a bundle or a model file says of itself.
struct InspectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract: "Show what a bundle or a model says of itself.",
    discussion: """
      Signatures with their inputs and outputs, types, shapes and quantization, and what the \
      file's metadata tells; of a bundle also what model.json describes, and where the two \
      disagree.

      With --json, one object:

      path      as it was given
      kind      "model" or "bundle"
      bundle    null, or an object: name, details, id, version, author, license,
                placeholder, file, backend, type, class, quantized, modes, inputs,
                outputs, placeholders, options
      model     null, or an object: file, bytes, signatures; name, description,
                version, author and license from the metadata
      warnings  a list of severity, code, path, message

      A signature has key, inputs and outputs; each of these index, name, type,
      shape, quantization (scales, zero_points, axis) and metadata (name,
      description, content, color_space, normalization, minimum, maximum, labels,
      value_labels, score_threshold).

      A layer of a bundle has name, type, shape and dtype; numbers also quantization,
      labels_file and labels; pictures format, layout, resize, crop (mode, fraction,
      color), normalize or denormalize (scale, bias); class maps format, layout,
      labels_file and labels.

      What is not known is null.
      """)

  @Argument(help: "A bundle, or a .tflite file.", completion: .file())
  var path: String

  @Flag(help: "Print JSON.")
  var json = false

  func run() throws {
    let report = try ModelReport(path: path)
    if json {
      try Console.printJSON(report.json)
    } else {
      Console.printData(report.text)
    }
  }
}
