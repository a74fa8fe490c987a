// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Resizes an image in the same way as one library: it reads rows in order and returns resized
/// rows.
///
/// The order of the channels does not matter here. Three bytes of each pixel are resized.
protocol Resampler {
  /// Calls a closure with every row of the result, from top to bottom.
  ///
  /// - Parameters:
  ///   - format: The memory layout of the source rows.
  ///   - row: Returns a row of the source. It is called in increasing order, at most once for each
  ///     row.
  ///   - body: Called with each row of the result, which has three values per pixel.
  /// - Throws: Any error that `row` throws.
  func forEachRow<Failure: Error>(
    of format: SourceFormat, row: (Int) throws(Failure) -> UnsafePointer<UInt8>,
    _ body: (ResampledRow, Int) -> Void
  ) throws(Failure)
}

/// The memory layout of the rows of a source.
struct SourceFormat {
  /// The number of bytes in a pixel: 3, or 4 of which the first three are used.
  var bytesPerPixel: Int
}

/// A resized row with three values per pixel.
enum ResampledRow {
  case bytes(UnsafePointer<UInt8>)
  case floats(UnsafePointer<Float>)
}

extension ResizeMethod {
  /// Returns the resampler for these sizes.
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

  /// Returns OpenCV's kernel, which in two cases is not the requested one.
  ///
  /// OpenCV uses the area kernel to halve both sides with `INTER_LINEAR`, and the linear kernel
  /// where `INTER_AREA` enlarges an axis.
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

/// Consecutive scratch rows of one element type, initialized to zero.
struct RowMemory<Element: BitwiseCopyable> {
  private let memory: UnsafeMutablePointer<Element>
  /// The number of elements from one row to the next, with room for whole vectors after each row.
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

  /// Returns the memory for a row number; the rows are reused in turn.
  subscript(row: Int) -> UnsafeMutablePointer<Element> { memory + (row % count) * stride }
}

/// Copies the first three bytes of every pixel.
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
