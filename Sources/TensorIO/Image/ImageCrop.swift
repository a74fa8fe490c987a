// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Which part of an image a model sees, and how that part is fitted to the target's aspect ratio.
///
/// It is the `crop` field of an image input in model.json.
public struct ImageCrop: Sendable, Hashable {
  /// How the part is fitted to the target's aspect ratio.
  public var mode: Mode
  /// The share of the width and of the height that is kept, in the middle: more than 0 and at most
  /// 1.
  ///
  /// It has the same meaning as in TensorFlow's `central_crop`: `Int((n - n * fraction) / 2)`
  /// pixels are cut off at both ends.
  public var fraction: Double
  /// The colour of the margin that ``Mode-swift.enum/pad`` adds.
  public var color: PixelColor
  /// The library whose rounding ``Mode-swift.enum/pad`` follows.
  ///
  /// It decides about one row or column of pixels: the image's size within the margin, and on which
  /// side the odd pixel of the margin is. Detectors find other boxes if the image is shifted.
  public var rounding: Rounding

  /// The ways to fit a part of an image to the target's aspect ratio.
  public enum Mode: String, Sendable, Hashable, CaseIterable {
    /// The largest central part with that aspect ratio. Nothing is distorted, but the rest is lost.
    case center
    /// The whole image, distorted.
    case stretch
    /// The whole image, undistorted, with a margin (a letterbox), like Pillow's `ImageOps.pad`.
    case pad
  }

  /// The libraries that add a margin, which round sizes and positions to whole pixels differently.
  public enum Rounding: String, Sendable, Hashable, CaseIterable {
    /// Pillow's `ImageOps.pad`: both are rounded, and halves to the even number.
    case pillow
    /// Ultralytics' `LetterBox`: the size is rounded, and the odd pixel is on the right or below.
    case ultralytics
    /// TensorFlow's `tf.image.resize_with_pad`: both are rounded down.
    case tensorflow
  }

  /// Makes a crop.
  ///
  /// - Parameters:
  ///   - mode: How the part is fitted to the target's aspect ratio.
  ///   - fraction: The share of each side that is kept, more than 0 and at most 1.
  ///   - color: The colour of a margin.
  ///   - rounding: The library whose rounding a margin follows.
  public init(
    _ mode: Mode = .center, fraction: Double = 1, color: PixelColor = PixelColor(),
    rounding: Rounding = .pillow
  ) {
    precondition(fraction > 0 && fraction <= 1, "A fraction must be more than 0 and at most 1.")
    self.mode = mode
    self.fraction = fraction
    self.color = color
    self.rounding = rounding
  }
}

/// A colour of three bytes.
public struct PixelColor: Sendable, Hashable {
  /// Red, 0 to 255.
  public var red: UInt8
  /// Green, 0 to 255.
  public var green: UInt8
  /// Blue, 0 to 255.
  public var blue: UInt8

  /// Makes a colour; components that are left out are 0.
  public init(red: UInt8 = 0, green: UInt8 = 0, blue: UInt8 = 0) {
    self.red = red
    self.green = green
    self.blue = blue
  }

  /// The brightness, as computed by Pillow's `convert("L")` according to ITU-R 601-2.
  package var gray: UInt8 {
    let (red, green, blue) = (UInt32(red), UInt32(green), UInt32(blue))
    let sum: UInt32 = red * 19595 + green * 38470 + blue * 7471 + 0x8000
    return UInt8(sum >> 16)
  }

  /// The colour in the notation of style sheets, such as `#8000ff`.
  package var hexadecimal: String {
    "#"
      + [red, green, blue].map { byte in
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }.joined()
  }
}
