// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CImageCodecs
import Glibc
import TensorIO

extension ImageDecoder {
  /// Decodes with libjpeg, libpng or libwebp.
  func decode(_ bytes: RawSpan, as format: FileFormat, name: String) throws -> PixelBuffer {
    try bytes.withUnsafeBytes { bytes in
      let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
      var header = image_codec_header()
      var message = image_codec_message()
      let readHeader =
        switch format {
        case .png: image_codec_png_read_header
        case .webp: image_codec_webp_read_header
        default: image_codec_jpeg_read_header
        }
      try check(readHeader(start, bytes.count, &header, &message), message, format, name: name)
      try limits.check(width: Int(header.width), height: Int(header.height), name: name)

      let decode =
        switch format {
        case .png: image_codec_png_decode
        case .webp: image_codec_webp_decode
        default: image_codec_jpeg_decode
        }
      return try PixelBuffer(
        fillingWidth: Int(header.width), height: Int(header.height),
        format: header.channels == 4 ? .rgba : .rgb
      ) { pixels in
        let status = pixels.withUnsafeMutableBytes { pixels in
          decode(
            start, bytes.count, pixels.baseAddress?.assumingMemoryBound(to: UInt8.self),
            pixels.count, &message)
        }
        try check(status, message, format, name: name)
      }
    }
  }
}

extension ImageEncoder {
  /// Encodes with libjpeg or libpng.
  func encodeUpright(_ picture: PixelBuffer, as format: ImageFormat) throws -> [UInt8] {
    guard let width = UInt32(exactly: picture.width), let height = UInt32(exactly: picture.height)
    else {
      throw TensorIOError(
        .unsupportedImage, "\(picture.width) x \(picture.height) pixels cannot be encoded.")
    }
    let layout =
      switch picture.format {
      case .gray: IMAGE_CODEC_GRAY
      case .rgb: IMAGE_CODEC_RGB
      case .bgr: IMAGE_CODEC_BGR
      case .rgba: IMAGE_CODEC_RGBA
      case .bgra: IMAGE_CODEC_BGRA
      case .argb: IMAGE_CODEC_ARGB
      }
    var encoded = image_codec_buffer()
    var message = image_codec_message()
    let status = picture.withBytes { pixels in
      pixels.withUnsafeBytes { pixels in
        let start = pixels.baseAddress?.assumingMemoryBound(to: UInt8.self)
        return switch format {
        case .png: image_codec_png_encode(start, width, height, layout, &encoded, &message)
        case .jpeg(let quality):
          image_codec_jpeg_encode(
            start, width, height, layout, CInt(min(max(quality, 1), 100)), &encoded, &message)
        }
      }
    }
    guard status == IMAGE_CODEC_OK else {
      throw TensorIOError(
        .unsupportedImage,
        "\(width) x \(height) pixels cannot be encoded: \(text(of: message)).")
    }
    defer { free(encoded.bytes) }
    return Array(UnsafeBufferPointer(start: encoded.bytes, count: encoded.count))
  }
}

private func check(
  _ status: image_codec_status, _ message: image_codec_message, _ format: FileFormat, name: String
) throws {
  let text = text(of: message)
  switch status {
  case IMAGE_CODEC_OK: return
  case IMAGE_CODEC_UNSUPPORTED:
    throw TensorIOError(
      .unsupportedImage, "\(name) is \(format.words) of a kind that is not supported: \(text).")
  case IMAGE_CODEC_TOO_LARGE:
    throw TensorIOError(.imageTooLarge, "\(name) is too large for its decoder: \(text).")
  default:
    throw TensorIOError(.invalidImage, "\(name) is \(format.words), but damaged: \(text).")
  }
}

private func text(of message: image_codec_message) -> String {
  withUnsafeBytes(of: message.text) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
}
#endif
