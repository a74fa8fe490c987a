// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

public import TensorIO

/// A format that pictures can be written in.
public enum ImageFormat: Hashable, Sendable {
  /// PNG: exact, with alpha where the picture has it.
  case png
  /// JPEG: small, not exact, without alpha. The quality counts from 1 to 100; numbers beyond are
  /// taken as the nearest of these.
  case jpeg(quality: Int)
}

/// Encodes pixel buffers as PNG and JPEG pictures.
///
/// A buffer that does not stand upright is turned first: the files carry no EXIF data.
public struct ImageEncoder: Sendable {
  /// The quality of JPEG files that ``write(_:to:)`` writes, 1 to 100.
  public var jpegQuality = 90

  /// Makes an encoder.
  public init() {}

  /// The bytes of a file.
  ///
  /// - Parameters:
  ///   - buffer: The picture.
  ///   - format: The format of the file.
  /// - Returns: The whole file.
  /// - Throws: `TensorIOError` with the code `.unsupportedImage` when the format cannot hold the
  ///   picture; JPEG ends at 65500 pixels a side.
  public func encode(_ buffer: PixelBuffer, as format: ImageFormat) throws -> [UInt8] {
    try encodeUpright(buffer.upright(), as: format)
  }

  /// Writes a file in the format that its extension names: `.png`, `.jpg` or `.jpeg`.
  ///
  /// - Parameters:
  ///   - buffer: The picture.
  ///   - path: Where to write; a file that is there is replaced.
  /// - Throws: `TensorIOError` with the code `.unsupportedImage` for another extension, and
  ///   `.unwritableFile` when the file cannot be written.
  public func write(_ buffer: PixelBuffer, to path: String) throws {
    try writeFile(encode(buffer, as: format(for: path)), to: path)
  }

  /// The format that a path's extension names.
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
        "'\(path)' must end in .png, .jpg or .jpeg to be written, it "
          + (suffix.isEmpty ? "has no extension." : "ends in .\(suffix)."))
    }
  }
}
