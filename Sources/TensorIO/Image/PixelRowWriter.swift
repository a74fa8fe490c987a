// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CPixelKernels

/// Writes resized rows and the margin around them into a tensor's memory.
///
/// It converts them to the tensor's channel order, layout and element type.
struct PixelRowWriter {
  private let target: UnsafeMutableRawPointer
  private let width: Int
  private let height: Int
  private let placement: ImagePlacement
  private let encoding: PixelEncoding
  /// Whether the first channel of the rows is the tensor's last.
  private let reverses: Bool
  /// The factors for a whole row, so that the compiler vectorizes a plain loop over them.
  private let scales: [Float]
  private let biases: [Float]
  /// A row with its margin, in the tensor's channel order.
  private let bytes: RowMemory<UInt8>
  private let floats: RowMemory<Float>

  /// Makes a writer, and fills the margin's rows above and below the image.
  ///
  /// The target, which holds the whole tensor, must outlive the writer. Free it with
  /// ``deallocate()``.
  init(
    target: UnsafeMutableRawPointer, size: (width: Int, height: Int), encoding: PixelEncoding,
    placement: ImagePlacement, margin: PixelColor, isBGR: Bool
  ) {
    self.target = target
    (width, height) = size
    self.encoding = encoding
    self.placement = placement
    reverses = encoding.format != .gray && isBGR != (encoding.format == .bgr)
    let values = width * 3
    (scales, biases) = encoding.rowNormalization(values: values)
    bytes = RowMemory(width: values)
    floats = RowMemory(width: values)
    let colors =
      switch encoding.format {
      case .rgb: [margin.red, margin.green, margin.blue]
      case .bgr: [margin.blue, margin.green, margin.red]
      case .gray: [margin.gray, margin.gray, margin.gray]
      }
    for index in 0..<values {
      bytes.first[index] = colors[index % 3]
      floats.first[index] = Float(colors[index % 3])
    }
    let below = placement.y + placement.height
    for row in [0..<placement.y, below..<height].joined() {
      encode(UnsafePointer(bytes.first), row: row)
    }
  }

  func deallocate() {
    bytes.deallocate()
    floats.deallocate()
  }

  /// Writes a row of the image; row 0 is its first row, below the margin.
  func write(_ row: ResampledRow, row y: Int) {
    let y = placement.y &+ y
    switch row {
    case .bytes(let values): encode(arranged(values, in: bytes.first), row: y)
    case .floats(let values):
      let values = arranged(values, in: floats.first)
      if case .float32 = encoding.element { return encode(values, row: y) }
      if case .uint8 = encoding.element {
        pixel_round_row(values, width * 3, bytes.first)
        return encode(UnsafePointer(bytes.first), row: y)
      }
      encode(values, row: y)
    }
  }

  /// Returns the row in the tensor's channel order with its margin: the row itself or a copy.
  private func arranged<Value>(
    _ values: UnsafePointer<Value>, in row: UnsafeMutablePointer<Value>
  ) -> UnsafePointer<Value> {
    if !reverses && placement.width == width { return values }
    let start = row + placement.x &* 3
    if !reverses {
      start.update(from: values, count: placement.width &* 3)
      return UnsafePointer(row)
    }
    for index in stride(from: 0, to: placement.width &* 3, by: 3) {
      start[index] = values[index &+ 2]
      start[index &+ 1] = values[index &+ 1]
      start[index &+ 2] = values[index]
    }
    return UnsafePointer(row)
  }

  // MARK: - Elements

  /// The index of the first value of a channel in a row, and the distance between its values, in
  /// elements.
  private func strip(_ channel: Int, row: Int) -> (start: Int, step: Int) {
    let channels = encoding.format.channels
    return encoding.layout == .channelsLast
      ? (row &* width &* channels &+ channel, channels)
      : ((channel &* height &+ row) &* width, 1)
  }

  private var isInterleaved: Bool {
    encoding.format != .gray && encoding.layout == .channelsLast
  }

  private func encode(_ values: UnsafePointer<UInt8>, row: Int) {
    let start = target + row &* width &* 3 &* encoding.bytesPerElement
    switch encoding.element {
    case .uint8 where isInterleaved: start.copyMemory(from: values, byteCount: width &* 3)
    case .float32 where isInterleaved:
      pixel_scale_bytes(values, scales, biases, width * 3, start)
    case .uint8: forEachValue(values, row: row, as: UInt8.self) { value, _ in value }
    case .float32:
      forEachValue(values, row: row, as: Float.self) { scales[$1] * Float($0) + biases[$1] }
    case .other(let element):
      for channel in 0..<encoding.format.channels {
        let strip = strip(channel, row: row)
        element.write(
          values + channel, count: width, channel, to: target + strip.start &* element.byteCount,
          step: strip.step)
      }
    }
  }

  private func encode(_ values: UnsafePointer<Float>, row: Int) {
    switch encoding.element {
    case .uint8: break
    case .float32 where isInterleaved:
      let start = target + row &* width &* 12
      pixel_scale_floats(values, scales, biases, width * 3, start)
    case .float32:
      forEachValue(values, row: row, as: Float.self) { scales[$1] * $0 + biases[$1] }
    case .other(let element):
      for channel in 0..<encoding.format.channels {
        let strip = strip(channel, row: row)
        for x in 0..<width {
          let offset = (strip.start &+ x &* strip.step) &* element.byteCount
          element.convert(values[x &* 3 &+ channel], channel, target + offset)
        }
      }
    }
  }

  @inline(__always)
  private func forEachValue<Value, Element: BitwiseCopyable>(
    _ values: UnsafePointer<Value>, row: Int, as type: Element.Type,
    _ element: (Value, Int) -> Element
  ) {
    for channel in 0..<encoding.format.channels {
      let strip = strip(channel, row: row)
      for x in 0..<width {
        // The tensor's memory may have any alignment.
        target.storeBytes(
          of: element(values[x &* 3 &+ channel], channel),
          toByteOffset: (strip.start &+ x &* strip.step) &* MemoryLayout<Element>.size, as: type)
      }
    }
  }
}
