// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

public import TensorIO

/// Decodes JPEG, PNG, WebP and BMP pictures into pixel buffers.
///
/// The format is told by the first bytes, never by the name. The size is checked before memory
/// for pixels is taken, and damaged data is an error: no made-up pixels reach a model.
///
/// ```swift
/// let photo = try ImageDecoder().decode(contentsOf: "cat.jpg")
/// ```
public struct ImageDecoder: Sendable {
  /// What a picture may ask for.
  public var limits: Limits
  /// Whether the picture is turned upright as its EXIF data says.
  ///
  /// Else the pixels stay as they are stored, and ``PixelBuffer/orientation`` tells how they must
  /// be turned. An ``ImageTransform`` then turns the small result instead of the large photo; a
  /// crop's middle and its rounding can differ by one. An ``ImageFile`` that must be turned is then
  /// decoded whole, whatever ``scaling`` says.
  public var appliesOrientation = true
  /// How much detail is decoded where the size of the result is known.
  ///
  /// That is when a picture that is still encoded goes into a tensor. A picture that is decoded
  /// for itself is always whole.
  public var scaling: DecodeScaling = .exact

  /// Where files and canvases lie; copies of the decoder share it.
  package let pool = BufferPool()

  /// Makes a decoder.
  ///
  /// Use one for many pictures: its memory serves the next.
  public init(limits: Limits = Limits()) {
    self.limits = limits
  }

  /// Decodes a file.
  ///
  /// - Parameter path: The file's path; its name and extension do not matter.
  /// - Returns: The picture, RGB or, where it can be transparent, RGBA.
  /// - Throws: `TensorIOError` with the codes `.fileNotFound`, `.unreadableFile`,
  ///   `.unsupportedImage`, `.invalidImage` or `.imageTooLarge`.
  public func decode(contentsOf path: String) throws -> PixelBuffer {
    let file = try readFile(path, limit: limits.maximumFileBytes, pool: pool)
    return try withExtendedLifetime(file.buffer) { try decode(file.bytes, named: "'\(path)'") }
  }

  /// Decodes the bytes of a file.
  ///
  /// - Parameters:
  ///   - bytes: The whole file.
  ///   - name: What error messages call the picture.
  /// - Returns: The picture, RGB or, where it can be transparent, RGBA.
  /// - Throws: `TensorIOError` with the codes `.unsupportedImage`, `.invalidImage` or
  ///   `.imageTooLarge`.
  public func decode(_ bytes: [UInt8], named name: String = "The picture") throws -> PixelBuffer {
    try decode(bytes.span.bytes, named: name)
  }

  /// Decodes the bytes of a file, wherever they lie.
  ///
  /// - Parameters:
  ///   - bytes: The whole file.
  ///   - name: What error messages call the picture.
  /// - Returns: The picture, RGB or, where it can be transparent, RGBA.
  /// - Throws: `TensorIOError` with the codes `.unsupportedImage`, `.invalidImage` or
  ///   `.imageTooLarge`.
  public func decode(_ bytes: RawSpan, named name: String = "The picture") throws -> PixelBuffer {
    try bytes.withUnsafeBytes { try decode($0, named: name) }
  }

  private func decode(_ bytes: UnsafeRawBufferPointer, named name: String) throws -> PixelBuffer {
    let picture = try ImageReader(bytes, named: name, limits: limits, pool: pool).picture()
    return appliesOrientation ? picture.upright() : picture
  }
}

extension ImageDecoder {
  /// Whether the first bytes of a file are a picture's, even of a format that is not decoded.
  ///
  /// Formats that only two bytes tell must have a header, too: pixels may begin with any bytes.
  package static func recognizes(_ bytes: RawSpan) -> Bool {
    switch FileFormat(of: bytes) {
    case .empty, .unknown: false
    case .bmp: BitmapHeader.hasKnownSize(bytes)
    case .jpegXL: bytes.hasText("JXL ", at: 4)
    default: true
    }
  }
}

extension ImageDecoder {
  /// What a picture may ask for at most.
  public struct Limits: Hashable, Sendable {
    /// Width times height; 100 million unless set.
    public var maximumPixels: Int
    /// The size of the file; 256 MB unless set.
    public var maximumFileBytes: Int

    /// Makes limits.
    public init(maximumPixels: Int = 100_000_000, maximumFileBytes: Int = 256_000_000) {
      self.maximumPixels = maximumPixels
      self.maximumFileBytes = maximumFileBytes
    }

    /// Throws unless a picture of that size may be decoded.
    func check(width: Int, height: Int, name: String) throws {
      let (pixels, overflow) = width.multipliedReportingOverflow(by: height)
      guard width > 0, height > 0 else {
        throw TensorIOError(
          .invalidImage, "\(name) is damaged: it says that it has \(width) x \(height) pixels.")
      }
      guard !overflow, pixels <= maximumPixels else {
        throw TensorIOError(
          .imageTooLarge,
          "\(name) has \(width) x \(height) pixels, the limit is \(maximumPixels) pixels in all.")
      }
    }
  }
}

/// A file's or a buffer's size exceeds the limit.
func fileTooLarge(_ name: String, bytes: Int?, limit: Int) -> TensorIOError {
  TensorIOError(
    .imageTooLarge,
    "\(name) has \(bytes.map { "\($0)" } ?? "more") bytes, the limit is \(limit).")
}
