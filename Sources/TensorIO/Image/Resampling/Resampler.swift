// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Resizes a picture as one library does: takes its rows in order and hands out finished ones.
///
/// The order of a pixel's channels does not matter here; three bytes of each are resized.
protocol Resampler {
  /// Calls a closure with every row of the result, from top to bottom.
  ///
  /// - Parameters:
  ///   - format: How the source's rows lie in memory.
  ///   - row: Gives a row of the source; asked for in increasing order, each at most once.
  ///   - body: Takes a row of the result: three values a pixel.
  /// - Throws: What `row` throws.
  func forEachRow<Failure: Error>(
    of format: SourceFormat, row: (Int) throws(Failure) -> UnsafePointer<UInt8>,
    _ body: (ResampledRow, Int) -> Void
  ) throws(Failure)
}

/// How the rows of a source lie in memory.
struct SourceFormat {
  /// 3, or 4 of which the first three count.
  var bytesPerPixel: Int
}

/// A finished row: three values a pixel.
enum ResampledRow {
  case bytes(UnsafePointer<UInt8>)
  case floats(UnsafePointer<Float>)
}

extension ResizeMethod {
  /// The resampler for a size.
  func resampler(
    from source: (width: Int, height: Int), to target: (width: Int, height: Int)
  ) -> any Resampler {
    switch self {
    case .pillowBilinear, .pillowBicubic, .pillowLanczos, .pillowBox:
      PillowResampler(from: source, to: target, self)
    case .tfBilinear: LerpResampler(from: source, to: target, isHalfPixel: true)
    case .tf1Bilinear: LerpResampler(from: source, to: target, isHalfPixel: false)
    case .tfBilinearAntialias: SpanResampler(from: source, to: target)
    case .openCVLinear, .openCVArea: openCVResampler(from: source, to: target)
    case .nearest: NearestResampler(from: source, to: target)
    }
  }

  /// OpenCV takes its one kernel for the other in two cases.
  private func openCVResampler(
    from source: (width: Int, height: Int), to target: (width: Int, height: Int)
  ) -> any Resampler {
    let halves = source.width == 2 * target.width && source.height == 2 * target.height
    let shrinks = source.width >= target.width && source.height >= target.height
    return halves || (self == .openCVArea && shrinks)
      ? AreaResampler(from: source, to: target)
      : FixedPointResampler(from: source, to: target, isArea: self == .openCVArea)
  }
}

/// Scratch rows of one kind, one after the other, zero at first.
struct RowMemory<Element: BitwiseCopyable> {
  private let memory: UnsafeMutablePointer<Element>
  /// Elements from one row to the next: room for whole vectors behind each row.
  private let stride: Int
  private let count: Int

  init(rows: Int = 1, width: Int, zero: Element) {
    stride = width + 64
    count = rows
    memory = .allocate(capacity: stride * rows)
    memory.initialize(repeating: zero, count: stride * rows)
  }

  func deallocate() { memory.deallocate() }

  /// The first row.
  var first: UnsafeMutablePointer<Element> { memory }

  /// The row that stands for a number: rows take turns.
  subscript(row: Int) -> UnsafeMutablePointer<Element> { memory + (row % count) * stride }
}

/// Copies the three bytes that count of every pixel.
func pack(
  _ row: UnsafePointer<UInt8>, _ format: SourceFormat, width: Int,
  into target: UnsafeMutablePointer<UInt8>
) {
  if format.bytesPerPixel == 3 {
    target.update(from: row, count: width &* 3)
    return
  }
  for x in 0..<width {
    target[x &* 3] = row[x &* 4]
    target[x &* 3 &+ 1] = row[x &* 4 &+ 1]
    target[x &* 3 &+ 2] = row[x &* 4 &+ 2]
  }
}
