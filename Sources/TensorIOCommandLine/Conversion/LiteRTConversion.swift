// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ModelCommands
import ModelTools
import TensorIO
import TensorIOTensorFlow

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Converts a bundle of TensorFlow to one of TensorFlow Lite.
struct LiteRTConversion {
  private let arguments: ConversionArguments
  private let python: PythonInterpreter
  private let samples: CalibrationSamples?

  /// The model's file in the new bundle.
  private static let modelFile = "model.tflite"

  /// Finds Python and the samples.
  init(_ arguments: ConversionArguments) throws {
    self.arguments = arguments
    samples =
      arguments.samples.isEmpty
      ? nil : try CalibrationSamples(arguments.samples, limit: arguments.sampleLimit)
    python = try PythonInterpreter(arguments.python)
  }

  /// Converts a model before a long training, so that whatever can't be exported or converted is found then.
  ///
  /// A trial takes about as long as the conversion itself, but compares no results and needs only one sample.
  ///
  /// - Parameters:
  ///   - model: The model to train.
  ///   - outputs: The outputs of the bundle; nil chooses those for inference.
  ///   - classes: The labels of outputs without labels.
  /// - Throws: `TensorIOError` when the model can't be exported or converted.
  func check(_ model: TrainableModel, outputs: [String]?, classes: [String]) throws {
    guard model.bundle.backendName != "tflite" else {
      throw TensorIOError(
        .unsupportedModel,
        "--export-tflite converts models of TensorFlow, and '\(model.bundle.path)' is a TensorFlow Lite model "
          + "already. Pass --export NAME\(BundleWriter.fileExtension) instead.")
    }
    let folder = try TemporaryFolder(" for a trial of the conversion")
    let whole = folder.path + "/trial" + BundleWriter.fileExtension
    try model.exportBundle(
      to: whole, outputs: outputs, classes: classes, isLasting: false)
    let bundle = try ModelBundle(whole)
    let answer = try runConverter(
      bundle, model: modelFolder(of: bundle), target: folder.path + "/" + Self.modelFile,
      mostRuns: 1)
    _ = try document(of: bundle, answer)
  }

  /// Writes a bundle of TensorFlow Lite with what a model has learned.
  ///
  /// - Parameters:
  ///   - model: The trained model.
  ///   - outputs: The outputs of the bundle; nil chooses those for inference.
  ///   - classes: The labels of outputs without labels.
  ///   - path: The bundle to write.
  /// - Returns: How much its results differ from those of the model.
  /// - Throws: `TensorIOError` when the model can't be exported or converted.
  func export(
    _ model: TrainableModel, outputs: [String]?, classes: [String], to path: String
  ) throws -> ModelComparison {
    let folder = try TemporaryFolder(" for the trained model")
    let whole = folder.path + "/trained" + BundleWriter.fileExtension
    try model.exportBundle(
      to: whole, outputs: outputs, classes: classes, isLasting: false)
    return try convert(ModelBundle(whole), to: BundleWriter(destination: path))
  }

  /// What the Python program returns: the names of the layers, in the order of the new model's tensors.
  private struct Answer: Decodable {
    var inputs: [String]
    var outputs: [String]
  }

  /// Writes the new bundle.
  ///
  /// - Returns: How much its results differ from those of the old one.
  /// - Throws: `TensorIOError` if the model can't be converted, or if the results differ without a
  ///   quantization.
  func convert(_ bundle: ModelBundle, to writer: BundleWriter) throws -> ModelComparison {
    let path = try modelFolder(of: bundle)
    try writer.checkDestination()
    var comparison: ModelComparison?
    try writer.write { folder in
      let answer = try runConverter(
        bundle, model: path, target: folder + "/" + Self.modelFile)
      try Data(try document(of: bundle, answer).utf8).write(
        to: URL(filePath: folder + "/model.json"))
      let assets = bundle.path + "/assets"
      if FileSystem.isFolder(assets) {
        try FileManager.default.copyItem(atPath: assets, toPath: folder + "/assets")
      }
    } check: { written in
      let found = try ModelComparison(of: bundle, written, on: samples)
      comparison = found
      guard arguments.quantize == nil, !found.agrees else { return }
      throw TensorIOError(
        .invalidModel,
        "The converted model gives other results than '\(bundle.path)': \(found.text). Nothing was "
          + "written.")
    }
    guard let comparison else {
      throw TensorIOError(.internalFault, "The converted model wasn't compared.")
    }
    return comparison
  }

  /// Returns the folder of a bundle's SavedModel.
  ///
  /// - Throws: `TensorIOError` when the bundle has no model of TensorFlow for inference.
  private func modelFolder(of bundle: ModelBundle) throws -> String {
    let manifest = bundle.manifest
    let path = bundle.path + "/" + manifest.model.file
    guard FileSystem.isFolder(path) || bundle.backendName != "tflite" else {
      throw TensorIOError(
        .unsupportedModel,
        "'\(bundle.path)' is a TensorFlow Lite model already. 'tensorio convert' takes the bundle of a "
          + "TensorFlow model, such as one of 'tensorio train ... --export NAME.tiobundle'.")
    }
    guard FileSystem.isFolder(path), manifest.model.modes.contains(.predict) else {
      throw TensorIOError(
        .unsupportedModel,
        "'\(bundle.path)' isn't a TensorFlow model for inference. Export a trained model as a bundle first: "
          + "'tensorio train ... --export NAME.tiobundle'.")
    }
    return path
  }

  /// Runs Python's converter.
  ///
  /// - Parameters:
  ///   - bundle: The bundle to convert.
  ///   - model: Its SavedModel.
  ///   - target: The file to write.
  ///   - mostRuns: The most runs of the model on samples, all of which are prepared.
  /// - Returns: The layers of the new model.
  /// - Throws: `TensorIOError` when the model can't be converted, or a sample doesn't suit it.
  private func runConverter(
    _ bundle: ModelBundle, model: String, target: String, mostRuns: Int = .max
  ) throws -> Answer {
    let manifest = bundle.manifest
    let tags = try TensorFlowBackend().graphTags(ofModelAt: model)
    let folder = try samples.map { _ in try TemporaryFolder(" for the samples") }
    let runs = try folder.flatMap { try samples?.write(for: bundle, to: $0.path) }
    let argument = JSONValue.object([
      "model": .string(model), "target": .string(target),
      "tags": .strings(tags.first { $0.contains("serve") } ?? tags.first ?? []),
      "signature": .stringOrNull(manifest.model.signature),
      "inputs": .strings(manifest.inputs.map(\.name)),
      "outputs": .strings(manifest.outputs.map(\.name)),
      "quantize": .stringOrNull(arguments.quantize?.rawValue),
      "samples": .stringOrNull(folder?.path), "runs": .integer(Int64(min(runs ?? 0, mostRuns))),
    ])
    let (answer, messages) = try withExtendedLifetime(folder) {
      try python.run(Self.program, try argument.text())
    }
    guard let answer else { throw failure(messages) }
    return try JSONDecoder().decode(Answer.self, from: answer)
  }

  /// Returns the error that the messages of Python show.
  private func failure(_ messages: String) -> TensorIOError {
    if messages.contains("No module named 'tensorflow'") {
      return TensorIOError(
        .missingLibrary,
        "'\(python.path)' has no TensorFlow. Install it with '\(python.path) -m pip install tensorflow', "
          + "or name another Python with --python.")
    }
    // The converter also prints its own program, an operation a line.
    let operation = #/^\s*(?:%|\^bb|\}|func\.func|"tfl?\.)|see current operation/#
    let lines = messages.split(whereSeparator: \.isNewline)
      .filter { $0.firstMatch(of: operation) == nil }.suffix(12).map { $0.prefix(300) }
    return TensorIOError(
      .unsupportedModel,
      "Python's converter failed:\n" + lines.map { "  \($0)" }.joined(separator: "\n"))
  }

  /// Returns the model.json of the new bundle.
  private func document(of bundle: ModelBundle, _ answer: Answer) throws -> String {
    guard
      case .object(var root) = try JSONValue(parsing: FileSystem.read(bundle.path + "/model.json")),
      case .object(var model) = root["model"]
    else {
      throw TensorIOError(
        .invalidBundle, "'\(bundle.path)/model.json' changed and isn't valid any more.")
    }
    model["file"] = .string(Self.modelFile)
    model["backend"] = .string("tflite")
    model["signature"] = nil
    root["model"] = .object(model)
    for (key, names) in [("inputs", answer.inputs), ("outputs", answer.outputs)] {
      guard case .array(let layers) = root[key] else { continue }
      root[key] = .array(
        names.compactMap { name in
          layers.first {
            if case .object(let layer) = $0 { layer["name"] == .string(name) } else { false }
          }
        })
    }
    return OrderedJSON(.object(root)).text
  }

  /// Converts a SavedModel: one of TensorFlow 2 by a signature whose keys the layers name, and a graph of
  /// TensorFlow 1 by its tensors.
  private static let program = """
    import json
    import numpy as np
    import tensorflow as tf
    given = json.loads(sys.argv[1])
    inputs, outputs, tags = given["inputs"], given["outputs"], given["tags"]
    v1 = tf.compat.v1

    def samples():
        for run in range(given["runs"]):
            files = [f"{given['samples']}/{run:06d}-{index}.npy" for index in range(len(given["inputs"]))]
            arrays = [np.load(file) for file in files]
            yield (key, dict(zip(given["inputs"], arrays))) if is_function else arrays

    def converted(converter):
        if given["quantize"]:
            converter.optimizations = [tf.lite.Optimize.DEFAULT]
        if given["quantize"] == "float16":
            converter.target_spec.supported_types = [tf.float16]
        if given["quantize"] == "int8":
            converter.representative_dataset = samples
        return converter.convert()

    def part(source, key):
        # The converter takes whole signatures, and the bundle may describe only some of the outputs.
        loaded = tf.saved_model.load(source, tags)
        whole = loaded.signatures[key]
        def wanted(**values):
            found = whole(**values)
            return {name: found[name] for name in outputs}
        specs = whole.structured_input_signature[1]
        function = tf.function(wanted, autograph=False).get_concrete_function(**specs)
        target = sys.argv[2] + "/part"
        tf.saved_model.save(loaded, target, signatures={key: function})
        return target

    with v1.Session(graph=tf.Graph()) as session:
        signatures = v1.saved_model.loader.load(session, tags, given["model"]).signature_def
        def suits(key):
            signature = signatures[key]
            return set(inputs) <= set(signature.inputs) and set(outputs) <= set(signature.outputs)
        named = given["signature"]
        others = sorted(signatures, key=lambda key: key == "train")
        keys = [named] if named and named in signatures else others
        key = next(filter(suits, keys), None)
        def tensor(name):
            if key is not None:
                signature = signatures[key]
                info = signature.inputs[name] if name in signature.inputs else signature.outputs[name]
                return session.graph.get_tensor_by_name(info.name)
            return session.graph.get_tensor_by_name(name if ":" in name else name + ":0")
        is_function = key is not None and any(
            node.type in ("StatefulPartitionedCall", "PartitionedCall")
            for node in session.graph.get_operations())
        if not is_function:
            content = converted(v1.lite.TFLiteConverter.from_session(
                session, [tensor(name) for name in inputs], [tensor(name) for name in outputs]))
    if is_function:
        source = given["model"]
        if set(signatures[key].outputs) != set(outputs):
            source, tags = part(source, key), ["serve"]
        content = converted(tf.lite.TFLiteConverter.from_saved_model(
            source, signature_keys=[key], tags=set(tags)))
        interpreter = tf.lite.Interpreter(model_content=content)
        runner = interpreter.get_signature_runner(key)
        def ordered(details, tensors):
            places = {tensor["index"]: place for place, tensor in enumerate(tensors)}
            return sorted(details, key=lambda name: places[details[name]["index"]])
        inputs = ordered(runner.get_input_details(), interpreter.get_input_details())
        outputs = ordered(runner.get_output_details(), interpreter.get_output_details())
    with open(given["target"], "wb") as file:
        file.write(content)
    with open(sys.argv[2] + "/answer.json", "w") as file:
        json.dump({"inputs": inputs, "outputs": outputs}, file)
    """
}
