// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// What a model's outputs mean together, as the `decode` field of model.json describes.
public enum DecodedValue: Sendable, Equatable {
  /// Objects or poses, in descending order of their scores.
  case objects([Detection])
  /// The labels above the threshold, in descending order of their scores.
  case labels([ScoredLabel])
  /// A vector that describes the input, and the nearest vectors of the bundle's gallery.
  case embedding(Embedding)
  /// A number for each pixel, such as a distance.
  case depth(DepthMap)
  /// Numbers with names and units.
  case measurements([Measurement])
  /// Text that the model read or wrote.
  case text(RecognizedText)
}

/// A label and its score.
public struct ScoredLabel: Sendable, Equatable {
  /// The label's index, from 0.
  public var index: Int
  /// The label, or its index as text.
  public var label: String
  /// The score.
  public var score: Float

  /// Makes a scored label.
  public init(index: Int, label: String, score: Float) {
    self.index = index
    self.label = label
    self.score = score
  }
}

/// A vector that describes a model's input, so that similar inputs have similar vectors.
public struct Embedding: Sendable, Equatable {
  /// The vector, of length 1 unless model.json says `"normalize": false`.
  public var vector: [Float]
  /// The nearest vectors of the gallery by cosine, nearest first; empty without a gallery.
  public var nearest: [ScoredLabel]

  /// Makes an embedding.
  public init(vector: [Float], nearest: [ScoredLabel] = []) {
    self.vector = vector
    self.nearest = nearest
  }
}

/// A number for each pixel of a model's result.
public struct DepthMap: Sendable, Equatable {
  /// The width in pixels of the map.
  public var width: Int
  /// The height in pixels of the map.
  public var height: Int
  /// The numbers, row after row.
  public var values: [Float]
  /// The least number that isn't NaN or infinite; 0 if there is none.
  public var minimum: Float
  /// The greatest number that isn't NaN or infinite; 0 if there is none.
  public var maximum: Float
  /// The unit of the numbers; nil if model.json names none.
  public var unit: String?
  /// Whether greater numbers are nearer.
  public var isInverse: Bool

  /// Makes a map.
  public init(
    width: Int, height: Int, values: [Float], minimum: Float, maximum: Float, unit: String? = nil,
    isInverse: Bool = false
  ) {
    precondition(values.count == width * height, "Every pixel of a depth map needs a number.")
    self.width = width
    self.height = height
    self.values = values
    self.minimum = minimum
    self.maximum = maximum
    self.unit = unit
    self.isInverse = isInverse
  }

  /// Draws the map in gray: near pixels are light, and pixels without a finite number are black.
  public func image() -> PixelBuffer {
    let (least, range) = (Double(minimum), Double(maximum) - Double(minimum))
    return PixelBuffer(width: width, height: height, format: .gray) { span in
      span.withUnsafeMutableBytes { bytes in
        for (pixel, value) in values.enumerated() {
          let share = range > 0 ? (Double(value) - least) / range : 0
          let light = isInverse ? share : 1 - share
          bytes[pixel] = value.isFinite ? UInt8((max(0, min(1, light)) * 255).rounded()) : 0
        }
      }
    }
  }
}

/// A number with a name and a unit.
public struct Measurement: Sendable, Equatable {
  /// The name; that of the output if model.json gives none.
  public var name: String
  /// The number.
  public var value: Double
  /// The unit; nil if model.json gives none.
  public var unit: String?

  /// Makes a measurement.
  public init(name: String, value: Double, unit: String? = nil) {
    self.name = name
    self.value = value
    self.unit = unit
  }
}

/// Text that a model read or wrote.
public struct RecognizedText: Sendable, Equatable {
  /// The text.
  public var text: String
  /// The product of the probabilities of its symbols; nil if the model gives only symbols.
  public var score: Float?

  /// Makes a text.
  public init(text: String, score: Float? = nil) {
    self.text = text
    self.score = score
  }
}

extension DecodedValue: TensorEncodable {
  public static var tensorKindName: String { "a decoded value" }
  public var tensorElementCount: Int? { nil }

  /// Throws an error, because only values can be written into a tensor.
  public func encode(into memory: inout MutableRawSpan, as spec: TensorSpec) throws {
    throw TensorIOError.wrongKind(
      spec, expected: spec.isImage ? "an image" : "\(spec.dataType) values",
      found: Self.tensorKindName)
  }
}
