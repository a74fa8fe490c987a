// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

package import TensorIO

/// Reads the size of an encoded image, and then decodes a part of it row by row.
///
/// ```swift
/// let reader = try ImageReader(bytes, named: "cat.jpg", limits: decoder.limits, pool: pool)
/// var rows = try reader.rows(of: reader.bounds())
/// ```
///
/// A reader provides rows only once. It holds only the rows that are needed, except for WebP and
/// interlaced PNG, which use a buffer of the pool.
package final class ImageReader {
  /// The size of the whole image as stored, before it is turned.
  package let width: Int
  package let height: Int
  package let format: PixelBuffer.Format
  /// The orientation in the EXIF data.
  package let orientation: ImageOrientation
  /// Whether the image can be decoded at a fraction of its size.
  package let canScale: Bool

  private let decoder: any FormatDecoder

  /// Opens an image, without allocating memory for pixels.
  ///
  /// The bytes must outlive the reader and its rows.
  package init(
    _ bytes: UnsafeRawBufferPointer, named name: String, limits: ImageDecoder.Limits,
    pool: BufferPool
  ) throws {
    guard bytes.count <= limits.maximumFileBytes else {
      throw fileTooLarge(name, bytes: bytes.count, limit: limits.maximumFileBytes)
    }
    let format = FileFormat(of: bytes.bytes)
    switch format {
    case .bmp:
      decoder = BitmapReader(
        try BitmapHeader(bytes.bytes, name: name, limits: limits), bytes: bytes)
    case .jpeg, .png, .webp:
      decoder = try LibraryDecoder(bytes, format: format, name: name, limits: limits, pool: pool)
    default:
      throw TensorIOError(
        .unsupportedImage,
        "\(name) must be a JPEG, PNG, WebP or BMP image, but it is \(format.rawValue).")
    }
    width = decoder.width
    height = decoder.height
    self.format = decoder.hasAlpha ? .rgba : .rgb
    orientation = ImageOrientation(exifOf: bytes.bytes, format)
    canScale = format == .jpeg && LibraryDecoder.scalesJPEG
  }

  /// Returns the bounds of the whole image at a scale, with the sides rounded up.
  package func bounds(denominator: Int = 1) -> PixelCrop {
    PixelCrop(
      width: (width + denominator - 1) / denominator,
      height: (height + denominator - 1) / denominator)
  }

  /// Starts to decode a part, or the whole image; call this only once.
  ///
  /// The part is in stored pixels at the options' scale. Its rows have exactly the pixels of the
  /// same part in the whole image.
  package func rows(
    of region: PixelCrop? = nil, options: DecodeOptions = DecodeOptions()
  ) throws -> ImageRows {
    let region = checked(region, options)
    return ImageRows(
      try decoder.start(region, options: options, canvas: nil), region: region, format: format)
  }

  /// Decodes a part into an image with the file's orientation; call this only once.
  package func image(
    of region: PixelCrop? = nil, options: DecodeOptions = DecodeOptions()
  ) throws -> PixelBuffer {
    let region = checked(region, options)
    return try PixelBuffer(
      fillingWidth: region.width, height: region.height, format: format, orientation: orientation
    ) { pixels in
      try pixels.withUnsafeMutableBytes { pixels in
        // If the whole image is wanted, a format that must be decoded whole is decoded in place.
        let canvas = region == bounds() ? pixels : nil
        let source = try decoder.start(region, options: options, canvas: canvas)
        var rows = ImageRows(source, region: region, format: format)
        guard var target = pixels.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
        for _ in 0..<region.height {
          try rows.readRow(into: target)
          target += region.width * format.bytesPerPixel
        }
        try rows.finish()
      }
    }
  }

  private func checked(_ region: PixelCrop?, _ options: DecodeOptions) -> PixelCrop {
    precondition(
      [1, 2, 4, 8].contains(options.denominator) && (canScale || options.denominator == 1),
      "An image of this format can't be scaled by 1/\(options.denominator).")
    let bounds = bounds(denominator: options.denominator)
    let region = region ?? bounds
    precondition(
      region.x >= 0 && region.y >= 0 && region.width > 0 && region.height > 0
        && region.x + region.width <= bounds.width && region.y + region.height <= bounds.height,
      "The part must be within the image.")
    return region
  }
}

/// The decoder of a format, which can be started once after it is opened.
protocol FormatDecoder {
  var width: Int { get }
  var height: Int { get }
  var hasAlpha: Bool { get }

  /// Starts to decode a part, within the bounds of the image at the options' scale.
  ///
  /// Decoders that produce the whole image at once do so in the canvas, or in memory of their own.
  func start(
    _ region: PixelCrop, options: DecodeOptions, canvas: UnsafeMutableRawBufferPointer?
  ) throws -> any RowSource
}

/// The options for decoding a JPEG image.
///
/// Other formats support only the denominator 1.
package struct DecodeOptions: Hashable, Sendable {
  /// The number that the sides are divided by, rounded up: 1, 2, 4 or 8.
  package var denominator = 1
  /// Whether chroma is smoothed when it is enlarged, as in Pillow.
  package var fancyUpsampling = true
  /// Whether to use the faster but less exact inverse transform.
  package var fastDCT = false

  /// Whether to read data above and below the part too, so that damage there is found.
  package var readsAll = true

  package init(
    denominator: Int = 1, fancyUpsampling: Bool = true, fastDCT: Bool = false,
    readsAll: Bool = true
  ) {
    self.denominator = denominator
    self.fancyUpsampling = fancyUpsampling
    self.fastDCT = fastDCT
    self.readsAll = readsAll
  }
}

/// The rows of a part of an image, as its decoder produces them.
package struct ImageRows: PixelRows {
  let width: Int
  let height: Int
  package let format: PixelBuffer.Format

  private let source: any RowSource
  private var next = 0

  init(_ source: any RowSource, region: PixelCrop, format: PixelBuffer.Format) {
    self.source = source
    width = region.width
    height = region.height
    self.format = format
  }

  package mutating func row(_ y: Int) throws -> UnsafePointer<UInt8> {
    precondition(y >= next && y < height, "Rows must be read from top to bottom.")
    defer { next = y + 1 }
    return try source.row(skipping: y - next)
  }

  package mutating func finish() throws {
    try source.finish()
  }

  /// Writes the next row into `target`, which must have the size of a row.
  mutating func readRow(into target: UnsafeMutablePointer<UInt8>) throws {
    precondition(next < height, "No rows are left.")
    next += 1
    try source.readRow(into: target)
  }
}

/// A decoder that provides ``ImageRows`` with rows, once it has been started for a part of the
/// image.
protocol RowSource: AnyObject {
  /// Skips `count` rows and returns the next one, with ``pixelRowSlack`` bytes after it.
  func row(skipping count: Int) throws -> UnsafePointer<UInt8>
  /// Writes the next row into `target`.
  func readRow(into target: UnsafeMutablePointer<UInt8>) throws
  /// Reads to the end of the file.
  func finish() throws
}
