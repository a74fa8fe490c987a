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
      file's metadata tells; of a SavedModel also the tags of its graphs, and the placeholders \
      that its signatures depend on and do not list; of a bundle also what model.json describes, \
      and where the two disagree.

      Of a SavedModel the graph with the tag "serve" is shown, or "train" where there is no \
      other; of a bundle the one that its modes mean.

      With --json, one object:

      path      as it was given
      kind      "model" or "bundle"
      bundle    null, or an object: name, details, id, version, author, license,
                placeholder, file, backend, type, class, quantized, modes, inputs,
                outputs, placeholders, train_ops (name, exists), options
      model     null, or an object: file, backend, bytes, signatures; saved_model;
                name, description, version, author and license from the metadata
      warnings  a list of severity, code, path, message

      saved_model is null, or an object: tensorflow_version, tags (of the graph shown),
      graphs (the tags of each), variables (whether it has any), files (name, bytes),
      train_ops (name, needs: the placeholders), results (tensors that nothing reads, where
      there are no signatures).

      A signature has key, inputs, placeholders and outputs; each of these index, name,
      tensor (the graph's name), type, shape, has_default (a run needs no value),
      quantization (scales, zero_points, axis) and metadata (name, description, content,
      color_space, normalization, minimum, maximum, labels, value_labels,
      score_threshold).

      A layer of a bundle has name, type, shape and dtype; numbers also quantization,
      labels_file and labels; pictures format, layout, resize, crop (mode, fraction,
      color), normalize or denormalize (scale, bias); class maps format, layout,
      labels_file and labels.

      What is not known is null, as the shape of a tensor of any rank.
      """)

  @Argument(help: "A bundle, a .tflite file, or a SavedModel's folder.", completion: .file())
  var path: String

  @Option(name: .long, help: MemoryLimit.help)
  var memoryLimit = MemoryLimit.standard

  @Flag(help: "Print JSON.")
  var json = false

  func run() throws {
    let report = try ModelReport(path: path, memoryLimit: memoryLimit)
    if json {
      try Console.printJSON(report.json)
    } else {
      Console.printData(report.text)
    }
  }
}
