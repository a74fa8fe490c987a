// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import TensorIOImageCodecs

/// How a picture may get to its size in the tensor: one choice for each stage of geometry.
struct Recipe: Hashable {
  var decoding: Decoding
  var turning: Turning
  var framing: Framing
  var resize: ResizeMethod
}

/// How a file may become pixels.
enum Decoding: Hashable {
  /// The whole picture, alpha dropped.
  case full
  /// JPEG with other choices of its decoder.
  case jpeg(DecodeOptions)
  /// Transparent pixels over a colour.
  case over(PixelColor)

  /// What a person would call it.
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

  /// How to make both sides the same.
  var suggestion: String {
    switch self {
    case .full: return ""
    case .over:
      return "Drop alpha in the Python code, as numpy.asarray(image.convert(\"RGBA\"))[..., :3] "
        + "does, or save the pictures without it."
    case .jpeg(let options) where options.denominator > 1:
      return "Decode the whole picture in the Python code: without draft() and thumbnail() in "
        + "Pillow, without IMREAD_REDUCED in OpenCV, with ratio=1 in TensorFlow."
    case .jpeg:
      return "Decode with Pillow in the Python code, or with TensorFlow's decode_jpeg(..., "
        + "fancy_upscaling=True, dct_method=\"INTEGER_ACCURATE\")."
    }
  }
}

/// How the stored pixels may be turned.
enum Turning: Hashable {
  /// As EXIF says.
  case upright
  /// Not at all.
  case asStored
  /// Upright, and then once more.
  case turned(ImageOrientation)

  /// What a person would call it.
  var label: String {
    switch self {
    case .upright: "upright by EXIF"
    case .asStored: "EXIF's orientation ignored"
    case .turned(let orientation):
      switch orientation {
      case .up: "upright by EXIF"
      case .upMirrored: "mirrored left to right"
      case .down: "upside down"
      case .downMirrored: "mirrored top to bottom"
      case .leftMirrored: "rows and columns exchanged"
      case .right: "turned clockwise by a quarter"
      case .rightMirrored: "mirrored along the other diagonal"
      case .left: "turned counterclockwise by a quarter"
      }
    }
  }

  /// How to make both sides the same.
  var suggestion: String {
    self == .asStored
      ? "Call PIL.ImageOps.exif_transpose(image) in the Python code, before anything else."
      : "Take out in the Python code what turns or mirrors the picture."
  }
}

/// What may happen to fractions that a resize gives, before normalization.
enum Rounding: Hashable, CaseIterable {
  case none
  case nearest
  case truncation

  /// What a person would call it.
  var label: String {
    switch self {
    case .none: "fractions kept after the resize"
    case .nearest: "rounded to bytes after the resize"
    case .truncation: "truncated to bytes after the resize"
    }
  }

  func callAsFunction(_ value: Float) -> Float {
    switch self {
    case .none: value
    case .nearest: value.rounded(.toNearestOrEven)
    case .truncation: value.rounded(.towardZero)
    }
  }
}

/// Which channel of the tensor is which colour.
enum ChannelOrder: Hashable {
  case rgb
  case bgr
  /// One channel of brightness.
  case gray
  /// The same brightness in three channels.
  case grayThrice

  init(_ format: ImageShape.Format) {
    self =
      switch format {
      case .rgb: .rgb
      case .bgr: .bgr
      case .gray: .gray
      }
  }

  var label: String {
    switch self {
    case .rgb: "RGB"
    case .bgr: "BGR"
    case .gray: "GRAY"
    case .grayThrice: "gray in three channels"
    }
  }

  /// Which plane of a picture a channel of the tensor is: red, green and blue, or the one of gray.
  func plane(_ channel: Int) -> Int {
    switch self {
    case .rgb: channel
    case .bgr: 2 - channel
    case .gray, .grayThrice: 0
    }
  }

  var isGray: Bool { self == .gray || self == .grayThrice }
}
