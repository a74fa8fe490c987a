// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The size of an image layer, and the order of its channels and axes.
public struct ImageShape: Hashable, Sendable {
  /// Rows of pixels.
  public var height: Int
  /// Pixels in a row.
  public var width: Int
  /// Values for a pixel.
  public var channels: Int
  /// The order of the channels in the tensor.
  public var format: Format
  /// Where the tensor has the axis of the channels.
  public var layout: Layout

  /// The order of an image layer's channels.
  public enum Format: String, Sendable, CaseIterable {
    /// Red, green, blue.
    case rgb = "RGB"
    /// Blue, green, red.
    case bgr = "BGR"
    /// One channel of brightness, as Pillow's `convert("L")` makes it.
    case gray = "GRAY"

    /// Values for a pixel.
    public var channels: Int { self == .gray ? 1 : 3 }
  }

  /// The order of an image layer's axes.
  public enum Layout: String, Sendable, CaseIterable {
    /// Height, width, channels.
    case channelsLast = "channels-last"
    /// Channels, height, width: a plane for each channel.
    case channelsFirst = "channels-first"
  }

  /// Makes a shape.
  ///
  /// - Parameters:
  ///   - height: Rows of pixels.
  ///   - width: Pixels in a row.
  ///   - channels: Values for a pixel; those of the format unless told.
  ///   - format: The order of the channels.
  ///   - layout: Where the tensor has the axis of the channels.
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

  /// The lengths of the tensor's axes for one picture.
  public var axes: [Int] {
    layout == .channelsLast ? [height, width, channels] : [channels, height, width]
  }
}
