// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

extension ClassMap: TensorDecodable {
  public static func decode(_ bytes: RawSpan, as spec: TensorSpec) throws -> ClassMap {
    guard case .classMap(let shape, let labels) = spec.kind else {
      throw TensorIOError.wrongOutputType(
        spec, "ClassMap", because: "model.json does not describe it as an image of CLASSES")
    }
    let classes = try ClassReader(spec: spec, shape: shape).read(bytes)
    return ClassMap(width: shape.width, height: shape.height, classes: classes, labels: labels)
  }
}

extension TensorSpec {
  var isClassMap: Bool {
    if case .classMap = kind { true } else { false }
  }
}

/// Reads the classes of pixels from scores or class indices.
private struct ClassReader {
  let spec: TensorSpec
  let shape: ClassMapShape

  private var pixelCount: Int { shape.width * shape.height }

  func read(_ bytes: RawSpan) throws -> [UInt16] {
    let expected = pixelCount * shape.depth * spec.dataType.byteWidth
    guard bytes.byteCount == expected else {
      throw TensorIOError(
        .wrongElementCount,
        "'\(spec.name)' takes \(expected) bytes (shape \(shape.axes)), but the tensor has "
          + "\(bytes.byteCount).")
    }
    guard shape.depth <= Int(UInt16.max) + 1 else {
      throw TensorIOError(
        .wrongOutputType,
        "'\(spec.name)' has \(shape.depth) classes; a class map can hold at most 65536.")
    }
    if shape.holdsScores, let stored = spec.storedQuantization, stored.scales.count > 1 {
      // Each class has its own scale, so only the dequantized scores can be compared.
      let numbers = TensorSpec(
        name: spec.name, shape: spec.shape, dataType: spec.dataType,
        kind: .vector(.model, labels: nil), storedQuantization: stored)
      let scores = try [Float].decode(bytes, as: numbers)
      return try read(scores.span.bytes, Float.self)
    }
    switch spec.dataType {
    case .float32: return try read(bytes, Float.self)
    case .float16: return try read(bytes, Float16.self)
    case .float64: return try read(bytes, Double.self)
    case .uint8, .bool: return try read(bytes, UInt8.self)
    case .int8: return try read(bytes, Int8.self)
    case .uint16: return try read(bytes, UInt16.self)
    case .int16: return try read(bytes, Int16.self)
    case .uint32: return try read(bytes, UInt32.self)
    case .int32: return try read(bytes, Int32.self)
    case .int64: return try read(bytes, Int64.self)
    case .string:
      throw TensorIOError.wrongOutputType(spec, "ClassMap", because: "it holds text")
    }
  }

  private func read<Number: TensorNumber & Comparable>(
    _ bytes: RawSpan, _ type: Number.Type
  ) throws -> [UInt16] {
    try bytes.withUnsafeBytes { bytes in
      if !shape.holdsScores { return try numbers(in: bytes, type) }
      return shape.layout == .channelsLast
        ? highest(in: bytes, type) : highestPlane(in: bytes, type)
    }
  }

  // MARK: - Class numbers

  private func numbers<Number: TensorNumber>(
    in bytes: UnsafeRawBufferPointer, _ type: Number.Type
  ) throws -> [UInt16] {
    let size = MemoryLayout<Number>.size
    return try (0..<pixelCount).map { pixel in
      let number = bytes.loadUnaligned(fromByteOffset: pixel &* size, as: Number.self)
      guard let index = number.converted(to: UInt16.self) else {
        throw TensorIOError(
          .wrongOutputType,
          "'\(spec.name)' holds \(number) for the pixel at column \(pixel % shape.width), row "
            + "\(pixel / shape.width), which isn't a class. Class numbers are whole numbers from 0 "
            + "to 65535. If these are scores, read the output as an array.")
      }
      return index
    }
  }

  // MARK: - Scores

  /// Whether a score is higher than the best so far; of equal scores, the first wins, and NaN never
  /// does.
  @inline(__always)
  private func isHigher<Number: Comparable>(_ score: Number, _ best: Number) -> Bool {
    score > best || (best != best && score == score)
  }

  private func highest<Number: TensorNumber & Comparable>(
    in bytes: UnsafeRawBufferPointer, _ type: Number.Type
  ) -> [UInt16] {
    let size = MemoryLayout<Number>.size
    let depth = shape.depth
    return (0..<pixelCount).map { pixel in
      let start = pixel &* depth &* size
      var best = bytes.loadUnaligned(fromByteOffset: start, as: Number.self)
      var winner = 0
      for index in 1..<depth {
        let score = bytes.loadUnaligned(
          fromByteOffset: start &+ index &* size, as: Number.self)
        if isHigher(score, best) {
          best = score
          winner = index
        }
      }
      return UInt16(winner)
    }
  }

  /// Finds the highest scores plane by plane, in the order of the memory.
  private func highestPlane<Number: TensorNumber & Comparable>(
    in bytes: UnsafeRawBufferPointer, _ type: Number.Type
  ) -> [UInt16] {
    let size = MemoryLayout<Number>.size
    var best = (0..<pixelCount).map {
      bytes.loadUnaligned(fromByteOffset: $0 &* size, as: Number.self)
    }
    var winners = [UInt16](repeating: 0, count: pixelCount)
    for index in 1..<shape.depth {
      let start = index &* pixelCount
      for pixel in 0..<pixelCount {
        let score = bytes.loadUnaligned(
          fromByteOffset: (start &+ pixel) &* size, as: Number.self)
        if isHigher(score, best[pixel]) {
          best[pixel] = score
          winners[pixel] = UInt16(index)
        }
      }
    }
    return winners
  }
}
