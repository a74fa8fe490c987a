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
