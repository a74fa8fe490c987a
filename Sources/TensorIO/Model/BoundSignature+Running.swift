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
  func run(_ inputs: ModelInputs, on session: any Session) throws -> ModelOutputs {
    try write(inputs, item: 0, of: 1, to: session)
    try session.run()
    return try readOutputs(item: 0, of: 1, from: session)
  }

  /// The same, with the time of each part.
  func measure(_ inputs: ModelInputs, on session: any Session) throws -> (
    outputs: ModelOutputs, latency: RunLatency
  ) {
    let clock = ContinuousClock()
    let start = clock.now
    try write(inputs, item: 0, of: 1, to: session)
    let written = clock.now
    try session.run()
    let ran = clock.now
    let outputs = try readOutputs(item: 0, of: 1, from: session)
    let latency = RunLatency(
      preprocess: written - start, inference: ran - written, postprocess: clock.now - ran)
    return (outputs, latency)
  }

  /// Writes one item of a batch.
  func write(
    _ inputs: ModelInputs, item: Int, of count: Int, to session: any Session
  ) throws {
    try inputs.forEach(inputSpecs) { position, value in
      let input = self.inputs[position]
      if input.spec.dataType == .string {
        let strings = try value.tensorStrings(for: input.spec)
        guard strings.count == input.spec.elementCount else {
          throw TensorIOError.wrongElementCount(input.spec, found: strings.count)
        }
        return try session.setInput(at: input.index, to: strings)
      }
      try session.withInput(at: input.index) { memory in
        if count == 1 { return try value.encode(into: &memory, as: input.spec) }
        let share = memory.byteCount / count
        var part = memory._mutatingExtracting((item * share)..<((item + 1) * share))
        try value.encode(into: &part, as: input.spec)
      }
    }
  }

  /// Copies the outputs of one item of a batch.
  func readOutputs(item: Int, of count: Int, from session: any Session) throws -> ModelOutputs {
    let storage = try TensorStorage(byteCount: layout.byteCount, zeroed: false) { destination in
      for (position, output) in outputs.enumerated() where output.spec.dataType != .string {
        try session.withOutput(at: output.index) { source in
          let range = layout.ranges[position]
          let share = source.byteCount / count
          guard range.count <= share else {
            throw TensorIOError(
              .inferenceFailed,
              "The output '\(output.spec.name)' has \(share) bytes, expected \(range.count).")
          }
          let start = item * share
          var part = destination._mutatingExtracting(range)
          part.copy(from: source.extracting(start..<(start + range.count)))
        }
      }
    }
    guard layout.hasStrings else { return ModelOutputs(layout: layout, storage: storage) }
    var strings: [Int: [Data]] = [:]
    for (position, output) in outputs.enumerated() where output.spec.dataType == .string {
      strings[position] = try session.strings(ofOutput: output.index)
    }
    return ModelOutputs(layout: layout, storage: storage, strings: strings)
  }
}
