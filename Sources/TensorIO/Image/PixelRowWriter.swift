// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Writes rows of packed bytes, three a pixel, into a tensor's memory in its element type.
struct PixelRowWriter {
  private let target: UnsafeMutableRawPointer
  private let valuesPerRow: Int
  private let bytesPerElement: Int
  private let kernel: Kernel

  private enum Kernel {
    case copy
    /// The biases of a whole row: a plain loop over it becomes vector code.
    case scale(Float, biases: [Float])
    /// The table in the order of the tensor's channels.
    case table([UInt8])
  }

  /// - Parameters:
  ///   - target: Memory for all rows; it must outlive the writer.
  ///   - width: Pixels in a row.
  ///   - encoding: The order in which the rows' channels come, and the type of the elements.
  init(target: UnsafeMutableRawPointer, width: Int, encoding: PixelEncoding) {
    self.target = target
    valuesPerRow = width * 3
    bytesPerElement = encoding.bytesPerElement
    switch encoding.element {
    case .uint8:
      kernel = .copy
    case .float32(let normalization):
      let normalization = normalization ?? PixelNormalization(scale: 1)
      let bias = normalization.bias
      let colors =
        encoding.format == .rgb
        ? [bias.red, bias.green, bias.blue] : [bias.blue, bias.green, bias.red]
      kernel = .scale(normalization.scale, biases: (0..<valuesPerRow).map { colors[$0 % 3] })
    case .table(let bytesPerElement, let entries):
      let size = 256 * bytesPerElement
      kernel = .table(
        encoding.format == .rgb
          ? entries
          : Array(entries[(2 * size)...] + entries[size..<2 * size] + entries[..<size]))
    }
  }

  /// Writes one row.
  func write(_ bytes: UnsafePointer<UInt8>, row: Int) {
    let start = target + row &* valuesPerRow &* bytesPerElement
    switch kernel {
    case .copy:
      start.copyMemory(from: bytes, byteCount: valuesPerRow)
    case .scale(let scale, let biases):
      biases.withUnsafeBufferPointer { biases in
        // A tensor may lie anywhere: it is written without assuming an alignment.
        for index in 0..<valuesPerRow {
          // Two roundings. Fused, 255 * (2 / 255) - 1 would not be 1.
          let value = scale * Float(bytes[index]) + biases[index]
          start.storeBytes(of: value, toByteOffset: index &* 4, as: Float.self)
        }
      }
    case .table(let entries):
      entries.withUnsafeBytes { write(bytes, to: start, table: $0) }
    }
  }

  private func write(
    _ bytes: UnsafePointer<UInt8>, to start: UnsafeMutableRawPointer,
    table: UnsafeRawBufferPointer
  ) {
    switch bytesPerElement {
    case 1: write(bytes, to: start, table: table, as: UInt8.self)
    case 2: write(bytes, to: start, table: table, as: UInt16.self)
    case 4: write(bytes, to: start, table: table, as: UInt32.self)
    case 8: write(bytes, to: start, table: table, as: UInt64.self)
    default:
      guard let table = table.baseAddress else { return }
      for index in 0..<valuesPerRow {
        let entry = (index % 3) &* 256 &+ Int(bytes[index])
        (start + index &* bytesPerElement).copyMemory(
          from: table + entry &* bytesPerElement, byteCount: bytesPerElement)
      }
    }
  }

  @inline(__always)
  private func write<Element: BitwiseCopyable>(
    _ bytes: UnsafePointer<UInt8>, to start: UnsafeMutableRawPointer,
    table: UnsafeRawBufferPointer, as type: Element.Type
  ) {
    guard let table = table.baseAddress else { return }
    let size = MemoryLayout<Element>.size
    for pixel in stride(from: 0, to: valuesPerRow, by: 3) {
      for channel in 0..<3 {
        let entry = channel &* 256 &+ Int(bytes[pixel &+ channel])
        let value = table.loadUnaligned(fromByteOffset: entry &* size, as: type)
        start.storeBytes(of: value, toByteOffset: (pixel &+ channel) &* size, as: type)
      }
    }
  }
}
