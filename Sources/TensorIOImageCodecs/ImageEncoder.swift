// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

public import TensorIO

/// A format that images can be written in.
public enum ImageFormat: Hashable, Sendable {
  /// PNG, which is lossless and keeps the image's alpha channel.
  case png
  /// JPEG, which is small but lossy and has no alpha channel.
  ///
  /// The quality ranges from 1 to 100. Values outside are clamped.
  case jpeg(quality: Int)
}

/// Encodes pixel buffers as PNG and JPEG images.
///
/// A buffer that isn't upright is turned first, because the files contain no EXIF data.
public struct ImageEncoder: Sendable {
  /// The quality of JPEG files that ``write(_:to:)`` writes, from 1 to 100.
  public var jpegQuality = 90

  /// Makes an encoder.
  public init() {}

  /// Returns the image as the bytes of a file.
  ///
  /// - Parameters:
  ///   - buffer: The image.
  ///   - format: The format of the file.
  /// - Returns: The whole file.
  /// - Throws: `TensorIOError` with the code `.unsupportedImage` when the format cannot hold the
  ///   image. JPEG supports at most 65500 pixels per side.
  public func encode(_ buffer: PixelBuffer, as format: ImageFormat) throws -> [UInt8] {
    try encodeUpright(buffer.upright(), as: format)
  }

  /// Writes a file in the format that its extension names: `.png`, `.jpg` or `.jpeg`.
  ///
  /// - Parameters:
  ///   - buffer: The image.
  ///   - path: The path to write to. An existing file is replaced.
  /// - Throws: `TensorIOError` with the code `.unsupportedImage` for another extension, and
  ///   `.unwritableFile` when the file cannot be written.
  public func write(_ buffer: PixelBuffer, to path: String) throws {
    try writeFile(encode(buffer, as: format(for: path)), to: path)
  }

  /// Returns the format that a path's extension names.
  ///
  /// - Throws: `TensorIOError` with the code `.unsupportedImage` for another extension.
  package func format(for path: String) throws -> ImageFormat {
    let name = path.split(separator: "/").last ?? ""
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    let suffix = parts.count > 1 ? (parts.last ?? "").lowercased() : ""
    switch suffix {
    case "png": return .png
    case "jpg", "jpeg": return .jpeg(quality: jpegQuality)
    default:
      throw TensorIOError(
        .unsupportedImage,
        "'\(path)' must end in .png, .jpg or .jpeg to be written, but it "
          + (suffix.isEmpty ? "has no extension." : "ends in .\(suffix)."))
    }
  }
}
