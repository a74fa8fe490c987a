// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

package import TensorIO

/// Draws the masks of objects.
package struct ObjectMasks {
  private let objects: [Detection]
  private let size: (width: Int, height: Int)

  /// Makes a drawing of the objects in an image of a size.
  package init(_ objects: [Detection], of size: (width: Int, height: Int)) {
    self.objects = objects
    self.size = size
  }

  /// Neighbouring classes have colours that are easy to tell apart, also on dark photos.
  private static let colors: [PixelColor] = [
    PixelColor(red: 0x4C, green: 0xC9, blue: 0xF0), PixelColor(red: 0xF9, green: 0xC7, blue: 0x4F),
    PixelColor(red: 0x90, green: 0xBE, blue: 0x6D), PixelColor(red: 0xF9, green: 0x41, blue: 0x44),
    PixelColor(red: 0xC7, green: 0x7D, blue: 0xFF), PixelColor(red: 0xF8, green: 0x96, blue: 0x1E),
    PixelColor(red: 0x43, green: 0xAA, blue: 0x8B), PixelColor(red: 0xFF, green: 0x70, blue: 0xA6),
  ]

  /// The colour of a class.
  package static func color(of index: Int) -> PixelColor {
    colors[Int(index.magnitude % UInt(colors.count))]
  }

  /// Draws all masks in one RGBA image, transparent where there is no object.
  ///
  /// - Parameter longestSide: The most pixels of the image's longer side.
  /// - Returns: The image, which is smaller than the photo if that is larger.
  package func image(longestSide: Int) -> PixelBuffer {
    let scale = min(1, Double(longestSide) / Double(max(size.width, size.height, 1)))
    let width = max(1, Int((Double(size.width) * scale).rounded()))
    let height = max(1, Int((Double(size.height) * scale).rounded()))
    var bytes = [UInt8](repeating: 0, count: width * height * 4)
    for object in objects.reversed() {
      guard let mask = object.mask else { continue }
      let color = Self.color(of: object.classIndex)
      mask.forEachRun { row, columns in
        let y = Int((Double(row) + 0.5) * scale)
        let from = Int((Double(columns.lowerBound) * scale).rounded(.up))
        let to = Int((Double(columns.upperBound) * scale).rounded(.up))
        guard (0..<height).contains(y) else { return }
        for x in max(from, 0)..<max(min(to, width), max(from, 0)) {
          let start = (y * width + x) * 4
          bytes[start] = color.red
          bytes[start + 1] = color.green
          bytes[start + 2] = color.blue
          bytes[start + 3] = 120
        }
      }
    }
    return PixelBuffer(width: width, height: height, format: .rgba, bytes: bytes)
  }
}

extension ObjectMask {
  /// Calls a closure with each horizontal run of the object's pixels: its row and columns in the
  /// image.
  package func forEachRun(_ body: (_ row: Int, _ columns: Range<Int>) -> Void) {
    guard width > 0 else { return }
    var pixel = 0
    for (index, length) in runs.enumerated() {
      if index % 2 == 1 {
        var (start, rest) = (pixel, length)
        while rest > 0 {
          let (row, column) = (start / width, start % width)
          let part = min(rest, width - column)
          body(y + row, (x + column)..<(x + column + part))
          (start, rest) = (start + part, rest - part)
        }
      }
      pixel += length
    }
  }
}
