// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// A method of resizing an image, which reproduces that of one Python library.
///
/// It is the `resize` field of an image input in model.json, which uses the raw values. Libraries
/// give different results for kernels with the same name. `Documentation/Preprocessing.md` has the
/// Python line for each method and its accuracy.
public enum ResizeMethod: String, Sendable, Hashable, CaseIterable {
  /// Pillow's `resize(size, BILINEAR)`: antialiased and bit for bit equal. The default.
  case pillowBilinear = "pillow-bilinear"
  /// Pillow's `resize(size, BICUBIC)`: antialiased and bit for bit equal.
  case pillowBicubic = "pillow-bicubic"
  /// Pillow's `resize(size, LANCZOS)`: antialiased and bit for bit equal.
  case pillowLanczos = "pillow-lanczos"
  /// Pillow's `resize(size, BOX)`: the mean of the pixels, bit for bit equal.
  case pillowBox = "pillow-box"
  /// TensorFlow 2's `tf.image.resize(image, size)`: not antialiased. The result is floats.
  case tfBilinear = "tf-bilinear"
  /// TensorFlow 2's `tf.image.resize(image, size, antialias=True)`. The result is floats.
  case tfBilinearAntialias = "tf-bilinear-antialias"
  /// TensorFlow 1's `resize_bilinear`, which samples at the corners of pixels. The result is
  /// floats.
  case tf1Bilinear = "tf1-bilinear"
  /// OpenCV's `resize(image, size, interpolation=INTER_LINEAR)`: not antialiased.
  case openCVLinear = "opencv-linear"
  /// OpenCV's `resize(image, size, interpolation=INTER_AREA)`: the mean of the area.
  case openCVArea = "opencv-area"
  /// The nearest pixel, chosen like Pillow's `resize(size, NEAREST)`.
  case nearest

  /// Whether every source pixel contributes to the result when an image is reduced.
  package var isAntialiased: Bool {
    switch self {
    case .pillowBilinear, .pillowBicubic, .pillowLanczos, .pillowBox, .tfBilinearAntialias,
      .openCVArea:
      true
    case .tfBilinear, .tf1Bilinear, .openCVLinear, .nearest: false
    }
  }

  /// Whether the result is floats; the other methods round to bytes, like their libraries.
  package var givesFloats: Bool {
    switch self {
    case .tfBilinear, .tfBilinearAntialias, .tf1Bilinear: true
    case .pillowBilinear, .pillowBicubic, .pillowLanczos, .pillowBox, .openCVLinear, .openCVArea,
      .nearest:
      false
    }
  }
}
