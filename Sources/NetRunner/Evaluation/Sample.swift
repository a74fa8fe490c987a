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

/// What is known about an image.
public enum GroundTruth: Sendable, Hashable {
  /// The image's class: one of the model's labels, or the number of a class as text.
  case label(String)
  /// Numbers, in the order of the model's output.
  case values([Double])
  /// The objects in the image.
  ///
  /// An empty array means that there are none.
  case boxes([GroundTruthBox])
  /// The path of a class map.
  ///
  /// A class map is an image of the same content whose grey or palette values are the numbers of
  /// classes.
  case classMap(String)
  /// A test bundle's expected results by output, if none of the other cases fits.
  ///
  /// Only metrics that a program registers read them.
  case results(JSONValue)
}

/// An object in an image.
public struct GroundTruthBox: Sendable, Hashable, Codable {
  /// The object's class: a label, or the number of a class as text.
  public var label: String
  /// The object's box.
  public var box: Box
  /// Whether the box stands for many objects (COCO's `iscrowd`), so that several detections can
  /// match it.
  public var isCrowd: Bool
  /// The object's area in pixels according to the dataset.
  ///
  /// If nil, the area of the box is used.
  public var area: Double?

  /// Creates an object.
  public init(label: String, box: Box, isCrowd: Bool = false, area: Double? = nil) {
    self.label = label
    self.box = box
    self.isCrowd = isCrowd
    self.area = area
  }
}

/// A rectangle, in pixels of the upright image or in fractions of its sides.
public struct Box: Sendable, Hashable, Codable {
  /// The left edge.
  public var x: Double
  /// The upper edge.
  public var y: Double
  /// The distance from the left edge to the right edge.
  public var width: Double
  /// The distance from the upper edge to the lower edge.
  public var height: Double

  /// Creates a rectangle.
  public init(x: Double, y: Double, width: Double, height: Double) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
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
