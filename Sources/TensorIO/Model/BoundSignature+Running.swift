// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension BoundSignature {
  /// Writes the inputs, runs the session, and copies the outputs.
  func run(
    _ inputs: ModelInputs, on session: any Session, until token: CancellationToken? = nil
  ) throws -> ModelOutputs {
    try write(inputs, item: 0, of: 1, to: session)
    try session.run(untilCancelled: token)
    return try readOutputs(written: inputs, item: 0, of: 1, from: session)
  }

  /// Does the same for a request, which gets the time of each part.
  func run(
    _ inputs: ModelInputs, on session: any Session, for request: RunRequest,
    until token: CancellationToken?
  ) throws -> ModelOutputs {
    try measure(inputs, on: session, for: request, until: token).outputs
  }

  /// Measures a run for a request, which gets the time of each part, too.
  func measure(
    _ inputs: ModelInputs, on session: any Session, for request: RunRequest,
    until token: CancellationToken?
  ) throws -> (outputs: ModelOutputs, latency: RunLatency) {
    let run = try measure(inputs, on: session, until: token)
    request.end(run.latency)
    return run
  }

  /// Writes the inputs, runs the session, copies the outputs, and measures the time of each part.
  func measure(
    _ inputs: ModelInputs, on session: any Session, until token: CancellationToken? = nil
  ) throws -> (outputs: ModelOutputs, latency: RunLatency) {
    let clock = ContinuousClock()
    let start = clock.now
    try write(inputs, item: 0, of: 1, to: session)
    let written = clock.now
    try session.run(untilCancelled: token)
    let ran = clock.now
    let outputs = try readOutputs(written: inputs, item: 0, of: 1, from: session)
    let latency = RunLatency(
      preprocess: written - start, inference: ran - written, postprocess: clock.now - ran)
    return (outputs, latency)
  }

  /// Writes one item of a batch.
  func write(
    _ inputs: ModelInputs, item: Int, of count: Int, to session: any Session
  ) throws {
    try inputs.forEach(inputSpecs, isOptional: optionalInputs) { position, value in
      let input = self.inputs[position]
      guard let value else { return try session.useDefault(forInputAt: input.index) }
      if count == 1 { return try input.write(value, to: session) }
      try session.withInput(at: input.index) { memory in
        let share = memory.byteCount / count
        var part = memory._mutatingExtracting((item * share)..<((item + 1) * share))
        try value.encode(into: &part, as: input.spec)
      }
    }
    if item == 0 { try writePlaceholders(of: inputs, to: session) }
  }

  func writePlaceholders(of inputs: ModelInputs, to session: any Session) throws {
    if placeholders.isEmpty && inputs.placeholders.isEmpty { return }
    try inputs.forEachPlaceholder(placeholderSpecs) { position, value in
      let placeholder = placeholders[position]
      if let value { return try placeholder.write(value, to: session) }
      guard placeholder.tensor.hasDefault else {
        throw TensorIOError.missingPlaceholder(placeholder.spec.name)
      }
      try session.useDefault(forInputAt: placeholder.index)
    }
  }

  /// Copies the outputs of one item of a batch, which was written from these inputs.
  func readOutputs(
    written inputs: ModelInputs? = nil, item: Int, of count: Int, from session: any Session
  ) throws -> ModelOutputs {
    let taken = count == 1 ? try takeOutputs(from: session) : [:]
    let isAllTaken = taken.count == outputs.count
    let byteCount = isAllTaken ? 0 : layout.byteCount
    let storage = try TensorStorage(byteCount: byteCount, zeroed: false) { destination in
      if isAllTaken { return }
      for (position, output) in outputs.enumerated()
      where output.spec.dataType != .string && taken[position] == nil {
        try session.withOutput(at: output.index) { source in
          let range = layout.ranges[position]
          let share = source.byteCount / count
          guard range.count <= share else { throw output.tooShort(byteCount: share) }
          let start = item * share
          var part = destination._mutatingExtracting(range)
          part.copy(from: source.extracting(start..<(start + range.count)))
        }
      }
    }
    var strings: [Int: [Data]] = [:]
    if layout.hasStrings {
      for (position, output) in outputs.enumerated() where output.spec.dataType == .string {
        strings[position] = try readStrings(output, item: item, of: count, from: session)
      }
    }
    var result = ModelOutputs(layout: layout, storage: storage, taken: taken, strings: strings)
    if layout.needsInputFacts, let inputs { result.inputFacts = try facts(of: inputs) }
    return result
  }

  private func facts(of inputs: ModelInputs) throws -> InputFacts {
    try InputFacts(
      imageSize: layout.image == nil ? nil : imageSize(of: inputs),
      values: layout.reconstructedInput.flatMap { try values(ofInputAt: $0, in: inputs) })
  }

  /// Returns the values of an input before quantization, with which a reconstruction is compared.
  ///
  /// A tensor of the model's own type is dequantized, because nothing else is known of it.
  private func values(ofInputAt index: Int, in inputs: ModelInputs) throws -> [Float]? {
    let spec = inputSpecs[index]
    var values: [Float]?
    try inputs.forEach(inputSpecs, isOptional: optionalInputs) { position, value in
      guard position == index, let value else { return }
      let isStored = value is Tensor && spec.dataType != .float32
      if isStored, spec.isImage { return }
      let written = isStored ? spec : spec.unquantized
      let storage = try TensorStorage(byteCount: written.byteCount) { memory in
        try value.encode(into: &memory, as: written)
      }
      let read = isStored ? spec : TensorSpec(name: spec.name, shape: spec.shape, kind: .bytes)
      values = try storage.withBytes { try [Float].decode($0, as: read) }
    }
    return values
  }

  /// Returns the size of the image among the inputs.
  private func imageSize(of inputs: ModelInputs) throws -> (width: Int, height: Int)? {
    var size: (width: Int, height: Int)?
    try inputs.forEach(inputSpecs, isOptional: optionalInputs) { _, value in
      size = size ?? value?.encodedImageSize
    }
    return size
  }

  /// Takes the outputs whose memory the session hands over.
  private func takeOutputs(from session: any Session) throws -> [Int: any TensorMemory] {
    var taken: [Int: any TensorMemory] = [:]
    for (position, output) in outputs.enumerated() where output.spec.dataType != .string {
      guard let memory = session.takeOutput(at: output.index) else { continue }
      let found = memory.withBytes { $0.byteCount }
      guard layout.ranges[position].count <= found else { throw output.tooShort(byteCount: found) }
      taken[position] = memory
    }
    return taken
  }

  private func readStrings(
    _ output: BoundLayer, item: Int, of count: Int, from session: any Session
  ) throws -> [Data] {
    let all = try session.strings(ofOutput: output.index)
    let share = all.count / count
    guard output.spec.elementCount <= share else {
      throw TensorIOError(
        .inferenceFailed,
        "The output '\(output.spec.name)' has \(share) strings, expected "
          + "\(output.spec.elementCount).")
    }
    return Array(all[(item * share)...].prefix(output.spec.elementCount))
  }
}

extension BoundLayer {
  fileprivate func tooShort(byteCount: Int) -> TensorIOError {
    TensorIOError(
      .inferenceFailed,
      "The output '\(spec.name)' has \(byteCount) bytes, expected \(spec.byteCount).")
  }

  /// Writes the value of a single item.
  @inline(__always)
  func write(_ value: any TensorEncodable, to session: any Session) throws {
    guard spec.dataType == .string else {
      return try session.withInput(at: index) { try value.encode(into: &$0, as: spec) }
    }
    try session.setInput(at: index, to: try strings(of: value))
  }

  /// Returns the strings of a single item.
  func strings(of value: any TensorEncodable) throws -> [Data] {
    let strings = try value.tensorStrings(for: spec)
    guard strings.count == spec.elementCount else {
      throw TensorIOError.wrongElementCount(spec, found: strings.count)
    }
    return strings
  }
}
