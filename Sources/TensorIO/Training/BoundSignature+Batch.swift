// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

extension BoundSignature {
  /// Writes a whole batch, runs the session once, and copies the outputs of all items.
  func run(
    _ batch: Batch, placeholders: [String: any TensorEncodable], on session: any Session
  ) throws -> ModelOutputs {
    try check(batch)
    guard let shapes = inputShapes(forItems: batch.count) else {
      throw withoutBatchAxis(batch)
    }
    try checkOutputs(ofBatch: batch.count)
    try session.resizeInputs(to: shapes)
    for input in inputs { try write(batch, to: input, of: session) }
    var fed = ModelInputs([:])
    fed.placeholders = placeholders
    try writePlaceholders(of: fed, to: session)
    try session.run()
    return try readOutputs(ofBatch: batch.count, from: session)
  }

  private func check(_ batch: Batch) throws {
    guard batch.count > 0 else {
      throw TensorIOError(.wrongInputCount, "The batch has no items; add at least one.")
    }
    for key in batch.keys where !inputSpecs.contains(where: { $0.name == key }) {
      throw TensorIOError(
        .unknownInput,
        "The model has no input '\(key)'; its inputs are \(quotedList(inputSpecs.map(\.name))).")
    }
    for input in inputs where !batch.keys.contains(input.spec.name) && !input.tensor.hasDefault {
      let spec = input.spec
      throw TensorIOError(
        .missingInput,
        "The batch has no values for the input '\(spec.name)'; its keys are "
          + quotedList(batch.keys) + ".")
    }
  }

  /// Rejects a scalar output that model.json declares with a batch axis, before anything runs.
  private func checkOutputs(ofBatch count: Int) throws {
    for output in outputs where count > 1 && output.spec.isBatched {
      guard !output.tensor.rankIsUnknown, output.tensor.shape.isEmpty else { continue }
      throw TensorIOError(
        .invalidBundle,
        "The output '\(output.spec.name)' is one number even for a batch of \(count), but its "
          + "shape in model.json is \(output.spec.shape). Write [] instead.")
    }
  }

  private func withoutBatchAxis(_ batch: Batch) -> TensorIOError {
    let fixed = inputs.filter { $0.shape(forItems: batch.count) == nil }.map(\.spec.name)
    return TensorIOError(
      .wrongInputCount,
      "The model takes one item at a time, but got a batch of \(batch.count): the shape of "
        + "\(quotedList(fixed)) has no batch axis. If the model has one, write -1 as the "
        + "first length.")
  }

  private func write(_ batch: Batch, to input: BoundLayer, of session: any Session) throws {
    guard let column = batch.column(input.spec.name) else {
      return try session.useDefault(forInputAt: input.index)
    }
    if input.spec.dataType == .string {
      let strings = try column.enumerated().flatMap { row, value in
        try Self.naming(row, of: batch) { try input.strings(of: value) }
      }
      return try session.setInput(at: input.index, to: strings)
    }
    try session.withInput(at: input.index) { memory in
      let share = memory.byteCount / column.count
      for (row, value) in column.enumerated() {
        var part = memory._mutatingExtracting((row * share)..<((row + 1) * share))
        try Self.naming(row, of: batch) { try value.encode(into: &part, as: input.spec) }
      }
      if input.spec.dataType == .float32 { batch.mix?.apply(to: &memory) }
    }
  }

  /// Adds the name of the item to an error.
  @inline(__always)
  private static func naming<Result>(
    _ row: Int, of batch: Batch, _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch var error as TensorIOError where batch.count > 1 || batch.nameOfItem != nil {
      let name = batch.nameOfItem?(row) ?? "Item \(row) of the batch"
      error.message = "\(name): \(error.message)"
      throw error
    }
  }

  /// Copies the outputs; an output with a batch axis has the values of all items.
  private func readOutputs(ofBatch count: Int, from session: any Session) throws -> ModelOutputs {
    guard count > 1 else { return try readOutputs(item: 0, of: 1, from: session) }
    for output in outputs where !output.spec.isBatched && output.spec.dataType != .string {
      let found = session.outputShape(at: output.index).elementCount ?? .max
      guard found == output.spec.elementCount else {
        throw TensorIOError(
          .inferenceFailed,
          "The output '\(output.spec.name)' has \(found) values for a batch of \(count), but "
            + "its shape in model.json is \(output.spec.shape). If it has values for each item, "
            + "write -1 as the first length.")
      }
    }
    let whole = BoundSignature(
      inputs: [], placeholders: [], outputs: outputs.map { $0.ofItems(count) })
    return try whole.readOutputs(item: 0, of: 1, from: session)
  }
}

extension BoundLayer {
  /// The layer with the values of several items.
  ///
  /// Images, class maps and labelled values become plain numbers, because these kinds describe a
  /// single item.
  fileprivate func ofItems(_ count: Int) -> BoundLayer {
    guard spec.isBatched else { return self }
    let kind: TensorSpec.Kind =
      switch spec.kind {
      case .vector(let quantization, _), .scalar(let quantization):
        .vector(quantization, labels: nil)
      case .imageInput, .imageOutput, .classMap: .vector(nil, labels: nil)
      case .bytes: .bytes
      }
    return BoundLayer(
      index: index,
      spec: TensorSpec(
        name: spec.name, shape: [count] + spec.itemShape, dataType: spec.dataType, kind: kind,
        storedQuantization: spec.storedQuantization),
      tensor: tensor)
  }
}
