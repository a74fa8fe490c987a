// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// A class for each pixel, which is the result of a segmentation model.
///
/// ```swift
/// let map = try outputs["segmentation", as: ClassMap.self]
/// for entry in map.legend { print(entry.label ?? "class \(entry.index)", entry.share) }
/// try ImageEncoder().write(map.picture(), to: "map.png")
/// ```
public struct ClassMap: Sendable, Equatable {
  /// The width in pixels.
  public let width: Int
  /// The height in pixels.
  public let height: Int
  /// The class index of each pixel, row after row.
  public let classes: [UInt16]
  /// The names of the classes; nil without names.
  public let labels: Labels?

  /// Makes a map.
  ///
  /// - Parameters:
  ///   - width: The width in pixels, at least 1.
  ///   - height: The height in pixels, at least 1.
  ///   - classes: `width * height` class indices, row after row.
  ///   - labels: The names of the classes, in the order of their indices. A class index beyond the
  ///     last name has none.
  public init(width: Int, height: Int, classes: [UInt16], labels: Labels? = nil) {
    precondition(width > 0 && height > 0, "A class map must have at least one pixel.")
    precondition(
      classes.count == width * height,
      "A \(width) x \(height) class map takes \(width * height) classes, got \(classes.count).")
    self.width = width
    self.height = height
    self.classes = classes
    self.labels = labels
  }

  /// The class index of a pixel.
  ///
  /// - Parameters:
  ///   - x: The pixel's column, from 0.
  ///   - y: The pixel's row, from 0.
  public subscript(x: Int, y: Int) -> UInt16 {
    precondition(
      (0..<width).contains(x) && (0..<height).contains(y), "The pixel is outside the class map.")
    return classes[y * width + x]
  }

  /// Draws the map in the colours of its classes, as an RGB image.
  public func picture() -> PixelBuffer {
    let colors = (0...(classes.max() ?? 0)).map(Self.color(of:))
    return PixelBuffer(width: width, height: height, format: .rgb) { span in
      span.withUnsafeMutableBytes { bytes in
        for (pixel, index) in classes.enumerated() {
          let color = colors[Int(index)]
          bytes[pixel * 3] = color.red
          bytes[pixel * 3 + 1] = color.green
          bytes[pixel * 3 + 2] = color.blue
        }
      }
    }
  }

  // MARK: - Legend

  /// A class that occurs in a map.
  public struct LegendEntry: Sendable, Hashable {
    /// The class index.
    public let index: Int
    /// The name of the class; nil without one.
    public let label: String?
    /// The colour of the class in ``ClassMap/picture()``.
    public let color: PixelColor
    /// The share of the pixels that have this class, more than 0 and at most 1.
    public let share: Double
  }

  /// The classes that occur, sorted by their number of pixels in descending order, then by index.
  public var legend: [LegendEntry] {
    var counts = [Int](repeating: 0, count: Int(classes.max() ?? 0) + 1)
    for index in classes { counts[Int(index)] += 1 }
    let found = counts.indices.filter { counts[$0] > 0 }
    let order = found.sorted { counts[$0] != counts[$1] ? counts[$0] > counts[$1] : $0 < $1 }
    return order.map { index in
      LegendEntry(
        index: index, label: label(of: UInt16(index)), color: Self.color(of: UInt16(index)),
        share: Double(counts[index]) / Double(classes.count))
    }
  }

  /// Returns the name of a class; nil without one.
  public func label(of index: UInt16) -> String? {
    guard let names = labels?.names, Int(index) < names.count else { return nil }
    return names[Int(index)]
  }

  /// Returns the colour of a class, by the formula of the Pascal VOC challenge, which covers every
  /// index.
  ///
  /// The lowest three bits of the index are the highest bits of red, green and blue, the next three
  /// bits are the second highest, and so on. Class 0, usually the background, is black.
  package static func color(of index: UInt16) -> PixelColor {
    var color = PixelColor()
    var rest = index
    for bit in stride(from: UInt8(7), through: 0, by: -1) where rest > 0 {
      color.red |= UInt8(rest & 1) << bit
      color.green |= UInt8(rest >> 1 & 1) << bit
      color.blue |= UInt8(rest >> 2 & 1) << bit
      rest >>= 3
    }
    return color
  }
}
