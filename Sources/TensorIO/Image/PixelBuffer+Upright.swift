// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

extension PixelBuffer {
  /// Returns the image turned so that its orientation is `.up`, or the same image if it already is.
  ///
  /// Pixel values don't change. Orientations that swap the axes swap the width and height.
  public func upright() -> PixelBuffer {
    guard orientation != .up else { return self }
    let swaps = orientation.swapsAxes
    let walk = PixelWalk(
      width: width, height: height, bytesPerPixel: format.bytesPerPixel, bytesPerRow: bytesPerRow,
      orientation: orientation)
    return PixelBuffer(
      fillingWidth: swaps ? height : width, height: swaps ? width : height, format: format
    ) { target in
      target.withUnsafeMutableBytes { target in
        withUnsafeBytes { source in
          guard let source = source.baseAddress, let target = target.baseAddress else { return }
          switch format.bytesPerPixel {
          case 1: walk.copy(from: source, to: target, bytesPerPixel: 1)
          case 3: walk.copy(from: source, to: target, bytesPerPixel: 3)
          default: walk.copy(from: source, to: target, bytesPerPixel: 4)
          }
        }
      }
    }
  }
}

/// A walk through stored pixels that visits them in upright order, in byte offsets.
struct PixelWalk {
  /// The offset of the upright image's first pixel.
  var start: Int
  /// The offset from a pixel to the one on its right.
  var columnStep: Int
  /// The offset from a pixel to the one below.
  var rowStep: Int
  var width: Int
  var height: Int

  init(
    width: Int, height: Int, bytesPerPixel: Int, bytesPerRow: Int, orientation: ImageOrientation
  ) {
    let reverses = orientation.reverses
    start =
      (reverses.columns ? (width - 1) * bytesPerPixel : 0)
      + (reverses.rows ? (height - 1) * bytesPerRow : 0)
    let right = reverses.columns ? -bytesPerPixel : bytesPerPixel
    let down = reverses.rows ? -bytesPerRow : bytesPerRow
    let swaps = orientation.swapsAxes
    (columnStep, rowStep) = swaps ? (down, right) : (right, down)
    (self.width, self.height) = swaps ? (height, width) : (width, height)
  }

  /// Copies the pixels in upright order, in tiles.
  ///
  /// A column of a large image touches a different cache line and page for every pixel. The lines
  /// of a tile are used up before they leave the cache.
  @inline(__always)
  func copy(
    from source: UnsafeRawPointer, to target: UnsafeMutableRawPointer, bytesPerPixel: Int
  ) {
    let tile = 64
    for top in stride(from: 0, to: height, by: tile) {
      for left in stride(from: 0, to: width, by: tile) {
        let columns = min(tile, width &- left)
        for y in top..<min(height, top &+ tile) {
          var offset = start &+ y &* rowStep &+ left &* columnStep
          var written = (y &* width &+ left) &* bytesPerPixel
          for _ in 0..<columns {
            copyPixel(
              from: source + offset, to: target + written, bytesPerPixel: bytesPerPixel)
            offset &+= columnStep
            written &+= bytesPerPixel
          }
        }
      }
    }
  }

  /// Copies one pixel.
  ///
  /// When this is inlined, the pixel size is a constant, so only one branch remains.
  @inline(__always)
  private func copyPixel(
    from source: UnsafeRawPointer, to target: UnsafeMutableRawPointer, bytesPerPixel: Int
  ) {
    if bytesPerPixel == 4 {
      target.storeBytes(of: source.loadUnaligned(as: UInt32.self), as: UInt32.self)
      return
    }
    var byte = 0
    if bytesPerPixel == 3 {
      target.storeBytes(of: source.loadUnaligned(as: UInt16.self), as: UInt16.self)
      byte = 2
    }
    target.storeBytes(
      of: source.load(fromByteOffset: byte, as: UInt8.self), toByteOffset: byte, as: UInt8.self)
  }
}
