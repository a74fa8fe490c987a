// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// A choice of the part of an image that is used, and of where it goes in the target.
enum Framing: Hashable {
  /// A crop that model.json can describe.
  case crop(ImageCrop)
  /// The part with the target's aspect ratio, from the top left corner.
  case topLeft
  /// The whole image in the top left corner, with a margin on the right or below.
  case padCorner(PixelColor)
  /// The short side resized to a length, followed by a centre crop, as in torchvision.
  case shortSide(Int)
  /// A centre crop of the target's size, without resizing.
  case middlePixels

  /// The most pixels of a resized image that is tried, unless 16 times the target's are more.
  ///
  /// An image that is one pixel wide can be very long, and enlarging it could take more memory than
  /// available.
  private static let maximumPixels = 4_000_000

  /// The part of an image that is used, and its position in the target.
  struct Frame: Hashable {
    var part: PixelCrop
    /// The size that the part is resized to.
    var scaledWidth: Int
    var scaledHeight: Int
    /// The position of the result in the target; negative if the result is cut off.
    var left = 0
    var top = 0
    /// The margin's colour; nil without one.
    var color: PixelColor?
  }

  /// Returns the frame for an image; nil if the image doesn't allow this framing.
  func frame(of size: ImageSize, in target: ImageSize) -> Frame? {
    switch self {
    case .crop(let crop):
      let placement = ImagePlacement(of: size, in: target, by: crop)
      return Frame(
        part: placement.crop, scaledWidth: placement.width, scaledHeight: placement.height,
        left: placement.x, top: placement.y,
        color: (placement.width, placement.height) == target ? nil : crop.color)
    case .topLeft:
      var part = PixelCrop(of: size, toAspectOf: target)
      (part.x, part.y) = (0, 0)
      return Frame(part: part, scaledWidth: target.width, scaledHeight: target.height)
    case .padCorner(let color):
      var frame = Self.crop(ImageCrop(.pad, color: color)).frame(of: size, in: target)
      frame?.left = 0
      frame?.top = 0
      return frame
    case .shortSide(let length):
      var (width, height) = (length, length)
      if size.width < size.height {
        height = length * size.height / size.width
      } else {
        width = length * size.width / size.height
      }
      guard width >= target.width, height >= target.height,
        width * height <= max(Self.maximumPixels, 16 * target.width * target.height)
      else { return nil }
      func start(_ rest: Int) -> Int { -Int((Double(rest) / 2).rounded(.toNearestOrEven)) }
      return Frame(
        part: PixelCrop(x: 0, y: 0, width: size.width, height: size.height), scaledWidth: width,
        scaledHeight: height, left: start(width - target.width),
        top: start(height - target.height))
    case .middlePixels:
      guard size.width >= target.width, size.height >= target.height else { return nil }
      let part = PixelCrop(
        x: (size.width - target.width) / 2, y: (size.height - target.height) / 2,
        width: target.width, height: target.height)
      return Frame(part: part, scaledWidth: target.width, scaledHeight: target.height)
    }
  }

  /// Returns the framings to try, with the likeliest first.
  static func alternatives(in target: ImageSize) -> [Framing] {
    var all: [Framing] = []
    for fraction in [1, 0.875, 0.95, 0.9] {
      all.append(.crop(ImageCrop(.center, fraction: fraction)))
      all.append(.crop(ImageCrop(.stretch, fraction: fraction)))
    }
    let colors = [0, 114, 128, 255].map { PixelColor(red: $0, green: $0, blue: $0) }
    for rounding in ImageCrop.Rounding.allCases {
      all += colors.map { .crop(ImageCrop(.pad, color: $0, rounding: rounding)) }
    }
    all.append(.topLeft)
    let short = min(target.width, target.height)
    var lengths = [short, 256, Int((Double(short) / 0.875).rounded()), Int(Double(short) / 0.875)]
    lengths = lengths.enumerated().filter { lengths.firstIndex(of: $1) == $0 }.map(\.element)
    all += lengths.filter { $0 >= short }.map(Framing.shortSide)
    all += colors.map(Framing.padCorner)
    all.append(.middlePixels)
    return all
  }

  var label: String {
    switch self {
    case .crop(let crop):
      let fraction = crop.fraction == 1 ? "" : ", fraction \(crop.fraction)"
      return crop.mode.rawValue + fraction
        + (crop.mode == .pad ? ", color \(Self.name(crop.color))" : "")
        + (crop.rounding == .pillow ? "" : ", rounded like \(crop.rounding.rawValue)")
    case .topLeft: return "the top left corner"
    case .padCorner(let color):
      return "padded on the right and below, color \(Self.name(color))"
    case .shortSide(let length):
      return "the short side resized to \(length), then a center crop"
    case .middlePixels: return "a center crop without resizing"
    }
  }

  /// Returns a suggestion that makes both sides the same.
  func suggestion(in target: ImageSize) -> String {
    switch self {
    case .crop(let crop):
      return "Write \(Self.json(crop)) in model.json, or change the Python code."
    case .topLeft, .padCorner, .middlePixels:
      return "model.json can't describe this. Change the Python code."
    case .shortSide(let length):
      let short = Double(min(target.width, target.height))
      let fraction = (short / Double(length) * 1000).rounded() / 1000
      let nearest = ImageCrop(.center, fraction: fraction)
      return "The nearest in model.json is \(Self.json(nearest)), which resizes after the crop. "
        + "For identical numbers, change the Python code."
    }
  }

  private static func json(_ crop: ImageCrop) -> String {
    var members = ["\"mode\": \"\(crop.mode.rawValue)\""]
    if crop.fraction != 1 { members.append("\"fraction\": \(crop.fraction)") }
    if crop.color != PixelColor() {
      let (red, green, blue) = (crop.color.red, crop.color.green, crop.color.blue)
      members.append("\"color\": {\"r\": \(red), \"g\": \(green), \"b\": \(blue)}")
    }
    if crop.rounding != .pillow { members.append("\"rounding\": \"\(crop.rounding.rawValue)\"") }
    return members.count == 1
      ? "\"crop\": \"\(crop.mode.rawValue)\"" : "\"crop\": {\(members.joined(separator: ", "))}"
  }

  private static func name(_ color: PixelColor) -> String {
    guard color.red == color.green, color.green == color.blue else {
      return "\(color.red), \(color.green), \(color.blue)"
    }
    switch color.red {
    case 0: return "black"
    case 255: return "white"
    default: return "\(color.red)"
    }
  }
}
