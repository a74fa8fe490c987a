// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The size and channel order of an image layer.
public struct ImageShape: Hashable, Sendable {
  /// Rows of pixels.
  public var height: Int
  /// Pixels in a row.
  public var width: Int
  /// Values for a pixel.
  public var channels: Int
  /// The order of the channels in the tensor.
  public var format: Format

  /// The order of an image layer's channels.
  public enum Format: String, Sendable, CaseIterable {
    /// Red, green, blue.
    case rgb = "RGB"
    /// Blue, green, red.
    case bgr = "BGR"
  }

  /// Makes a shape from height, width and channels, in the order of the tensor's axes.
  public init(height: Int, width: Int, channels: Int = 3, format: Format = .rgb) {
    self.height = height
    self.width = width
    self.channels = channels
    self.format = format
  }
}
