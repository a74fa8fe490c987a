// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Where a picture goes in a target: which part of it, how large, and where.
package struct ImagePlacement: Sendable, Equatable {
  /// The part of the picture.
  package var crop: PixelCrop
  /// The size that the part is resized to; smaller than the target where there is a margin.
  package var width: Int
  /// See ``width``.
  package var height: Int
  /// Columns of margin on the left.
  package var x: Int
  /// Rows of margin above.
  package var y: Int

  /// Places a picture.
  package init(
    of size: (width: Int, height: Int), in target: (width: Int, height: Int), by crop: ImageCrop
  ) {
    self.crop = PixelCrop(x: 0, y: 0, width: size.width, height: size.height)
    if crop.mode == .center { self.crop = PixelCrop(of: size, toAspectOf: target) }
    self.crop.cutMiddle(crop.fraction)
    (width, height) = target
    if crop.mode == .pad { (width, height) = Self.contained(self.crop, in: target) }
    x = Self.half(target.width - width)
    y = Self.half(target.height - height)
  }

  /// The largest size of the part's aspect within the target, as Pillow's `ImageOps.contain` has it.
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

  private static func half(_ margin: Int) -> Int {
    Int((Double(margin) * 0.5).rounded(.toNearestOrEven))
  }
}

/// A rectangle within a picture.
package struct PixelCrop: Sendable, Equatable {
  package var x: Int
  package var y: Int
  package var width: Int
  package var height: Int

  package init(x: Int, y: Int, width: Int, height: Int) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  /// The largest part with the target's aspect, in the middle; at least one pixel each way.
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

  /// Keeps the middle, as TensorFlow's `central_crop` does; at least one pixel each way.
  fileprivate mutating func cutMiddle(_ fraction: Double) {
    let columns = min(Int((Double(width) - Double(width) * fraction) / 2), (width - 1) / 2)
    let rows = min(Int((Double(height) - Double(height) * fraction) / 2), (height - 1) / 2)
    x += columns
    y += rows
    width -= 2 * columns
    height -= 2 * rows
  }
}
