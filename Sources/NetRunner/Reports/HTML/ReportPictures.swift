// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

public import TensorIO
import TensorIOImageCodecs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Where a page takes the pictures from that it shows small.
public struct ReportPictures: Sendable {
  private let read: @Sendable (_ id: String) throws -> PixelBuffer

  /// Pictures from a function.
  ///
  /// - Parameter read: Reads a picture by its identifier in the report; what it throws is shown in
  ///   the picture's place.
  public init(_ read: @escaping @Sendable (_ id: String) throws -> PixelBuffer) {
    self.read = read
  }

  /// The pictures of a dataset; those from addresses are not fetched again.
  public init(_ dataset: Dataset) {
    let sources = Dictionary(
      dataset.samples.map { ($0.id, $0.source) }, uniquingKeysWith: { first, _ in first })
    self.init { id in
      switch sources[id] {
      case .file(let path): return try ImageDecoder().decode(contentsOf: path)
      case .bytes(let bytes, let name): return try ImageDecoder().decode(bytes, named: name)
      case .pixels(let picture, _): return picture
      case .refused(let reason, _): throw TensorIOError(.unreadableFile, reason)
      case .url:
        throw TensorIOError(.fileNotFound, "Pictures from addresses are not kept.")
      case nil:
        throw TensorIOError(.fileNotFound, "The dataset has no picture '\(id)'.")
      }
    }
  }

  /// The pictures below a folder, by their paths in it.
  public init(folder: String) {
    self.init { id in
      guard FileSystem.staysInside(id) else {
        throw TensorIOError(.fileNotFound, "'\(id)' does not lie in the dataset's folder.")
      }
      return try ImageDecoder().decode(contentsOf: "\(folder)/\(id)")
    }
  }

  /// A small picture to be part of a page.
  ///
  /// - Throws: `TensorIOError` when the picture cannot be read.
  func thumbnail(of id: String) throws -> Thumbnail { try Thumbnail(read(id).upright()) }
}

/// A small picture as an address that contains it.
struct Thumbnail {
  /// The longest side: twice what a page shows, for fine screens.
  static let side = 240

  let address: String
  /// Whether it has so few pixels that they should be seen as squares.
  let isTiny: Bool

  init(_ picture: PixelBuffer) throws {
    let longest = max(picture.width, picture.height)
    isTiny = longest <= 64
    if isTiny {
      address = try "data:image/png;base64," + Self.base64(ImageEncoder().encode(picture, as: .png))
      return
    }
    let scale = min(1, Double(Self.side) / Double(longest))
    func side(_ length: Int) -> Int { max(1, Int((Double(length) * scale).rounded())) }
    let transform = ImageTransform(
      width: side(picture.width), height: side(picture.height), crop: ImageCrop(.stretch))
    let bytes = try ImageEncoder().encode(transform.apply(to: picture), as: .jpeg(quality: 72))
    address = "data:image/jpeg;base64," + Self.base64(bytes)
  }

  static func base64(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }
}
