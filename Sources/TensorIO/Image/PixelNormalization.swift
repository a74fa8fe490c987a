// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Converts an image's bytes to a model's numbers: `scale * v + bias`, for each colour.
///
/// It is the `normalize` field of model.json. It is computed in float32: first the product, then
/// the sum.
public struct PixelNormalization: Hashable, Sendable {
  /// The factor for each colour.
  public var scale: ColorValues
  /// The value that is added to each colour after scaling.
  public var bias: ColorValues

  /// Makes a normalization from scales and biases.
  public init(scale: ColorValues, bias: ColorValues = ColorValues()) {
    self.scale = scale
    self.bias = bias
  }

  /// Makes a normalization with one scale for all colours.
  public init(scale: Float, bias: ColorValues = ColorValues()) {
    self.init(scale: ColorValues(all: scale), bias: bias)
  }

  /// Converts 0...255 to 0...1: `v / 255`.
  public static var zeroToOne: PixelNormalization { .init(scale: 1 / 255) }
  /// Converts 0...255 to -1...1: `v * 2 / 255 - 1`.
  public static var minusOneToOne: PixelNormalization {
    .init(scale: 2 / 255, bias: ColorValues(all: -1))
  }
}

/// Converts a model's numbers to an image's bytes: `(v + bias) * scale`, for each colour.
///
/// The result is clamped to 0...255 and rounded to nearest. NaN becomes 0. It is the `denormalize`
/// field of model.json.
public struct PixelDenormalization: Hashable, Sendable {
  /// The factor for each colour.
  public var scale: ColorValues
  /// The value that is added to each colour before scaling.
  public var bias = ColorValues()

  /// Converts 0...1 to 0...255: `v * 255`.
  public static var zeroToOne: PixelDenormalization { .init(scale: ColorValues(all: 255)) }
  /// Converts -1...1 to 0...255: `(v + 1) * 127.5`.
  public static var minusOneToOne: PixelDenormalization {
    .init(scale: ColorValues(all: 127.5), bias: ColorValues(all: 1))
  }
}

/// A number for each colour.
///
/// Gray images have one channel, which uses ``red``.
public struct ColorValues: Hashable, Sendable {
  /// The value for red.
  public var red: Float
  /// The value for green.
  public var green: Float
  /// The value for blue.
  public var blue: Float

  /// Makes values; a colour that is left out is 0.
  public init(red: Float = 0, green: Float = 0, blue: Float = 0) {
    self.red = red
    self.green = green
    self.blue = blue
  }

  /// Uses the same value for every colour.
  public init(all value: Float) {
    self.init(red: value, green: value, blue: value)
  }

  /// The value of all three colours; nil when they differ.
  package var common: Float? { red == green && green == blue ? red : nil }

  /// The values in the order of a tensor's channels.
  package func ordered(_ format: ImageShape.Format) -> [Float] {
    switch format {
    case .rgb: [red, green, blue]
    case .bgr: [blue, green, red]
    case .gray: [red]
    }
  }
}
