// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

extension ModelOutputs {
  /// Calls a closure with an output's numbers, which are only copied if they aren't floats as they
  /// are.
  ///
  /// - Throws: ``TensorIOError`` when the output doesn't hold numbers.
  package func withFloats<Result>(
    at index: Int, _ body: (Span<Float>) throws -> Result
  ) throws -> Result {
    let spec = layout.specs[index]
    guard spec.dataType == .float32, spec.quantization == nil else {
      let numbers: [Float] = try value(at: index)
      return try body(numbers.span)
    }
    if let memory = taken[index] {
      return try memory.withBytes { bytes in
        try body(Span(_bytes: bytes.extracting(0..<spec.byteCount)))
      }
    }
    return try storage.withBytes { try body(Span(_bytes: $0.extracting(layout.ranges[index]))) }
  }
}
