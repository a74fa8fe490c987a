// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// How a picture's bytes become a model's numbers: `scale * v + bias`, both by colour.
///
/// Source: the `normalize` field of model.json. Computed in float32, product then sum.
public struct PixelNormalization: Hashable, Sendable {
  /// The factor for each colour.
  public var scale: ColorValues
  /// What is added to each colour after the scale.
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

  /// 0...255 to 0...1: `v / 255`.
  public static var zeroToOne: PixelNormalization { .init(scale: 1 / 255) }
  /// 0...255 to -1...1: `v * 2 / 255 - 1`.
  public static var minusOneToOne: PixelNormalization {
    .init(scale: 2 / 255, bias: ColorValues(red: -1, green: -1, blue: -1))
  }
}

/// How a model's numbers become a picture's bytes: `(v + bias) * scale`, both by colour.
///
/// The result is clamped to 0...255 and rounded to nearest; a NaN becomes 0.
/// Source: the `denormalize` field of model.json.
public struct PixelDenormalization: Hashable, Sendable {
  /// The factor for each colour.
  public var scale: ColorValues
  /// What is added to each colour before the scale.
  public var bias: ColorValues

  /// Makes a denormalization from scales and biases.
  public init(scale: ColorValues, bias: ColorValues = ColorValues()) {
    self.scale = scale
    self.bias = bias
  }

  /// Makes a denormalization with one scale for all colours.
  public init(scale: Float, bias: ColorValues = ColorValues()) {
    self.init(scale: ColorValues(all: scale), bias: bias)
  }

  /// 0...1 to 0...255: `v * 255`.
  public static var zeroToOne: PixelDenormalization { .init(scale: 255) }
  /// -1...1 to 0...255: `(v + 1) * 127.5`.
  public static var minusOneToOne: PixelDenormalization {
    .init(scale: 127.5, bias: ColorValues(red: 1, green: 1, blue: 1))
  }
}

/// A number for each colour.
///
/// Gray pictures have one channel, for which ``red`` counts.
public struct ColorValues: Hashable, Sendable {
  /// The red channel's.
  public var red: Float
  /// The green channel's.
  public var green: Float
  /// The blue channel's.
  public var blue: Float

  /// Makes values; a colour left out has 0.
  public init(red: Float = 0, green: Float = 0, blue: Float = 0) {
    self.red = red
    self.green = green
    self.blue = blue
  }

  /// Makes the same value for every colour.
  public init(all value: Float) {
    self.init(red: value, green: value, blue: value)
  }

  /// The one value, when all are the same.
  public var common: Float? { red == green && green == blue ? red : nil }

  /// The values in the order of a tensor's channels.
  package func ordered(_ format: ImageShape.Format) -> [Float] {
    switch format {
    case .rgb: [red, green, blue]
    case .bgr: [blue, green, red]
    case .gray: [red]
    }
  }
}
