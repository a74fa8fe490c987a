// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

extension ModelInputs {
  /// Makes inputs to try out a model: zeros, empty strings and gray images.
  ///
  /// Images have the input's size, but at most `longestSide` pixels on a side. A larger input
  /// enlarges them.
  package static func zeros(
    for signature: ModelSignature, longestSide: Int = .max
  ) -> ModelInputs {
    ModelInputs(
      list: signature.inputs.map { spec -> any TensorEncodable in
        if case .imageInput(let shape, _) = spec.kind {
          let (width, height) = (min(shape.width, longestSide), min(shape.height, longestSide))
          return PixelBuffer(
            width: width, height: height, format: .rgb,
            bytes: [UInt8](repeating: 128, count: width * height * 3))
        }
        if spec.dataType == .string { return [String](repeating: "", count: spec.elementCount) }
        return Zeros()
      })
  }
}

/// As many zeros as a tensor holds, without an array of them, which might not fit into memory.
private struct Zeros: TensorEncodable {
  static let tensorKindName = "zeros"

  var tensorElementCount: Int? { nil }

  func encode(into memory: inout MutableRawSpan, as spec: TensorSpec) throws {
    guard spec.quantization == nil else { return try encodeQuantized(into: &memory, as: spec) }
    // In every number type, zero consists of zero bytes.
    memory.withUnsafeMutableBytes { bytes in
      _ = bytes.initializeMemory(as: UInt8.self, repeating: 0)
    }
  }

  /// Encodes zeros piece by piece, so that only a small array of them is needed.
  ///
  /// Zero is not the byte 0 in a quantized tensor.
  private func encodeQuantized(into memory: inout MutableRawSpan, as spec: TensorSpec) throws {
    let (width, most) = (spec.dataType.byteWidth, 16_384)
    let count = memory.byteCount / width
    for start in stride(from: 0, to: count, by: most) {
      let end = min(start + most, count)
      var piece = memory._mutatingExtracting((start * width)..<(end * width))
      let zeros = [Float](repeating: 0, count: end - start)
      try Float.encode(elements: zeros, into: &piece, as: spec.part(from: start))
    }
  }
}
