// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// How an image is placed in a target: which part is used, at which size and position.
package struct ImagePlacement: Sendable, Equatable {
  package var crop: PixelCrop
  /// The width that the part is resized to; smaller than the target's if there is a margin.
  package var width: Int
  /// The height that the part is resized to; smaller than the target's if there is a margin.
  package var height: Int
  /// The number of margin columns on the left.
  package var x: Int
  /// The number of margin rows above.
  package var y: Int
  /// The part of the crop to resize, if it begins or ends within a pixel; nil means all of it.
  package var window: Window?

  /// A part of an image that begins and ends within pixels.
  package struct Window: Sendable, Equatable {
    package var columns: Span
    package var rows: Span
  }

  package struct Span: Sendable, Equatable {
    package var start: Double
    package var length: Double
  }

  /// Places an image of a size in a target.
  package init(
    of size: (width: Int, height: Int), in target: (width: Int, height: Int), by crop: ImageCrop
  ) {
    self.crop = PixelCrop(width: size.width, height: size.height)
    if crop.mode == .center { self.crop = PixelCrop(of: size, toAspectOf: target) }
    self.crop.cutMiddle(crop.fraction)
    (width, height) = target
    (x, y) = (0, 0)
    guard crop.mode == .pad else { return }
    switch crop.rounding {
    case .pillow: padLikePillow(in: target)
    case .ultralytics: padLikeUltralytics(in: target)
    case .tensorflow: padLikeTensorFlow(in: target)
    }
  }

  private mutating func padLikePillow(in target: (width: Int, height: Int)) {
    (width, height) = Self.contained(crop, in: target)
    x = Self.half(target.width - width)
    y = Self.half(target.height - height)
  }

  /// Places the image as `LetterBox` does.
  ///
  /// Its `round(margin / 2 - 0.1)` rounds halves down.
  private mutating func padLikeUltralytics(in target: (width: Int, height: Int)) {
    let ratio = min(
      Double(target.height) / Double(crop.height), Double(target.width) / Double(crop.width))
    width = max(1, Int((Double(crop.width) * ratio).rounded(.toNearestOrEven)))
    height = max(1, Int((Double(crop.height) * ratio).rounded(.toNearestOrEven)))
    x = (target.width - width) / 2
    y = (target.height - height) / 2
  }

  /// Places the image as `resize_with_pad` does, with numbers of 32 bits.
  private mutating func padLikeTensorFlow(in target: (width: Int, height: Int)) {
    let ratio = max(
      Float(crop.width) / Float(target.width), Float(crop.height) / Float(target.height))
    let (across, down) = (Float(crop.width) / ratio, Float(crop.height) / ratio)
    // TensorFlow refuses images that are too thin for a whole pixel.
    // Numbers of 32 bits may be larger than the target's size.
    width = min(max(1, Int(across)), target.width)
    height = min(max(1, Int(down)), target.height)
    x = max(0, Int((Float(target.width) - across) / 2))
    y = max(0, Int((Float(target.height) - down) / 2))
  }

  /// The largest size within the target that has the part's aspect ratio, as in Pillow's
  /// `ImageOps.contain`.
  private static func contained(
    _ part: PixelCrop, in target: (width: Int, height: Int)
  ) -> (width: Int, height: Int) {
    let (width, height) = (Double(part.width), Double(part.height))
    let aspect = width / height
    let wanted = Double(target.width) / Double(target.height)
    if aspect > wanted {
      let rows = (height / width * Double(target.width)).rounded(.toNearestOrEven)
      return (target.width, max(1, Int(rows)))
    }
    if aspect < wanted {
      let columns = (width / height * Double(target.height)).rounded(.toNearestOrEven)
      return (max(1, Int(columns)), target.height)
    }
    return target
  }

  /// Returns the placement for the same image decoded with its sides divided by a number and
  /// rounded up.
  ///
  /// The crop becomes the smallest crop of whole pixels that covers the part. If the image is
  /// stored flipped, the extra pixel from rounding up is on the other side. `size` is the image's
  /// full size, upright.
  package func scaled(
    by denominator: Int, of size: (width: Int, height: Int), _ orientation: ImageOrientation
  ) -> ImagePlacement {
    if denominator == 1 { return self }
    func scale(_ start: Int, _ length: Int, of size: Int, _ isFlipped: Bool) -> (Range<Int>, Span) {
      let divisor = Double(denominator)
      let bound = (size + denominator - 1) / denominator
      let shift = isFlipped ? Double(bound) - Double(size) / divisor : 0
      let from = Double(start) / divisor + shift
      let to = Double(start + length) / divisor + shift
      let first = min(Int(from), bound - 1)
      let end = min(max(Int(to.rounded(.up)), first + 1), bound)
      return (first..<end, Span(start: from - Double(first), length: to - from))
    }
    let flips = orientation.flips
    let (columns, across) = scale(crop.x, crop.width, of: size.width, flips.horizontally)
    let (rows, down) = scale(crop.y, crop.height, of: size.height, flips.vertically)
    var result = self
    result.crop = PixelCrop(
      x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
    result.window = Window(columns: across, rows: down)
    return result
  }

  private static func half(_ margin: Int) -> Int {
    Int((Double(margin) * 0.5).rounded(.toNearestOrEven))
  }
}

package struct PixelCrop: Sendable, Hashable {
  package var x: Int
  package var y: Int
  package var width: Int
  package var height: Int

  package init(x: Int = 0, y: Int = 0, width: Int, height: Int) {
    (self.x, self.y) = (x, y)
    (self.width, self.height) = (width, height)
  }

  /// The largest central part with the target's aspect ratio, at least one pixel wide and high.
  package init(of size: (width: Int, height: Int), toAspectOf target: (width: Int, height: Int)) {
    width = size.width
    height = size.height
    if size.width * target.height > size.height * target.width {
      width = max(1, size.height * target.width / target.height)
    } else {
      height = max(1, size.width * target.height / target.width)
    }
    x = (size.width - width) / 2
    y = (size.height - height) / 2
  }

  /// Keeps the middle, like TensorFlow's `central_crop`, but at least one pixel each way.
  fileprivate mutating func cutMiddle(_ fraction: Double) {
    let columns = min(Int((Double(width) - Double(width) * fraction) / 2), (width - 1) / 2)
    let rows = min(Int((Double(height) - Double(height) * fraction) / 2), (height - 1) / 2)
    x += columns
    y += rows
    width -= 2 * columns
    height -= 2 * rows
  }
}
