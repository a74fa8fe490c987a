// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ModelTools
import TensorIO
import TensorIOLiteRT

struct InspectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract: "Show what is in a bundle or a model.",
    discussion: """
      Shows the signatures with their inputs and outputs, types, shapes and quantization, and \
      the file's metadata. For a SavedModel, it also shows the tags of the graphs, and the \
      placeholders that the signatures depend on but don't list. For a bundle, it also shows \
      what model.json describes, and where the description and the model disagree.

      For a SavedModel, the graph with the tag "serve" is shown, or "train" if there is no \
      other. For a bundle, the graph that the bundle's modes select is shown.

      With --json, the output is one object:

      path      the path as given
      kind      "model" or "bundle"
      bundle    null, or an object: name, details, id, version, author, license,
                placeholder, file, backend, type, class, quantized, modes, inputs,
                outputs, placeholders, train_ops (name, exists), options
      model     null, or an object: file, backend, bytes, signatures, saved_model;
                name, description, version, author and license from the metadata
      warnings  a list of objects: severity, code, path, message

      saved_model is null, or an object: tensorflow_version, tags (of the graph shown),
      graphs (the tags of each), variables (whether it has any), files (name, bytes),
      train_ops (name, needs: the placeholders), results (tensors that nothing reads, if
      there are no signatures).

      A signature has key, inputs, placeholders and outputs. Each of these has index, name,
      tensor (its name in the graph), type, shape, has_default (a run needs no value),
      quantization (scales, zero_points, axis) and metadata (name, description, content,
      color_space, normalization, minimum, maximum, labels, value_labels,
      score_threshold).

      A layer of a bundle has name, type, shape and dtype. Numbers also have quantization,
      labels_file and labels. Images have format, layout, resize, crop (mode, fraction,
      color), normalize or denormalize (scale, bias). Class maps have format, layout,
      labels_file and labels.

      Unknown values are null, such as the shape of a tensor of any rank.

      With --graph, the output is instead the operators of a TensorFlow Lite model in the order in \
      which they run. LiteRT isn't needed, so this also works for models that it refuses. As JSON, \
      the output is one object:

      bytes           the size of the file
      constant_bytes  the size of all constants
      graphs          the main graph and others: signatures (their keys), inputs, outputs, operators
                      (name, inputs, outputs), tensors (name, shape, type, constant_bytes,
                      variable, quantization: scale, zero_point, count, axis)
      totals          a list of objects: operator, count, constant_bytes

      Inputs and outputs are indexes of tensors. -1 is an input that is left out, or an index \
      that the file doesn't have.

      With --times, the model is run with zeros, and LiteRT's profiler measures its operators: with \
      LiteRT's built-in kernels, whose times belong to the operators of the file, and with XNNPACK, \
      which other commands use and whose steps differ from the file's operators. The output is the \
      slowest of both, or with --graph also the time of each operator. As JSON, the output is one \
      object, or with --graph the key times of the graph:

      built_in        runs, run_microseconds, steps (name, graph, operator: index in the graph,
                      microseconds, share); or only error, if the model doesn't run with them
      xnnpack         the same, with null as the operator of XNNPACK's own steps

      Times are means of the faster half of the runs.
      """)

  @Argument(help: "A bundle, a .tflite file, or a SavedModel's folder.", completion: .file())
  var path: String

  @Option(help: MemoryLimit.help)
  var memoryLimit = MemoryLimit.standard

  @Flag(help: "Print JSON.")
  var json = false

  @Flag(help: "Show the operators of a TensorFlow Lite model instead.")
  var graph = false

  @Flag(help: "Measure the operators of a TensorFlow Lite model.")
  var times = false

  /// The most seconds that all measured runs may take.
  private static let measuringSeconds = 60.0

  func run() throws {
    if graph || times { return try showOperators() }
    let report = try ModelReport(
      path: path, liteRT: LiteRTBackend(limits: memoryLimit.liteRTLimits),
      backends: Backends.isolated(by: memoryLimit),
      willRead: { ProcessGuard.limitModel(at: $0, by: memoryLimit) })
    if json {
      try Console.printJSON(report.json)
    } else {
      Console.printData(report.text)
    }
  }

  private func showOperators() throws {
    let kind = try ModelKind(of: path)
    let model = kind == .bundle ? try ModelBundle(path).modelPath : path
    guard let model, kind != .savedModel, !FileSystem.isFolder(model) else {
      throw TensorIOError(
        .unsupportedModel, "'\(path)' has no TensorFlow Lite model, whose graph could be shown.")
    }
    ProcessGuard.limitModel(
      at: model, by: memoryLimit, seconds: times ? Self.measuringSeconds : nil)
    let graph = graph ? try ModelGraph(contentsOf: model) : nil
    let report =
      times
      ? try OperatorReport(
        model: model, backend: LiteRTBackend(limits: memoryLimit.liteRTLimits)) : nil
    if json {
      try Console.printJSON(graph?.json(with: report) ?? report?.json ?? .null)
    } else {
      let texts = [graph?.text(with: report), report?.text].compactMap { $0 }
      Console.printData(texts.joined(separator: "\n\n"))
    }
  }
}
