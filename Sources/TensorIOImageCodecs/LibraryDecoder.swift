// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CImageCodecs
import TensorIO

/// A decoder that uses libjpeg, libpng or libwebp.
final class LibraryDecoder: FormatDecoder, RowSource {
  /// True, because libjpeg can decode at 1/2, 1/4 and 1/8 of the size.
  static let scalesJPEG = true

  let width: Int
  let height: Int
  let hasAlpha: Bool

  private let format: FileFormat
  private let name: String
  private let pool: BufferPool
  private let needsCanvas: Bool
  private let reader: OpaquePointer
  private var canvas: PooledBuffer?

  init(
    _ bytes: UnsafeRawBufferPointer, format: FileFormat, name: String,
    limits: ImageDecoder.Limits, pool: BufferPool, keepsNumbers: Bool = false
  ) throws {
    let stored =
      switch format {
      case .png: keepsNumbers ? IMAGE_CODEC_PNG_NUMBERS : IMAGE_CODEC_PNG
      case .webp: IMAGE_CODEC_WEBP
      default: IMAGE_CODEC_JPEG
      }
    var reader: OpaquePointer?
    var header = image_codec_header()
    var message = image_codec_message()
    let status = image_codec_open(
      stored, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count, &reader,
      &header, &message)
    try check(status, message, format, name: name)
    guard let reader else {
      throw TensorIOError(.invalidImage, "\(name) is \(format.rawValue) that cannot be opened.")
    }
    self.reader = reader
    self.format = format
    self.name = name
    self.pool = pool
    width = Int(header.width)
    height = Int(header.height)
    hasAlpha = header.channels == 4
    needsCanvas = header.needs_canvas != 0
    try limits.check(width: width, height: height, name: name)
  }

  deinit {
    image_codec_close(reader)
  }

  func start(
    _ region: PixelCrop, options: DecodeOptions, canvas: UnsafeMutableRawBufferPointer?
  ) throws -> any RowSource {
    var request = image_codec_request()
    request.denominator = UInt32(options.denominator)
    request.x = UInt32(region.x)
    request.y = UInt32(region.y)
    request.width = UInt32(region.width)
    request.height = UInt32(region.height)
    request.fancy_upsampling = options.fancyUpsampling ? 1 : 0
    request.fast_dct = options.fastDCT ? 1 : 0
    request.reads_all = options.readsAll ? 1 : 0
    if needsCanvas {
      var memory = canvas
      if memory == nil {
        let count = width * height * (hasAlpha ? 4 : 3) + pixelRowSlack
        let buffer = pool.buffer(byteCount: count)
        self.canvas = buffer
        memory = buffer.bytes
      }
      request.canvas = memory?.baseAddress?.assumingMemoryBound(to: UInt8.self)
      request.canvas_bytes = memory?.count ?? 0
    }
    var message = image_codec_message()
    let status = image_codec_start(reader, &request, &message)
    try check(status, message, format, name: name)
    return self
  }

  func row(skipping count: Int) throws -> UnsafePointer<UInt8> {
    var message = image_codec_message()
    if count > 0 { image_codec_skip_rows(reader, UInt32(count)) }
    var row: UnsafePointer<UInt8>?
    let status = image_codec_read_row(reader, nil, &row, &message)
    // Checking only on failure avoids retaining and releasing the name for each row.
    if status != IMAGE_CODEC_OK { try check(status, message, format, name: name) }
    guard let row else {
      throw TensorIOError(.invalidImage, "\(name) is \(format.rawValue) that is missing a row.")
    }
    return row
  }

  func readRow(into target: UnsafeMutablePointer<UInt8>) throws {
    var message = image_codec_message()
    let status = image_codec_read_row(reader, target, nil, &message)
    try check(status, message, format, name: name)
  }

  func finish() throws {
    var message = image_codec_message()
    let status = image_codec_finish(reader, &message)
    try check(status, message, format, name: name)
  }
}

private func check(
  _ status: image_codec_status, _ message: image_codec_message, _ format: FileFormat, name: String
) throws {
  guard status != IMAGE_CODEC_OK else { return }
  let text = text(of: message)
  switch status {
  case IMAGE_CODEC_UNSUPPORTED:
    throw TensorIOError(
      .unsupportedImage, "\(name) is \(format.rawValue) of an unsupported kind: \(text).")
  case IMAGE_CODEC_TOO_LARGE:
    throw TensorIOError(.imageTooLarge, "\(name) is too large for its decoder: \(text).")
  default:
    throw TensorIOError(.invalidImage, "\(name) is \(format.rawValue), but it is damaged: \(text).")
  }
}

func text(of message: image_codec_message) -> String {
  withUnsafeBytes(of: message.text) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
}
#endif
