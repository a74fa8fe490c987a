// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The size of an image layer, and the order of its channels and axes.
public struct ImageShape: Hashable, Sendable {
  /// The height in pixels.
  public var height: Int
  /// The width in pixels.
  public var width: Int
  /// The number of values in a pixel.
  public var channels: Int
  /// The order of the channels in the tensor.
  public var format: Format
  /// The position of the channel axis in the tensor.
  public var layout: Layout

  /// The order of an image layer's channels.
  public enum Format: String, Sendable, CaseIterable {
    /// Red, green, blue.
    case rgb = "RGB"
    /// Blue, green, red.
    case bgr = "BGR"
    /// One channel of brightness, computed like Pillow's `convert("L")`.
    case gray = "GRAY"

    /// The number of values in a pixel.
    package var channels: Int { self == .gray ? 1 : 3 }
  }

  /// The order of an image layer's axes.
  public enum Layout: String, Sendable, CaseIterable {
    /// Height, width, channels.
    case channelsLast = "channels-last"
    /// Channels, height, width, with a plane for each channel.
    case channelsFirst = "channels-first"
  }

  /// Makes a shape.
  ///
  /// - Parameters:
  ///   - height: The height in pixels.
  ///   - width: The width in pixels.
  ///   - channels: The number of values in a pixel; nil uses that of the format.
  ///   - format: The order of the channels.
  ///   - layout: The position of the channel axis in the tensor.
  public init(
    height: Int, width: Int, channels: Int? = nil, format: Format = .rgb,
    layout: Layout = .channelsLast
  ) {
    self.height = height
    self.width = width
    self.channels = channels ?? format.channels
    self.format = format
    self.layout = layout
  }

  /// The lengths of the tensor's axes for one image.
  package var axes: [Int] {
    layout == .channelsLast ? [height, width, channels] : [channels, height, width]
  }
}

/// The size of a layer that holds a class for each pixel.
///
/// It describes an output of the type "image" with the format "CLASSES" in model.json.
public struct ClassMapShape: Hashable, Sendable {
  /// The height in pixels.
  public var height: Int
  /// The width in pixels.
  public var width: Int
  /// The number of values in a pixel: a score for each class, or 1 if the value is the class index.
  public var depth: Int
  /// The position of the class axis in the tensor.
  public var layout: ImageShape.Layout = .channelsLast

  /// Whether a pixel has a score for each class instead of a class index.
  package var holdsScores: Bool { depth > 1 }

  /// The lengths of the tensor's axes for one map.
  package var axes: [Int] {
    layout == .channelsLast ? [height, width, depth] : [depth, height, width]
  }

  /// The word that model.json uses for the format.
  package static let formatName = "CLASSES"
}

/// How an image is prepared for a model's tensor.
public struct ImagePreprocessing: Sendable, Hashable {
  /// How the image is resized.
  public var resize: ResizeMethod
  /// Which part of the image is used.
  public var crop: ImageCrop
  /// How the bytes become the model's numbers; nil leaves them in the range 0...255.
  public var normalization: PixelNormalization?

  /// Makes a description; the defaults are those of a model.json without these fields.
  public init(
    resize: ResizeMethod = .pillowBilinear, crop: ImageCrop = ImageCrop(),
    normalization: PixelNormalization? = nil
  ) {
    self.resize = resize
    self.crop = crop
    self.normalization = normalization
  }
}
