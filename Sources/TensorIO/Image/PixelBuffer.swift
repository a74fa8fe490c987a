// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// An image in memory: rows of 8-bit pixels from top to bottom, with an orientation.
///
/// Image layers take pixel buffers as inputs and return them as outputs. Decoders make them from
/// files. You can also make one from bytes:
///
/// ```swift
/// let gray = PixelBuffer(width: 2, height: 1, format: .gray, bytes: [0, 255])
/// ```
public struct PixelBuffer: Sendable {
  /// The width in pixels, as stored.
  public let width: Int
  /// The height in pixels, as stored.
  public let height: Int
  /// The order of the bytes in a pixel.
  public let format: Format
  /// The number of bytes from the start of one row to the start of the next.
  public let bytesPerRow: Int
  /// How the pixels must be turned to be upright.
  public var orientation: ImageOrientation

  private let storage: TensorStorage

  /// Makes a buffer and lets a closure fill it.
  ///
  /// The memory is zero before `fill` is called.
  ///
  /// - Parameters:
  ///   - width: The width in pixels, at least 1.
  ///   - height: The height in pixels, at least 1.
  ///   - format: The order of the bytes in a pixel.
  ///   - orientation: How the pixels must be turned to be upright.
  ///   - fill: Writes the pixels, with no gap between rows.
  /// - Throws: Any error that `fill` throws.
  public init(
    width: Int, height: Int, format: Format, orientation: ImageOrientation = .up,
    fill: (inout MutableRawSpan) throws -> Void
  ) rethrows {
    try self.init(
      fillingWidth: width, height: height, format: format, orientation: orientation, zeroed: true,
      fill: fill)
  }

  /// Makes a buffer, by default without zeroing its memory first.
  ///
  /// `fill` must then write every byte or throw.
  package init(
    fillingWidth width: Int, height: Int, format: Format, orientation: ImageOrientation = .up,
    zeroed: Bool = false, fill: (inout MutableRawSpan) throws -> Void
  ) rethrows {
    precondition(width > 0 && height > 0, "An image must have at least one pixel.")
    self.width = width
    self.height = height
    self.format = format
    self.bytesPerRow = width * format.bytesPerPixel
    self.orientation = orientation
    self.storage = try TensorStorage(
      byteCount: bytesPerRow * height, zeroed: zeroed, fill: fill)
  }

  /// Makes a buffer from bytes.
  ///
  /// - Parameters:
  ///   - width: The width in pixels, at least 1.
  ///   - height: The height in pixels, at least 1.
  ///   - format: The order of the bytes in a pixel.
  ///   - orientation: How the pixels must be turned to be upright.
  ///   - bytes: `width * height * format.bytesPerPixel` bytes, row after row.
  public init(
    width: Int, height: Int, format: Format, orientation: ImageOrientation = .up, bytes: [UInt8]
  ) {
    precondition(
      bytes.count == width * height * format.bytesPerPixel,
      "A \(width) x \(height) \(format) image has "
        + "\(width * height * format.bytesPerPixel) bytes, got \(bytes.count).")
    self.init(width: width, height: height, format: format, orientation: orientation) { span in
      span.copy(from: bytes.span.bytes)
    }
  }

  /// Calls a closure with the pixels: `bytesPerRow * height` bytes.
  public func withBytes<Result>(_ body: (RawSpan) throws -> Result) rethrows -> Result {
    try storage.withBytes(body)
  }

  package func withUnsafeBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    try withBytes { try $0.withUnsafeBytes(body) }
  }
}

extension PixelBuffer {
  /// The order of the bytes in a pixel.
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

    /// The number of bytes in a pixel: 1, 3 or 4.
    public var bytesPerPixel: Int {
      switch self {
      case .gray: 1
      case .rgb, .bgr: 3
      case .rgba, .bgra, .argb: 4
      }
    }

    /// The offsets of red, green and blue within a pixel.
    package var colorOffsets: (red: Int, green: Int, blue: Int) {
      switch self {
      case .gray: (0, 0, 0)
      case .rgb, .rgba: (0, 1, 2)
      case .bgr, .bgra: (2, 1, 0)
      case .argb: (1, 2, 3)
      }
    }

    /// The offset of alpha within a pixel; nil without alpha.
    package var alphaOffset: Int? {
      switch self {
      case .gray, .rgb, .bgr: nil
      case .rgba, .bgra: 3
      case .argb: 0
      }
    }
  }
}

extension PixelBuffer {
  /// Returns the image's red, green and blue channels, each as a gray image of the same
  /// orientation.
  ///
  /// Use it to look at what a model sees. For a gray image, all three are the image itself. Alpha
  /// is left out.
  ///
  /// ```swift
  /// let seen = ImageTransform(width: 224, height: 224).apply(to: image)
  /// let (red, green, blue) = seen.channels()
  /// ```
  public func channels() -> (red: PixelBuffer, green: PixelBuffer, blue: PixelBuffer) {
    guard format != .gray else { return (self, self, self) }
    let offsets = format.colorOffsets
    return (channel(at: offsets.red), channel(at: offsets.green), channel(at: offsets.blue))
  }

  private func channel(at offset: Int) -> PixelBuffer {
    PixelBuffer(fillingWidth: width, height: height, format: .gray, orientation: orientation) {
      target in
      target.withUnsafeMutableBytes { target in
        withUnsafeBytes { source in
          for y in 0..<height {
            for x in 0..<width {
              target[y &* width &+ x] =
                source[y &* bytesPerRow &+ x &* format.bytesPerPixel &+ offset]
            }
          }
        }
      }
    }
  }
}

/// How the stored pixels must be turned to be upright, as in EXIF.
///
/// The raw values are those of EXIF's tag 0x0112.
public enum ImageOrientation: Int, Sendable, CaseIterable {
  /// Upright as stored.
  case up = 1
  /// Mirrored left to right.
  case upMirrored = 2
  /// Upside down.
  case down = 3
  /// Mirrored top to bottom.
  case downMirrored = 4
  /// Mirrored along the main diagonal (transposed).
  case leftMirrored = 5
  /// Upright after a clockwise quarter turn.
  case right = 6
  /// Mirrored along the other diagonal (transversed).
  case rightMirrored = 7
  /// Upright after a counterclockwise quarter turn.
  case left = 8

  /// Whether turning the image upright swaps its width and height.
  package var swapsAxes: Bool { rawValue >= 5 }

  /// Whether turning the image upright moves the far end of a stored axis to the left or to the
  /// top.
  package var flips: (horizontally: Bool, vertically: Bool) {
    switch self {
    case .up, .leftMirrored: (false, false)
    case .upMirrored, .right: (true, false)
    case .downMirrored, .left: (false, true)
    case .down, .rightMirrored: (true, true)
    }
  }

  /// Whether turning the image upright reverses the stored columns or rows.
  package var reverses: (columns: Bool, rows: Bool) {
    swapsAxes
      ? (flips.vertically, flips.horizontally) : (flips.horizontally, flips.vertically)
  }
}
