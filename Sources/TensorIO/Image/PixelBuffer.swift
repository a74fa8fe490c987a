// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// A picture in memory: rows of 8-bit pixels from top to bottom, with an orientation.
///
/// Pixel buffers go into image layers and come out of them. Decoders make them from files; make
/// one yourself from bytes you hold:
///
/// ```swift
/// let gray = PixelBuffer(width: 2, height: 1, format: .gray, bytes: [0, 255])
/// ```
public struct PixelBuffer: Sendable {
  /// Pixels in a row.
  public let width: Int
  /// Rows.
  public let height: Int
  /// The order of the bytes of a pixel.
  public let format: Format
  /// Bytes from the start of one row to the start of the next.
  public let bytesPerRow: Int
  /// How the pixels must be turned to stand upright.
  public var orientation: ImageOrientation

  private let storage: TensorStorage

  /// Makes a buffer and lets a closure fill it.
  ///
  /// The memory is zero before `fill` is called.
  ///
  /// - Parameters:
  ///   - width: Pixels in a row, at least 1.
  ///   - height: Rows, at least 1.
  ///   - format: The order of the bytes of a pixel.
  ///   - orientation: How the pixels must be turned to stand upright.
  ///   - fill: Writes the pixels; rows follow each other without a gap.
  /// - Throws: What `fill` throws.
  public init(
    width: Int, height: Int, format: Format, orientation: ImageOrientation = .up,
    fill: (inout MutableRawSpan) throws -> Void
  ) rethrows {
    precondition(width > 0 && height > 0, "A picture has at least one pixel.")
    self.width = width
    self.height = height
    self.format = format
    self.bytesPerRow = width * format.bytesPerPixel
    self.orientation = orientation
    self.storage = try TensorStorage(byteCount: bytesPerRow * height, fill: fill)
  }

  /// Makes a buffer whose memory is not zeroed first: `fill` must write every byte or throw.
  package init(
    fillingWidth width: Int, height: Int, format: Format, orientation: ImageOrientation = .up,
    fill: (inout MutableRawSpan) throws -> Void
  ) rethrows {
    precondition(width > 0 && height > 0, "A picture has at least one pixel.")
    self.width = width
    self.height = height
    self.format = format
    self.bytesPerRow = width * format.bytesPerPixel
    self.orientation = orientation
    self.storage = try TensorStorage(
      byteCount: bytesPerRow * height, zeroed: false, fill: fill)
  }

  /// Makes a buffer from bytes.
  ///
  /// - Parameters:
  ///   - width: Pixels in a row, at least 1.
  ///   - height: Rows, at least 1.
  ///   - format: The order of the bytes of a pixel.
  ///   - orientation: How the pixels must be turned to stand upright.
  ///   - bytes: `width * height * format.bytesPerPixel` bytes, row after row.
  public init(
    width: Int, height: Int, format: Format, orientation: ImageOrientation = .up, bytes: [UInt8]
  ) {
    precondition(
      bytes.count == width * height * format.bytesPerPixel,
      "A \(width) x \(height) \(format) picture has "
        + "\(width * height * format.bytesPerPixel) bytes, got \(bytes.count).")
    self.init(width: width, height: height, format: format, orientation: orientation) { span in
      span.copy(from: bytes.span.bytes)
    }
  }

  /// Calls a closure with the pixels: `bytesPerRow * height` bytes.
  public func withBytes<Result>(_ body: (RawSpan) throws -> Result) rethrows -> Result {
    try storage.withBytes(body)
  }
}

extension PixelBuffer {
  /// The order of the bytes of a pixel.
  public enum Format: String, Sendable, CaseIterable {
    /// One byte of brightness.
    case gray
    /// Red, green, blue.
    case rgb
    /// Blue, green, red.
    case bgr
    /// Red, green, blue, alpha.
    case rgba
    /// Blue, green, red, alpha.
    case bgra
    /// Alpha, red, green, blue.
    case argb

    /// 1, 3 or 4.
    public var bytesPerPixel: Int {
      switch self {
      case .gray: 1
      case .rgb, .bgr: 3
      case .rgba, .bgra, .argb: 4
      }
    }

    /// Where red, green and blue stand within a pixel.
    package var colorOffsets: (red: Int, green: Int, blue: Int) {
      switch self {
      case .gray: (0, 0, 0)
      case .rgb, .rgba: (0, 1, 2)
      case .bgr, .bgra: (2, 1, 0)
      case .argb: (1, 2, 3)
      }
    }

    /// Where alpha stands within a pixel; nil without one.
    package var alphaOffset: Int? {
      switch self {
      case .gray, .rgb, .bgr: nil
      case .rgba, .bgra: 3
      case .argb: 0
      }
    }
  }
}
