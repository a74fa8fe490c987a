// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// What happens to a picture on its way into a model's tensor.
public struct ImagePreprocessing: Sendable, Hashable {
  /// How the picture is resized.
  public var resize: ResizeMethod
  /// Which part of the picture is taken.
  public var crop: ImageCrop
  /// How its bytes become the model's numbers; nil leaves them 0...255.
  public var normalization: PixelNormalization?

  /// Makes a description; what is left out is what a model.json that does not say has.
  public init(
    resize: ResizeMethod = .pillowBilinear, crop: ImageCrop = ImageCrop(),
    normalization: PixelNormalization? = nil
  ) {
    self.resize = resize
    self.crop = crop
    self.normalization = normalization
  }
}
