// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

extension InferenceModel.Loaded {
  /// The maximum number of items in one run; a larger batch would only need more memory.
  private static let mostItems = 64

  /// Runs items together if the model allows it, and otherwise one by one.
  func run(
    batch items: [ModelInputs], on session: any Session, until token: CancellationToken? = nil
  ) throws -> [ModelOutputs] {
    guard items.count > 1, runsItemsTogether, items.allSatisfy(\.placeholders.isEmpty) else {
      return try runOneByOne(items[...], on: session, until: token)
    }
    var outputs: [ModelOutputs] = []
    outputs.reserveCapacity(items.count)
    var rest = items[...]
    while !rest.isEmpty {
      if token?.isCancelled == true { throw CancellationError() }
      let part = rest.prefix(Self.mostItems)
      rest = rest.dropFirst(part.count)
      outputs +=
        try runTogether(part, on: session, until: token)
        ?? runOneByOne(part, on: session, until: token)
    }
    return outputs
  }

  /// Whether items go through the model in one run.
  var runsItemsTogether: Bool { takesBatches && model.runsBatches }

  /// Whether the model takes several items at once, which run together if the runtime allows it.
  ///
  /// Optional inputs may differ from item to item, so items that have them run one by one. The same
  /// is true for placeholders.
  var takesBatches: Bool {
    bound.declaresBatches && !model.keepsState && !hasStrings && bound.optionalInputs.isEmpty
  }

  private var hasStrings: Bool {
    bound.layout.hasStrings || bound.inputSpecs.contains { $0.dataType == .string }
  }

  private func runOneByOne(
    _ items: ArraySlice<ModelInputs>, on session: any Session, until token: CancellationToken?
  ) throws -> [ModelOutputs] {
    try items.indices.map { index in
      if token?.isCancelled == true { throw CancellationError() }
      let run = { try self.bound.run(items[index], on: session, until: token) }
      return items.count == 1 && index == 0 ? try run() : try Self.naming(index, run)
    }
  }

  /// Says in an error of which item it is, counted from 0.
  private static func naming<Result>(_ item: Int, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch var error as TensorIOError where ![.cancelled, .processEnded].contains(error.code) {
      error.message = "Item \(item) of the batch: \(error.message)"
      throw error
    }
  }

  /// Runs items as one batch; returns nil when the model does not support the shape.
  private func runTogether(
    _ items: ArraySlice<ModelInputs>, on session: any Session, until token: CancellationToken?
  ) throws -> [ModelOutputs]? {
    guard items.count > 1, let single = bound.inputShapes(forItems: 1),
      let shapes = bound.inputShapes(forItems: items.count)
    else { return nil }
    do {
      try session.resizeInputs(to: shapes)
    } catch {
      return nil
    }
    let outputs = Result {
      hasRoom(for: items.count, session) ? try run(items, asBatchOn: session, until: token) : nil
    }
    do {
      try session.resizeInputs(to: single)
    } catch {
      // The session's process may have ended. The next one begins with the shapes of the batch.
      try session.resizeInputs(to: single)
    }
    return try outputs.get()
  }

  private func run(
    _ items: ArraySlice<ModelInputs>, asBatchOn session: any Session,
    until token: CancellationToken?
  ) throws -> [ModelOutputs]? {
    for (item, inputs) in items.enumerated() {
      try Self.naming(items.startIndex + item) {
        try bound.write(inputs, item: item, of: items.count, to: session)
      }
    }
    try session.run(untilCancelled: token)
    // Some runtimes only know the size of the outputs after a run.
    guard hasRoom(for: items.count, session) else { return nil }
    return try items.indices.map {
      try bound.readOutputs(
        written: items[$0], item: $0 - items.startIndex, of: items.count, from: session)
    }
  }

  /// Whether every output has grown with the batch, as far as its shape is known.
  private func hasRoom(for count: Int, _ session: any Session) -> Bool {
    bound.outputs.allSatisfy { output in
      let shape = session.outputShape(at: output.index)
      if shape.contains(where: { $0 < 0 }) { return shape[0] == -1 || shape[0] == count }
      return shape.first == count
        && (shape.elementCount ?? 0) / count >= output.spec.elementCount
    }
  }
}
