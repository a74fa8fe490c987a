// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

public import TensorIO

/// An image of a dataset and its ground truth.
public struct Sample: Sendable {
  /// The image's unique identifier in the dataset, usually its path relative to the dataset.
  public var id: String
  /// Where the image comes from.
  public var source: ImageSource
  /// What a model should find, or nil if the image has no label.
  public var truth: GroundTruth?

  /// Creates a sample.
  public init(id: String, source: ImageSource, truth: GroundTruth? = nil) {
    self.id = id
    self.source = source
    self.truth = truth
  }
}

/// Where an image comes from.
public enum ImageSource: Sendable {
  /// A file's path.
  case file(String)
  /// A URL that is fetched when the image is evaluated.
  case url(String)
  /// The bytes of an encoded image, with a name chosen by the program.
  case bytes([UInt8], name: String)
  /// A decoded image, with a name chosen by the program.
  case pixels(PixelBuffer, name: String)
  /// An image that must not be read.
  ///
  /// The reason, a sentence, becomes the error of the image's row.
  case refused(String, name: String)

  /// The image's identifier in results: its path, URL or name.
  public var id: String {
    switch self {
    case .file(let path): path
    case .url(let address): address
    case .bytes(_, let name), .pixels(_, let name), .refused(_, let name): name
    }
  }

  /// The kind of source in results: `file`, `url` or `memory`.
  public var kind: String {
    switch self {
    case .file, .refused: "file"
    case .url: "url"
    case .bytes, .pixels: "memory"
    }
  }
}
