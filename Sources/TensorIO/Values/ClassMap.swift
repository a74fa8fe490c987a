// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// A class for each pixel, which is the result of a segmentation model.
///
/// ```swift
/// let map = try outputs["segmentation", as: ClassMap.self]
/// for entry in map.legend { print(entry.label ?? "class \(entry.index)", entry.share) }
/// try ImageEncoder().write(map.image(), to: "map.png")
/// ```
public struct ClassMap: Sendable, Equatable {
  /// The width in pixels.
  public let width: Int
  /// The height in pixels.
  public let height: Int
  /// The class index of each pixel, row after row.
  public let classes: [UInt16]
  /// The names of the classes; nil without names.
  public let labels: Labels?

  /// Makes a map.
  ///
  /// - Parameters:
  ///   - width: The width in pixels, at least 1.
  ///   - height: The height in pixels, at least 1.
  ///   - classes: `width * height` class indices, row after row.
  ///   - labels: The names of the classes, in the order of their indices. A class index beyond the
  ///     last name has none.
  public init(width: Int, height: Int, classes: [UInt16], labels: Labels? = nil) {
    precondition(width > 0 && height > 0, "A class map must have at least one pixel.")
    precondition(
      classes.count == width * height,
      "A \(width) x \(height) class map takes \(width * height) classes, got \(classes.count).")
    self.width = width
    self.height = height
    self.classes = classes
    self.labels = labels
  }

  /// The class index of a pixel.
  ///
  /// - Parameters:
  ///   - x: The pixel's column, from 0.
  ///   - y: The pixel's row, from 0.
  public subscript(x: Int, y: Int) -> UInt16 {
    precondition(
      (0..<width).contains(x) && (0..<height).contains(y), "The pixel is outside the class map.")
    return classes[y * width + x]
  }

  /// Draws the map in the colours of its classes, as an RGB image.
  public func image() -> PixelBuffer {
    let colors = (0...(classes.max() ?? 0)).map(Self.color(of:))
    return PixelBuffer(width: width, height: height, format: .rgb) { span in
      span.withUnsafeMutableBytes { bytes in
        for (pixel, index) in classes.enumerated() {
          let color = colors[Int(index)]
          bytes[pixel * 3] = color.red
          bytes[pixel * 3 + 1] = color.green
          bytes[pixel * 3 + 2] = color.blue
        }
      }
    }
  }

  // MARK: - Legend

  /// A class that occurs in a map.
  public struct LegendEntry: Sendable, Hashable {
    /// The class index.
    public let index: Int
    /// The name of the class; nil without one.
    public let label: String?
    /// The colour of the class in ``ClassMap/image()``.
    public let color: PixelColor
    /// The share of the pixels that have this class, more than 0 and at most 1.
    public let share: Double
  }

  /// The classes that occur, sorted by their number of pixels in descending order, then by index.
  public var legend: [LegendEntry] {
    var counts = [Int](repeating: 0, count: Int(classes.max() ?? 0) + 1)
    for index in classes { counts[Int(index)] += 1 }
    let found = counts.indices.filter { counts[$0] > 0 }
    let order = found.sorted { counts[$0] != counts[$1] ? counts[$0] > counts[$1] : $0 < $1 }
    return order.map { index in
      LegendEntry(
        index: index, label: label(of: UInt16(index)), color: Self.color(of: UInt16(index)),
        share: Double(counts[index]) / Double(classes.count))
    }
  }

  /// Returns the name of a class; nil without one.
  public func label(of index: UInt16) -> String? {
    guard let names = labels?.names, Int(index) < names.count else { return nil }
    return names[Int(index)]
  }

  /// Returns the colour of a class, by the formula of the Pascal VOC challenge, which covers every
  /// index.
  ///
  /// The lowest three bits of the index are the highest bits of red, green and blue, the next three
  /// bits are the second highest, and so on. Class 0, usually the background, is black.
  package static func color(of index: UInt16) -> PixelColor {
    var color = PixelColor()
    var rest = index
    for bit in stride(from: UInt8(7), through: 0, by: -1) where rest > 0 {
      color.red |= UInt8(rest & 1) << bit
      color.green |= UInt8(rest >> 1 & 1) << bit
      color.blue |= UInt8(rest >> 2 & 1) << bit
      rest >>= 3
    }
    return color
  }
}

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
