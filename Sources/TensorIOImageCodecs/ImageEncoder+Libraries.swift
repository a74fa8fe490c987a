// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CImageCodecs
import CSystemCalls
import TensorIO

extension ImageEncoder {
  func encodeUpright(_ buffer: PixelBuffer, as format: ImageFormat) throws -> [UInt8] {
    guard let width = UInt32(exactly: buffer.width), let height = UInt32(exactly: buffer.height)
    else {
      throw TensorIOError(
        .unsupportedImage, "\(buffer.width) x \(buffer.height) pixels cannot be encoded.")
    }
    let layout =
      switch buffer.format {
      case .gray: IMAGE_CODEC_GRAY
      case .rgb: IMAGE_CODEC_RGB
      case .bgr: IMAGE_CODEC_BGR
      case .rgba: IMAGE_CODEC_RGBA
      case .bgra: IMAGE_CODEC_BGRA
      case .argb: IMAGE_CODEC_ARGB
      }
    var encoded = image_codec_buffer()
    var message = image_codec_message()
    let status = buffer.withUnsafeBytes { pixels in
      let start = pixels.baseAddress?.assumingMemoryBound(to: UInt8.self)
      return switch format {
      case .png: image_codec_png_encode(start, width, height, layout, &encoded, &message)
      case .jpeg(let quality):
        image_codec_jpeg_encode(
          start, width, height, layout, CInt(min(max(quality, 1), 100)), &encoded, &message)
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
#endif
