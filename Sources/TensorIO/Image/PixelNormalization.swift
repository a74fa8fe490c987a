// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// How a picture's bytes become a model's numbers: `scale * v + bias`, the bias by colour.
///
/// Source: the `normalize` field of model.json. Computed in float32, product then sum.
public struct PixelNormalization: Hashable, Sendable {
  /// The factor for every channel.
  public var scale: Float
  /// What is added to each colour after the scale.
  public var bias: ColorBias

  /// Makes a normalization from a scale and biases.
  public init(scale: Float, bias: ColorBias = ColorBias()) {
    self.scale = scale
    self.bias = bias
  }

  /// 0...255 to 0...1: `v / 255`.
  public static var zeroToOne: PixelNormalization { .init(scale: 1 / 255) }
  /// 0...255 to -1...1: `v * 2 / 255 - 1`.
  public static var minusOneToOne: PixelNormalization {
    .init(scale: 2 / 255, bias: ColorBias(red: -1, green: -1, blue: -1))
  }
}

/// How a model's numbers become a picture's bytes: `(v + bias) * scale`, the bias by colour.
///
/// The result is clamped to 0...255 and rounded to nearest; a NaN becomes 0.
/// Source: the `denormalize` field of model.json.
public struct PixelDenormalization: Hashable, Sendable {
  /// The factor for every channel.
  public var scale: Float
  /// What is added to each colour before the scale.
  public var bias: ColorBias

  /// Makes a denormalization from a scale and biases.
  public init(scale: Float, bias: ColorBias = ColorBias()) {
    self.scale = scale
    self.bias = bias
  }

  /// 0...1 to 0...255: `v * 255`.
  public static var zeroToOne: PixelDenormalization { .init(scale: 255) }
  /// -1...1 to 0...255: `(v + 1) * 127.5`.
  public static var minusOneToOne: PixelDenormalization {
    .init(scale: 127.5, bias: ColorBias(red: 1, green: 1, blue: 1))
  }
}

/// A number for each colour.
public struct ColorBias: Hashable, Sendable {
  /// The red channel's.
  public var red: Float
  /// The green channel's.
  public var green: Float
  /// The blue channel's.
  public var blue: Float

  /// Makes a bias; a colour left out has 0.
  public init(red: Float = 0, green: Float = 0, blue: Float = 0) {
    self.red = red
    self.green = green
    self.blue = blue
  }
}
