// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// What a .tflite file's metadata says of one input or output.
public struct TensorMetadata: Hashable, Sendable {
  /// A name for people; the signature's name is often another.
  public var name: String?
  /// What the values are.
  public var description: String?
  /// The kind of thing that the values make up.
  public var content: Content?
  /// How a picture's 0...255 become the model's numbers.
  public var normalization: Normalization?
  /// The least value, or one for each channel; empty when the model does not say.
  public var minimum: [Float]
  /// The greatest value, or one for each channel; empty when the model does not say.
  public var maximum: [Float]
  /// The names of the values, one each: the classes of a classifier.
  public var labels: [String]?
  /// What the values are indexes of: the classes of a detector.
  public var valueLabels: [String]?
  /// Values less than this one mean nothing.
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

  /// The kind of thing that the values make up.
  public enum Content: Hashable, Sendable {
    /// Numbers of any meaning.
    case features
    /// A picture; the size is for tensors that leave it open.
    case image(ColorSpace, width: Int?, height: Int?)
    /// Frames around things in a picture.
    case boundingBoxes
    /// Sound.
    case audio
    /// A kind that this library does not know, as the format counts it.
    case other(Int)
  }

  /// The colours of a picture's channels.
  public enum ColorSpace: String, Sendable {
    /// The model does not say.
    case unknown
    /// Red, green, blue.
    case rgb
    /// One channel.
    case grayscale
  }

  /// `(v - mean) / std`, with one number for all channels, or one for each.
  public struct Normalization: Hashable, Sendable {
    /// What is subtracted.
    public var mean: [Float]
    /// What is divided by.
    public var std: [Float]

    /// Makes a normalization.
    public init(mean: [Float], std: [Float]) {
      self.mean = mean
      self.std = std
    }
  }
}
