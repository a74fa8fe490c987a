// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Synchronization

extension InferenceModel.Loaded {
  /// The most items in one run: more only needs more memory.
  private static let mostItems = 64

  /// Runs items together where the model allows it, else one by one.
  func run(
    batch items: [ModelInputs], on session: any Session, until token: CancellationToken? = nil
  ) throws -> [ModelOutputs] {
    let hasStrings = layoutHasStrings
    guard items.count > 1, !hasStrings, batchesAgree.withLock({ $0 }) != false else {
      return try runOneByOne(items[...], on: session, until: token)
    }
    var outputs: [ModelOutputs] = []
    outputs.reserveCapacity(items.count)
    var rest = items[...]
    while !rest.isEmpty {
      if token?.isCancelled == true { throw CancellationError() }
      let part = rest.prefix(Self.mostItems)
      rest = rest.dropFirst(part.count)
      outputs += try runTogether(part, on: session) ?? runOneByOne(part, on: session, until: token)
    }
    return outputs
  }

  private var layoutHasStrings: Bool {
    bound.layout.hasStrings || bound.inputSpecs.contains { $0.dataType == .string }
  }

  private func runOneByOne(
    _ items: ArraySlice<ModelInputs>, on session: any Session, until token: CancellationToken?
  ) throws -> [ModelOutputs] {
    try items.map { inputs in
      if token?.isCancelled == true { throw CancellationError() }
      return try bound.run(inputs, on: session)
    }
  }

  /// Runs items as one batch; nil when the model cannot, or gives other results that way.
  private func runTogether(
    _ items: ArraySlice<ModelInputs>, on session: any Session
  ) throws -> [ModelOutputs]? {
    guard items.count > 1, let single = bound.inputShapes(forItems: 1),
      let shapes = bound.inputShapes(forItems: items.count), canRun(shapes, items.count, session)
    else {
      batchesAgree.withLock { $0 = $0 ?? (items.count > 1 ? false : nil) }
      return nil
    }
    let outputs: [ModelOutputs]
    do {
      defer { restore(single, session) }
      for (item, inputs) in items.enumerated() {
        try bound.write(inputs, item: item, of: items.count, to: session)
      }
      try session.run()
      outputs = try items.indices.map {
        try bound.readOutputs(item: $0 - items.startIndex, of: items.count, from: session)
      }
    }
    if bound.declaresBatches || batchesAgree.withLock({ $0 }) == true { return outputs }
    let alone = try runOneByOne(items, on: session, until: nil)
    let agree = zip(outputs, alone).allSatisfy { $0.hasSameBytes(as: $1) }
    batchesAgree.withLock { $0 = agree }
    return alone
  }

  /// Tries to give the session the shapes of a batch; the session is unchanged when it refuses.
  private func canRun(_ shapes: [[Int]], _ count: Int, _ session: any Session) -> Bool {
    do {
      try session.resizeInputs(to: shapes)
    } catch {
      return false
    }
    let fits = bound.outputs.allSatisfy { output in
      let shape = session.outputShape(at: output.index)
      return shape.first == count && shape.reduce(1, *) / count >= output.spec.elementCount
    }
    if !fits, let single = bound.inputShapes(forItems: 1) { restore(single, session) }
    return fits
  }

  private func restore(_ shapes: [[Int]], _ session: any Session) {
    do {
      try session.resizeInputs(to: shapes)
    } catch {
      preconditionFailure("A session takes the shapes that it had: \(error)")
    }
  }
}

extension ModelOutputs {
  func hasSameBytes(as other: ModelOutputs) -> Bool {
    // What lies between two outputs was never written.
    storage.withBytes { mine in
      other.storage.withBytes { theirs in
        layout.ranges.allSatisfy { mine.extracting($0).isEqual(to: theirs.extracting($0)) }
      }
    }
  }
}
