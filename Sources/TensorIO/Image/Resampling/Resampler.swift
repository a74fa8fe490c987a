// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

typealias SourceRow<Failure: Error> = (Int) throws(Failure) -> UnsafePointer<UInt8>

/// Takes a row of the result, which has three values per pixel, and its number.
typealias RowReceiver = (ResampledRow, Int) -> Void

/// Resizes an image in the same way as one library: it reads rows in order and returns resized
/// rows.
///
/// The order of the channels does not matter here. Three bytes of each pixel are resized.
protocol Resampler {
  /// Calls a closure with every row of the result, from top to bottom.
  ///
  /// - Parameters:
  ///   - bytesPerPixel: The bytes in a source pixel: 3, or 4 of which the first three are used.
  ///   - row: Called in increasing order, at most once for each row.
  ///   - body: Called with each row of the result.
  /// - Throws: Any error that `row` throws.
  func forEachRow<Failure: Error>(
    bytesPerPixel: Int, row: SourceRow<Failure>, _ body: RowReceiver
  ) throws(Failure)
}

/// A resized row with three values per pixel.
enum ResampledRow {
  case bytes(UnsafePointer<UInt8>)
  case floats(UnsafePointer<Float>)
}

extension ResizeMethod {
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
struct RowMemory<Element: BitwiseCopyable & Numeric> {
  /// The first row.
  let first: UnsafeMutablePointer<Element>
  /// The number of elements from one row to the next, with room for whole vectors after each row.
  private let stride: Int
  private let count: Int

  init(rows: Int = 1, width: Int) {
    stride = width + 64
    count = rows
    first = .allocate(capacity: stride * rows)
    first.initialize(repeating: 0, count: stride * rows)
  }

  func deallocate() { first.deallocate() }

  /// Returns the memory for a row number; the rows are reused in turn.
  subscript(row: Int) -> UnsafeMutablePointer<Element> { first + (row % count) * stride }
}

/// Copies the first three bytes of every pixel.
func pack(
  _ row: UnsafePointer<UInt8>, bytesPerPixel: Int, width: Int,
  into target: UnsafeMutablePointer<UInt8>
) {
  if bytesPerPixel == 3 {
    target.update(from: row, count: width &* 3)
    return
  }
  for x in 0..<width {
    target[x &* 3] = row[x &* 4]
    target[x &* 3 &+ 1] = row[x &* 4 &+ 1]
    target[x &* 3 &+ 2] = row[x &* 4 &+ 2]
  }
}
