// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

public import TensorIO

/// Decodes JPEG, PNG, WebP and BMP images into pixel buffers.
///
/// The format is recognized by the first bytes, never by the file's name. The size is checked
/// before memory for pixels is allocated. Damaged data is an error, so made-up pixels never reach a
/// model.
///
/// ```swift
/// let image = try ImageDecoder().decode(contentsOf: "cat.jpg")
/// ```
public struct ImageDecoder: Sendable {
  /// The limits on the images to decode.
  public var limits: Limits
  /// Whether the image is turned upright according to its EXIF data.
  ///
  /// When this is false, the pixels stay as they are stored, and `PixelBuffer.orientation` tells
  /// how to turn them. An `ImageTransform` then turns the small result instead of the large
  /// image; the middle of a crop and its rounding can differ by one pixel. An ``ImageFile`` that
  /// must be turned is then decoded whole, regardless of ``scaling``.
  public var appliesOrientation = true
  /// The amount of detail that is decoded where the size of the result is known.
  ///
  /// The size is known when an encoded image goes straight into a tensor. An image that is decoded
  /// into a pixel buffer is always decoded whole.
  public var scaling: DecodeScaling = .exact

  /// The memory for files and canvases, which copies of the decoder share.
  package let pool = BufferPool()

  /// Makes a decoder.
  ///
  /// Use one decoder for many images, because it reuses its memory.
  public init(limits: Limits = Limits()) {
    self.limits = limits
  }

  /// Decodes a file.
  ///
  /// - Parameter path: The file's path; its name and extension do not matter.
  /// - Returns: The image, in RGB, or in RGBA if it can be transparent.
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
  ///   - name: The image's name in error messages.
  /// - Returns: The image, in RGB, or in RGBA if it can be transparent.
  /// - Throws: `TensorIOError` with the codes `.unsupportedImage`, `.invalidImage` or
  ///   `.imageTooLarge`.
  public func decode(_ bytes: [UInt8], named name: String = "The image") throws -> PixelBuffer {
    try decode(bytes.span.bytes, named: name)
  }

  /// Decodes the bytes of a file from any memory.
  ///
  /// - Parameters:
  ///   - bytes: The whole file.
  ///   - name: The image's name in error messages.
  /// - Returns: The image, in RGB, or in RGBA if it can be transparent.
  /// - Throws: `TensorIOError` with the codes `.unsupportedImage`, `.invalidImage` or
  ///   `.imageTooLarge`.
  public func decode(_ bytes: RawSpan, named name: String = "The image") throws -> PixelBuffer {
    try bytes.withUnsafeBytes { try decode($0, named: name) }
  }

  private func decode(_ bytes: UnsafeRawBufferPointer, named name: String) throws -> PixelBuffer {
    let image = try ImageReader(bytes, named: name, limits: limits, pool: pool).image()
    return appliesOrientation ? image.upright() : image
  }
}

extension ImageDecoder {
  /// Returns whether the first bytes of a file are those of an image, even in an unsupported
  /// format.
  ///
  /// A format that only two bytes identify must also have a valid header, because raw pixels may
  /// begin with any bytes.
  package static func recognizes(_ bytes: RawSpan) -> Bool {
    switch FileFormat(of: bytes) {
    case .empty, .unknown: false
    case .bmp: BitmapHeader.hasKnownSize(bytes)
    case .jpegXL: bytes.hasText("JXL ", at: 4)
    default: true
    }
  }

  /// The limits on the images to decode.
  public struct Limits: Hashable, Sendable {
    /// The maximum number of pixels (width times height).
    ///
    /// The default is 100 million.
    public var maximumPixels: Int
    /// The maximum size of the file in bytes.
    ///
    /// The default is 256 MB.
    public var maximumFileBytes: Int

    /// The maximum width and the maximum height in pixels: 1,048,576.
    ///
    /// The memory that resizing takes grows with the longer side, so that a small file of a single
    /// row could take gigabytes.
    public static let maximumSide = 1 << 20

    /// Makes limits.
    public init(maximumPixels: Int = 100_000_000, maximumFileBytes: Int = 256_000_000) {
      self.maximumPixels = maximumPixels
      self.maximumFileBytes = maximumFileBytes
    }

    /// Throws an error unless an image of this size may be decoded.
    package func check(width: Int, height: Int, name: String) throws {
      let (pixels, overflow) = width.multipliedReportingOverflow(by: height)
      guard width > 0, height > 0 else {
        throw TensorIOError(
          .invalidImage, "\(name) is damaged: its size is given as \(width) x \(height) pixels.")
      }
      guard !overflow, pixels <= maximumPixels else {
        throw TensorIOError(
          .imageTooLarge,
          "\(name) has \(width) x \(height) pixels, but the limit is \(maximumPixels) pixels.")
      }
      guard max(width, height) <= Self.maximumSide else {
        throw TensorIOError(
          .imageTooLarge,
          "\(name) has \(width) x \(height) pixels, but a side has at most \(Self.maximumSide).")
      }
    }
  }
}

/// Returns the error for a file or a buffer whose size exceeds the limit.
func fileTooLarge(_ name: String, bytes: Int?, limit: Int) -> TensorIOError {
  TensorIOError(
    .imageTooLarge,
    "\(name) has \(bytes.map { "\($0)" } ?? "more") bytes, but the limit is \(limit).")
}

extension ImageDecoder {
  /// Decodes the numbers that a PNG file stores for its pixels, such as the classes of a mask, as a
  /// gray image.
  ///
  /// The numbers are palette indexes, whatever the palette's colours are, or gray values, which are
  /// not scaled to 8 bits. PNG files in other colours or with 16 bits per value are not supported.
  package func numbers(contentsOf path: String) throws -> PixelBuffer {
    let name = "'\(path)'"
    let file = try readFile(path, limit: limits.maximumFileBytes, pool: pool)
    return try withExtendedLifetime(file.buffer) {
      let format = FileFormat(of: file.bytes.bytes)
      guard format == .png else {
        throw TensorIOError(
          .unsupportedImage, "\(name) must be a PNG image, but it is \(format.rawValue).")
      }
      #if os(Linux)
      let decoder = try LibraryDecoder(
        file.bytes, format: format, name: name, limits: limits, pool: pool, keepsNumbers: true)
      let region = PixelCrop(width: decoder.width, height: decoder.height)
      let rows = try decoder.start(region, options: DecodeOptions(), canvas: nil)
      return try PixelBuffer(
        fillingWidth: region.width, height: region.height, format: .gray
      ) { pixels in
        try pixels.withUnsafeMutableBytes { pixels in
          guard var target = pixels.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
          for _ in 0..<region.height {
            try rows.readRow(into: target)
            target += region.width
          }
          try rows.finish()
        }
      }
      #else
      throw TensorIOError(
        .unsupportedImage,
        "\(name) can't be read: stored numbers are read only by libpng, on Linux.")
      #endif
    }
  }

  /// Checks that bytes begin with the header of a supported image, without decoding pixels.
  package func checkHeader(of bytes: [UInt8], named name: String) throws {
    try bytes.withUnsafeBytes {
      _ = try ImageReader($0, named: name, limits: limits, pool: pool)
    }
  }

  /// Decodes an upright RGB copy of a whole image, whose longest side has at most `side` pixels and
  /// which is never enlarged.
  ///
  /// A JPEG image is decoded at a fraction of its size where that is enough.
  package func thumbnail(contentsOf path: String, side: Int) throws -> PixelBuffer {
    precondition(side > 0, "An image must have at least one pixel.")
    let file = try readFile(path, limit: limits.maximumFileBytes, pool: pool)
    return try withExtendedLifetime(file.buffer) {
      let reader = try ImageReader(file.bytes, named: "'\(path)'", limits: limits, pool: pool)
      let scale = min(1, Double(side) / Double(max(reader.width, reader.height)))
      func scaled(_ length: Int) -> Int { max(1, Int((Double(length) * scale).rounded())) }
      let target = (width: scaled(reader.width), height: scaled(reader.height))
      var options = DecodeOptions()
      if reader.canScale {
        options.denominator = DecodeScaling.high.denominator(
          used: (reader.width, reader.height), target: target)
      }
      let image = try reader.image(options: options)
      let swaps = image.orientation.swapsAxes
      return ImageTransform(
        width: swaps ? target.height : target.width, height: swaps ? target.width : target.height,
        crop: ImageCrop(.stretch)
      ).apply(to: image)
    }
  }
}

/// The amount of detail that is decoded when a small tensor is made of a large image.
///
/// JPEG images can be decoded at a half, a quarter or an eighth of their size, which is several
/// times faster. The pixels then differ a little from those of an image that is decoded whole and
/// resized. Other formats are always decoded whole.
public enum DecodeScaling: String, CaseIterable, Sendable {
  /// Decodes the whole image, with exactly the pixels that Pillow's `Image.open` gives.
  case exact
  /// Decodes at a fraction that leaves both sides of the used part at least twice as long as the
  /// target's.
  ///
  /// The resize then still averages pixels, so differences are hard to see.
  case high
  /// Decodes at the smallest fraction that leaves both sides at least as long as the target's.
  ///
  /// The data above and below the used part isn't read where that saves time, so damage there goes
  /// unnoticed.
  case fast

  /// Returns the number that an image's sides are divided by when it is decoded: 1, 2, 4 or 8.
  ///
  /// The sizes are those of the used part and of its result, as stored.
  package func denominator(
    used: (width: Int, height: Int), target: (width: Int, height: Int)
  ) -> Int {
    let factor: Int
    switch self {
    case .exact: return 1
    case .high: factor = 2
    case .fast: factor = 1
    }
    for denominator in [8, 4, 2]
    where used.width / denominator >= target.width * factor
      && used.height / denominator >= target.height * factor
    {
      return denominator
    }
    return 1
  }
}
