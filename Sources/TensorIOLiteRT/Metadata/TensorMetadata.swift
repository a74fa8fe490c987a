// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The metadata of one input or output of a .tflite file.
public struct TensorMetadata: Hashable, Sendable {
  /// A human-readable name, which often differs from the name in the signature.
  public var name: String?
  /// A description of the values.
  public var description: String?
  /// The kind of content that the values represent.
  public var content: Content?
  /// How the pixel values 0...255 of an image become the model's numbers.
  public var normalization: Normalization?
  /// The minimum value, or one for each channel; empty when the model doesn't state it.
  public var minimum: [Float]
  /// The maximum value, or one for each channel; empty when the model doesn't state it.
  public var maximum: [Float]
  /// One name for each value, such as the classes of a classifier.
  public var labels: [String]?
  /// The names that the values are indexes of, such as the classes of a detector.
  public var valueLabels: [String]?
  /// The threshold below which values mean nothing.
  public var scoreThreshold: Float?

  /// Makes metadata.
  public init(
    name: String? = nil, description: String? = nil, content: Content? = nil,
    normalization: Normalization? = nil, minimum: [Float] = [], maximum: [Float] = [],
    labels: [String]? = nil, valueLabels: [String]? = nil, scoreThreshold: Float? = nil
  ) {
    self.name = name
    self.description = description
    self.content = content
    self.normalization = normalization
    self.minimum = minimum
    self.maximum = maximum
    self.labels = labels
    self.valueLabels = valueLabels
    self.scoreThreshold = scoreThreshold
  }

  /// The kind of content that the values represent.
  public enum Content: Hashable, Sendable {
    /// Numbers with any meaning.
    case features
    /// An image.
    ///
    /// The size is for tensors that leave theirs open.
    case image(ColorSpace, width: Int?, height: Int?)
    /// Bounding boxes of objects in an image.
    case boundingBoxes
    /// Audio.
    case audio
    /// A kind that this library doesn't know, with its number in the format.
    case other(Int)
  }

  /// The colours of an image's channels.
  public enum ColorSpace: String, Sendable {
    /// The model doesn't state the colours.
    case unknown
    /// Red, green and blue.
    case rgb
    /// One channel.
    case grayscale
  }

  /// The normalization `(v - mean) / std`, with one number for all channels, or one for each.
  public struct Normalization: Hashable, Sendable {
    /// The numbers to subtract.
    public var mean: [Float]
    /// The numbers to divide by.
    public var std: [Float]

    /// Makes a normalization.
    public init(mean: [Float], std: [Float]) {
      self.mean = mean
      self.std = std
    }
  }
}
