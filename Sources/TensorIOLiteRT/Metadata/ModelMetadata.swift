// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The descriptive metadata of a .tflite file, such as its author and the meaning of its values.
///
/// The source is the TensorFlow Lite metadata: a flatbuffer in the model's file with the identifier
/// `M001`, and files in a zip archive after it. The metadata never affects how a model runs. All of
/// it is optional. A damaged part is left out and reported in ``problems``.
///
/// ```swift
/// let model = try LiteRTBackend().liteRTModel(at: "classifier.tflite")
/// let labels = model.metadata?.outputs.first?.labels
/// ```
package struct ModelMetadata: Hashable, Sendable {
  package var name: String?
  /// What the model does.
  package var description: String?
  package var version: String?
  package var author: String?
  package var license: String?
  /// The inputs, in the order of the model's main graph.
  package var inputs: [TensorMetadata] = []
  /// The outputs, in the order of the model's main graph.
  package var outputs: [TensorMetadata] = []
  /// How the boxes of an object detector are encoded, if the model states it.
  package var detector: DetectorMetadata?
  /// One sentence for each part that could not be read; empty when there are no problems.
  package var problems: [String] = []

  /// Metadata that states nothing.
  package static var empty: ModelMetadata { ModelMetadata() }
}

/// The metadata of one input or output of a .tflite file.
package struct TensorMetadata: Hashable, Sendable {
  /// A human-readable name, which often differs from the name in the signature.
  package var name: String?
  /// A description of the values.
  package var description: String?
  /// The kind of content that the values represent.
  package var content: Content?
  /// How the pixel values 0...255 of an image become the model's numbers.
  package var normalization: Normalization?
  /// The minimum value, or one for each channel; empty when the model doesn't state it.
  package var minimum: [Float] = []
  /// The maximum value, or one for each channel; empty when the model doesn't state it.
  package var maximum: [Float] = []
  /// One name for each value, such as the classes of a classifier.
  package var labels: [String]?
  /// The names that the values are indexes of, such as the classes of a detector.
  package var valueLabels: [String]?
  /// The threshold below which values mean nothing.
  package var scoreThreshold: Float?
  /// Whether scores have to be calibrated, which this library doesn't do.
  package var isCalibrated = false

  /// The kind of content that the values represent.
  package enum Content: Hashable, Sendable {
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
  package enum ColorSpace: String, Sendable {
    /// The model doesn't state the colours.
    case unknown
    /// Red, green and blue.
    case rgb
    /// One channel.
    case grayscale
  }

  /// The normalization `(v - mean) / std`, with one number for all channels, or one for each.
  package struct Normalization: Hashable, Sendable {
    /// The numbers to subtract.
    package var mean: [Float]
    /// The numbers to divide by.
    package var std: [Float]

    package init(mean: [Float], std: [Float]) { (self.mean, self.std) = (mean, std) }
  }
}

extension TensorMetadata {
  /// Makes the metadata of a tensor, such as the output of a classifier with labels.
  package init(labels: [String]? = nil) {
    self.init()
    self.labels = labels
  }
}

extension TensorMetadata.Normalization {
  /// Makes a normalization that is the same for all channels.
  package init(mean: Float, std: Float) { self.init(mean: [mean], std: [std]) }
}
