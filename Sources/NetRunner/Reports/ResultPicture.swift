// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import TensorIOImageCodecs

/// A small picture of an output: a depth map, a class map or an image.
///
/// Reports have it for the first images only, to stay small.
public struct ResultPicture: Sendable, Codable, Hashable {
  /// The most images of a report that have pictures, for each model.
  static let count = 24

  /// The name of the output.
  public var output: String
  /// The picture as a `data:` URL, at most 240 pixels wide and high.
  public var address: String
  /// The most frequent classes of a class map; nil for other pictures.
  public var legend: [Entry]?

  /// A class of a class map.
  public struct Entry: Sendable, Codable, Hashable {
    /// The name of the class, or its number.
    public var label: String
    /// The colour of the class in the picture, such as `#4CC9F0`.
    public var color: String
    /// The share of the pixels that have the class, more than 0 and at most 1.
    public var share: Double
  }
}

extension ResultPicture {
  private static let longestLegend = 6

  /// Draws the first output that is a picture.
  ///
  /// - Returns: nil if there is none.
  /// - Throws: `TensorIOError` if it can't be encoded.
  init?(_ prediction: Prediction) throws {
    for (name, value) in prediction.outputs {
      switch value {
      case .classMap(let map):
        try self.init(map, output: name)
        return
      case .decoded(.depth(let map)):
        self.init(output: name, address: try Thumbnail(map.image()).address)
        return
      case .image(let image):
        self.init(output: name, address: try Thumbnail(image).address)
        return
      default: continue
      }
    }
    return nil
  }

  /// Draws the class map of a dataset.
  init(truth map: ClassMap) throws { try self.init(map, output: "truth") }

  private init(_ map: ClassMap, output: String) throws {
    self.init(
      output: output, address: try Thumbnail(map.image(), isFlat: true).address,
      legend: map.legend.prefix(Self.longestLegend).map {
        Entry(
          label: $0.label ?? "class \($0.index)", color: $0.color.hexadecimal, share: $0.share)
      })
  }
}
