// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

public import TensorIO
import TensorIOEncoding
import TensorIOImageCodecs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The source of the thumbnails on a page.
public struct ReportImages: Sendable {
  private let read: @Sendable (_ id: String) throws -> PixelBuffer

  /// Reads images with a closure.
  ///
  /// - Parameter read: Reads an image by its identifier in the report. If it throws, the page shows
  ///   the error instead of the image.
  public init(_ read: @escaping @Sendable (_ id: String) throws -> PixelBuffer) {
    self.read = read
  }

  /// Reads the images of a dataset, or draws its recordings.
  ///
  /// Images with a URL aren't fetched again.
  public init(_ dataset: Dataset) {
    let sources = Dictionary(
      dataset.samples.map { ($0.id, $0.source) }, uniquingKeysWith: { first, _ in first })
    self.init { id in
      switch sources[id] {
      case .file(let path) where !ImageFolder.isArray(path):
        return try Self.drawing(ofFile: path) ?? ImageDecoder().decode(contentsOf: path)
      case .bytes(let bytes, let name): return try ImageDecoder().decode(bytes, named: name)
      case .pixels(let image, _): return image
      case .refused(let reason, _): throw TensorIOError(.unreadableFile, reason)
      case .file, .tensor, .row, .numbers:
        throw TensorIOError(.wrongKind, "Numbers have no picture.")
      case .url:
        throw TensorIOError(.fileNotFound, "Images from URLs are not kept.")
      case nil:
        throw TensorIOError(.fileNotFound, "The dataset has no image '\(id)'.")
      }
    }
  }

  /// Draws a recording, or returns nil for a file of another kind.
  package static func drawing(ofFile path: String) throws -> PixelBuffer? {
    ImageFolder.isSound(path) ? Waveform(try AudioClip(contentsOf: path)).image : nil
  }

  func image(of id: String) throws -> PixelBuffer { try read(id).upright() }

  func thumbnail(of id: String) throws -> Thumbnail { try Thumbnail(image(of: id)) }
}

/// A small image in the form of a data URL.
struct Thumbnail {
  /// The maximum side in pixels, which is twice the size on the page for high-resolution screens.
  static let side = 240

  let address: String
  /// Whether the image is so small that its pixels should be shown as squares.
  let isTiny: Bool

  /// Makes a thumbnail.
  ///
  /// - Parameters:
  ///   - image: The image.
  ///   - isFlat: Whether the image has few colours, which must not be mixed.
  /// - Throws: `TensorIOError` if the image can't be encoded.
  init(_ image: PixelBuffer, isFlat: Bool = false) throws {
    let longest = max(image.width, image.height)
    isTiny = longest <= 64
    if isTiny {
      address = try "data:image/png;base64," + Self.base64(ImageEncoder().encode(image, as: .png))
      return
    }
    let scale = min(1, Double(Self.side) / Double(longest))
    func side(_ length: Int) -> Int { max(1, Int((Double(length) * scale).rounded())) }
    let transform = ImageTransform(
      width: side(image.width), height: side(image.height),
      resize: isFlat ? .nearest : .pillowBilinear, crop: ImageCrop(.stretch),
      isGray: image.format == .gray)
    let bytes = try ImageEncoder().encode(
      transform.apply(to: image), as: isFlat ? .png : .jpeg(quality: 72))
    address = "data:image/\(isFlat ? "png" : "jpeg");base64," + Self.base64(bytes)
  }

  static func base64(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }
}
