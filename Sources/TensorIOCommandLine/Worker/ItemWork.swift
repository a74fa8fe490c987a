// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ModelCommands
import ModelTools
import NetRunner
import TensorIO
import TensorIODecoding
import TensorIOImageCodecs
import WorkerProtocol

/// Runs a model on items, and makes their answers.
struct ItemWork: Sendable {
  let rows: BulkRowMaker
  /// The members of the worker's first message that describe the model.
  let description: [String: JSONValue]
  private let evaluator: Evaluator
  private let signature: ModelSignature
  private let reader: InputReader

  /// Loads a model.
  ///
  /// - Parameters:
  ///   - bundle: The model.
  ///   - backends: What runs the model.
  ///   - options: The settings of a bulk run, with the number of sessions as `threads`.
  /// - Throws: `TensorIOError` if the model can't be loaded.
  init(
    _ bundle: ModelBundle, with backends: [any Backend], _ options: EvaluationOptions
  ) throws {
    evaluator = try Evaluator(bundle, backends, options)
    for warning in bundle.warnings + (try evaluator.model.loadWarnings()) {
      Console.printMessage("warning: \(warning)")
    }
    signature = try evaluator.model.loadSignature()
    reader = InputReader(scaling: options.decoder.scaling)
    let record = try ModelRecord(bundle, options.decoder)
    let run = try BulkRowMaker.stamp(of: record, options)
    rows = BulkRowMaker(evaluator, run: run, options)
    func layers(_ layers: [ModelManifest.Layer]) -> JSONValue {
      .array(layers.map { ModelReport.json($0, in: bundle) })
    }
    let floats = signature.outputs.filter(\.hasFloats).map { JSONValue.string($0.name) }
    description = [
      "model": .object([
        "id": .string(record.id), "name": .string(record.name), "sha256": .string(record.sha256),
        "bundle_sha256": .string(record.bundleSHA256 ?? ""),
        "preprocessing_sha256": .string(record.preprocessingSHA256),
      ]),
      "run": .string(run), "inputs": layers(bundle.manifest.inputs),
      "outputs": layers(bundle.manifest.outputs), "float_outputs": .array(floats),
    ]
  }

  /// Runs the model, and returns the answer; a failure is an answer, too.
  func reply(to job: Job) -> WorkerReply {
    do {
      switch job.item.form {
      case .row: return try row(of: job)
      case .inputs: return .tensors(job.item.id, try inputTensors(of: job.item))
      case .tensors:
        return .tensors(job.item.id, try run(job.item, with: Self.files).value)
      case .outputs:
        let (document, latency) = try run(job.item) { try $0.values() }
        return .outputs(job.item.id, try OutputPrinter().document(document, latency))
      }
    } catch let error as TensorIOError {
      return .failed(job.item.id, ItemFailure(error))
    } catch {
      return .failed(job.item.id, ItemFailure("internalFault", "\(error)"))
    }
  }

  // MARK: - Answers

  private func row(of job: Job) throws -> WorkerReply {
    let sample = job.sample
    let evaluation =
      switch try source(of: job.item) {
      case .sample(let source): evaluator.evaluate(source, id: sample.id)
      case .inputs(let read): evaluator.evaluateValues(id: sample.id) { [try read()] }
      }
    var failure: ItemFailure?
    if case .failure(let error) = evaluation.result { failure = ItemFailure(error) }
    let row = rows.row(evaluation, of: sample, at: job.index)
    return .row(job.item.id, try row.line(), failure)
  }

  /// Runs the model once, and reads its outputs, whose time counts as that of the model.
  private func run<Value>(
    _ item: WorkerItem, with read: (ModelOutputs) throws -> Value
  ) throws -> (value: Value, latency: RunLatency) {
    let clock = ContinuousClock()
    let start = clock.now
    let windows = try inputs(of: item)
    guard windows.count == 1 else {
      throw TensorIOError(
        .wrongElementCount,
        "The recording has \(windows.count) windows, but the outputs are those of one run. Ask for a "
          + "\"row\", which has the mean, or for \"inputs\".")
    }
    let reading = clock.now - start
    var result: (value: Value, latency: RunLatency)?
    // A model that keeps state from run to run starts over, as for rows.
    try evaluator.model.measure(parts: windows) { outputs, latency in
      result = (try read(outputs), latency)
    }
    guard var result else { throw TensorIOError(.internalFault, "The model wasn't run.") }
    result.latency.preprocess += reading
    return result
  }

  private static func files(of outputs: ModelOutputs) throws -> [(name: String, file: [UInt8])] {
    try outputs.names.enumerated().map { index, name in
      let tensor = try outputs.value(at: index, as: Tensor.self)
      return (name, try NumPyFile.bytes(of: tensor, named: name))
    }
  }

  /// Encodes the inputs as a run does, but runs nothing.
  ///
  /// The windows of a recording become the first axis of one tensor.
  private func inputTensors(of item: WorkerItem) throws -> [(name: String, file: [UInt8])] {
    let windows = try inputs(of: item).map { try evaluator.model.encodedInputs($0) }
    guard let first = windows.first else { return [] }
    return try first.enumerated().map { index, input in
      let bytes = windows.flatMap { $0[index].bytes }
      let shape = (windows.count == 1 ? [] : [windows.count]) + input.spec.itemShape
      let tensor = try Tensor(
        copying: bytes.span.bytes, dataType: input.spec.dataType, shape: shape)
      return (input.spec.name, try NumPyFile.bytes(of: tensor, named: input.spec.name))
    }
  }

  // MARK: - Sources

  private enum ItemSource {
    /// A sample as datasets have it.
    case sample(ImageSource)
    /// Values for each input.
    case inputs(() throws -> ModelInputs)
  }

  private func inputs(of item: WorkerItem) throws -> [ModelInputs] {
    switch try source(of: item) {
    case .sample(let source): try evaluator.inputs(of: source)
    case .inputs(let read): [try read()]
    }
  }

  private func source(of item: WorkerItem) throws -> ItemSource {
    switch item.source {
    case .path(let path): return .sample(.file(path))
    case .url(let address): return .sample(.url(address))
    case .file(let name):
      let only = signature.inputs.count == 1 ? signature.inputs[0] : nil
      guard item.body.starts(with: NumPyFile.magic) || only?.takesBytes == true else {
        return .sample(.bytes(item.body, name: "'\(name)'"))
      }
      let body = item.body[...]
      return .inputs { ModelInputs(try reader.value(of: body, for: only, named: name)) }
    case .value(let json, let keys):
      guard case .object(let members) = json,
        !signature.inputs.contains(where: { $0.isImage || $0.isAudio })
      else { return .inputs { try reader.inputs(of: json, for: signature) } }
      let columns = keys.isEmpty ? members.keys.sorted() : keys
      let cells = columns.map { column in
        let cell = members[column] ?? .null
        return takesNumbers(column) ? cell.readingNumbersThatAreNotFinite : cell
      }
      return .sample(.row(TableRow(columns: columns, cells: cells), name: item.shownName))
    case .tensors(let parts):
      return .inputs {
        var values: [String: any TensorEncodable] = [:]
        for part in parts { values[part.name] = try value(of: part, in: item.body) }
        return ModelInputs(values)
      }
    case .failure(let failure):
      return .inputs {
        throw TensorIOError(TensorIOError.Code(rawValue: failure.code), failure.message)
      }
    }
  }

  /// Whether a column has numbers: those of the input with its name, or of the only input.
  private func takesNumbers(_ column: String) -> Bool {
    let only = signature.inputs.count == 1 ? signature.inputs[0] : nil
    return (signature.input(named: column) ?? only)?.takesNumbers == true
  }

  private func value(
    of part: WorkerItem.Part, in body: [UInt8]
  ) throws -> any TensorEncodable {
    let spec = signature.input(named: part.name)
    switch part.content {
    case .json(let json): return try reader.value(of: json, for: spec, named: part.name)
    case .bytes(let range): return try reader.value(of: body[range], for: spec, named: part.name)
    }
  }
}

extension TensorSpec {
  /// Whether the numbers of an output are floats, also those that happen to be whole.
  fileprivate var hasFloats: Bool {
    switch kind {
    case .vector(.some, _), .scalar(.some): true
    default: [.float16, .float32, .float64].contains(dataType)
    }
  }
}
