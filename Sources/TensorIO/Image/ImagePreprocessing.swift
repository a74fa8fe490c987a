// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

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
