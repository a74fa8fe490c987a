// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Which part of a picture a model sees, and how that part gets the target's aspect.
///
/// Source: the `crop` field of an image input in model.json.
public struct ImageCrop: Sendable, Hashable {
  /// How the part gets the target's aspect.
  public var mode: Mode
  /// The share of the width and of the height that is kept, in the middle: more than 0, at most 1.
  ///
  /// It is taken as TensorFlow's `central_crop` takes it: `Int((n - n * fraction) / 2)` pixels are
  /// cut off at both ends.
  public var fraction: Double
  /// What ``Mode-swift.enum/pad`` fills the rest with.
  public var color: PixelColor

  /// How a part gets the target's aspect.
  public enum Mode: String, Sendable, Hashable, CaseIterable {
    /// The largest part with that aspect, in the middle: nothing is distorted, the rest is lost.
    case center
    /// The whole picture, distorted.
    case stretch
    /// The whole picture, not distorted, with a margin: a letterbox, as Pillow's `ImageOps.pad`.
    case pad
  }

  /// Makes a crop.
  ///
  /// - Parameters:
  ///   - mode: How the part gets the target's aspect.
  ///   - fraction: The share of each side that is kept, more than 0, at most 1.
  ///   - color: What a margin is filled with.
  public init(
    _ mode: Mode = .center, fraction: Double = 1, color: PixelColor = PixelColor()
  ) {
    precondition(fraction > 0 && fraction <= 1, "A fraction is more than 0 and at most 1.")
    self.mode = mode
    self.fraction = fraction
    self.color = color
  }
}

/// A colour of three bytes.
public struct PixelColor: Sendable, Hashable {
  /// The red part, 0 to 255.
  public var red: UInt8
  /// The green part, 0 to 255.
  public var green: UInt8
  /// The blue part, 0 to 255.
  public var blue: UInt8

  /// Makes a colour; parts left out are 0.
  public init(red: UInt8 = 0, green: UInt8 = 0, blue: UInt8 = 0) {
    self.red = red
    self.green = green
    self.blue = blue
  }

  /// The brightness, as Pillow's `convert("L")` and ITU-R 601-2 have it.
  package var gray: UInt8 {
    let (red, green, blue) = (UInt32(red), UInt32(green), UInt32(blue))
    let sum: UInt32 = red * 19595 + green * 38470 + blue * 7471 + 0x8000
    return UInt8(sum >> 16)
  }
}

extension PixelColor {
  /// The colour as style sheets write it, as `#8000ff`.
  package var hexadecimal: String {
    "#"
      + [red, green, blue].map { byte in
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }.joined()
  }
}
