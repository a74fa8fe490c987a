// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import TensorIOImageCodecs

/// One way to make a tensor from an image file, with a choice for each stage before normalization.
struct Recipe: Hashable {
  var decoding: Decoding = .full
  var turning: Turning = .upright
  var framing: Framing
  var resize: ResizeMethod
  var order: ChannelOrder
  var rounding = Rounding.none

  /// Returns the choice in a stage, in words that no other choice has.
  func words(in stage: ParityStage) -> String {
    switch stage {
    case .decode: decoding.label
    case .orientation: turning.label
    case .crop: framing.label
    case .resize: resize.rawValue
    case .channelOrder: order.label
    case .normalization, .quantization: rounding.rawValue
    }
  }

  func with(_ change: (inout Recipe) -> Void) -> Recipe {
    var recipe = self
    change(&recipe)
    return recipe
  }
}

/// A way to decode a file into pixels.
enum Decoding: Hashable {
  /// The whole image, without alpha.
  case full
  /// A JPEG with other options of the decoder.
  case jpeg(DecodeOptions)
  /// Transparent pixels composited over a colour.
  case over(PixelColor)

  var label: String {
    switch self {
    case .full: return "the full decode"
    case .over(let color):
      return "alpha composited on \(color.red == 255 ? "white" : "black")"
    case .jpeg(let options):
      var words: [String] = []
      if options.denominator > 1 { words.append("decoded at 1/\(options.denominator) of its size") }
      if !options.fancyUpsampling { words.append("without fancy upsampling") }
      if options.fastDCT { words.append("with the fast DCT") }
      return "JPEG " + words.joined(separator: " and ")
    }
  }

  var suggestion: String {
    switch self {
    case .full: return ""
    case .over:
      return "Drop alpha in the Python code, for example with "
        + "numpy.asarray(image.convert(\"RGBA\"))[..., :3], or save the images without it."
    case .jpeg(let options) where options.denominator > 1:
      return "Decode the image at its full size in the Python code: without draft() and "
        + "thumbnail() in Pillow, without IMREAD_REDUCED in OpenCV, with ratio=1 in TensorFlow."
    case .jpeg:
      return "Decode with Pillow in the Python code, or with TensorFlow's decode_jpeg(..., "
        + "fancy_upscaling=True, dct_method=\"INTEGER_ACCURATE\")."
    }
  }
}

/// A rotation or reflection of the stored pixels.
enum Turning: Hashable {
  /// Turned by the EXIF orientation.
  case upright
  case asStored
  /// Turned upright, and then once more.
  case turned(ImageOrientation)

  var label: String {
    switch self {
    case .upright: "upright by EXIF"
    case .asStored: "EXIF orientation ignored"
    case .turned(let orientation):
      switch orientation {
      case .up: "upright by EXIF"
      case .upMirrored: "mirrored left to right"
      case .down: "upside down"
      case .downMirrored: "mirrored top to bottom"
      case .leftMirrored: "rows and columns swapped"
      case .right: "rotated 90 degrees clockwise"
      case .rightMirrored: "mirrored along the other diagonal"
      case .left: "rotated 90 degrees counterclockwise"
      }
    }
  }

  var suggestion: String {
    self == .asStored
      ? "Call PIL.ImageOps.exif_transpose(image) in the Python code, before anything else."
      : "Remove the code that rotates or mirrors the image from the Python code."
  }
}

/// The rounding of the fractions that a resize gives, before normalization; the raw values are for
/// users.
enum Rounding: String, CaseIterable {
  case none = "fractions kept after the resize"
  case nearest = "rounded to bytes after the resize"
  case truncation = "truncated to bytes after the resize"

  func callAsFunction(_ value: Float) -> Float {
    switch self {
    case .none: value
    case .nearest: value.rounded(.toNearestOrEven)
    case .truncation: value.rounded(.towardZero)
    }
  }

  func callAsFunction(_ planes: [[Float]]) -> [[Float]] {
    self == .none ? planes : planes.map { $0.map { self($0) } }
  }
}

/// The order of the colours in the tensor's channels.
enum ChannelOrder: Hashable {
  case format(ImageShape.Format)
  /// The same brightness in three channels.
  case grayThrice

  var label: String {
    if case .format(let format) = self { format.rawValue } else { "gray in three channels" }
  }

  /// Returns which plane a channel holds: of red, green and blue, or the single gray plane.
  func plane(_ channel: Int) -> Int {
    switch self {
    case .format(.rgb): channel
    case .format(.bgr): 2 - channel
    case .format(.gray), .grayThrice: 0
    }
  }

  var isGray: Bool { self == .format(.gray) || self == .grayThrice }
}
