// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// How a picture is resized: each value does what one Python library does.
///
/// Source: the `resize` field of an image input in model.json, which has the raw values. Libraries
/// that name a kernel alike differ in their answers; `Documentation/Preprocessing.md` has the
/// Python line for each, and how near it comes.
public enum ResizeMethod: String, Sendable, Hashable, CaseIterable {
  /// Pillow's `resize(size, BILINEAR)`: antialiased; equal in every bit. The default.
  case pillowBilinear = "pillow-bilinear"
  /// Pillow's `resize(size, BICUBIC)`: antialiased; equal in every bit.
  case pillowBicubic = "pillow-bicubic"
  /// Pillow's `resize(size, LANCZOS)`: antialiased; equal in every bit.
  case pillowLanczos = "pillow-lanczos"
  /// Pillow's `resize(size, BOX)`: the mean of the pixels; equal in every bit.
  case pillowBox = "pillow-box"
  /// TensorFlow 2's `tf.image.resize(image, size)`: not antialiased. Gives floats.
  case tfBilinear = "tf-bilinear"
  /// TensorFlow 2's `tf.image.resize(image, size, antialias=True)`. Gives floats.
  case tfBilinearAntialias = "tf-bilinear-antialias"
  /// TensorFlow 1's `resize_bilinear`, whose samples begin at the corner. Gives floats.
  case tf1Bilinear = "tf1-bilinear"
  /// OpenCV's `resize(image, size, interpolation=INTER_LINEAR)`: not antialiased.
  case openCVLinear = "opencv-linear"
  /// OpenCV's `resize(image, size, interpolation=INTER_AREA)`: the mean of the area.
  case openCVArea = "opencv-area"
  /// The nearest pixel, as Pillow's `resize(size, NEAREST)` takes it.
  case nearest

  /// Whether every pixel of the source counts when a picture gets smaller.
  package var isAntialiased: Bool {
    switch self {
    case .pillowBilinear, .pillowBicubic, .pillowLanczos, .pillowBox, .tfBilinearAntialias,
      .openCVArea:
      true
    case .tfBilinear, .tf1Bilinear, .openCVLinear, .nearest: false
    }
  }

  /// Whether the result is floats; the other methods round to bytes, as their libraries do.
  package var givesFloats: Bool {
    switch self {
    case .tfBilinear, .tfBilinearAntialias, .tf1Bilinear: true
    default: false
    }
  }
}
