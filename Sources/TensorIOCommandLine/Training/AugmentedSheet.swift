// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ModelCommands
import TensorIO
import TensorIOImageCodecs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A picture of items and of their changes: a row for each item, with the item itself on the left.
struct AugmentedSheet {
  private static let mostItems = 8
  private static let variants = 7
  /// The pixels between the images.
  private static let gap = 4
  /// Images are enlarged to this many pixels, so that people can see them.
  private static let shortestSide = 96

  /// Draws a picture of some items of a training, from its whole data.
  ///
  /// - Parameters:
  ///   - path: The picture's file.
  ///   - items: The items of the training.
  ///   - options: The options with the augmentations and the seed.
  ///   - signature: The model's own signature.
  /// - Throws: `TensorIOError` when the model takes no image, an image can't be read, or the file can't be
  ///   written.
  static func write(
    to path: String, _ items: [Batch.Item], _ options: TrainingOptions, _ signature: ModelSignature
  ) throws {
    guard let spec = signature.inputs.first(where: \.isImage),
      let plan = AugmentationPlan(options.augmentations, for: signature)
    else {
      throw TensorIOError(
        .invalidOption,
        "--augmented-samples draws images, but the model has no image input. Leave it out.")
    }
    let count = min(mostItems, items.count)
    let chosen = (0..<count).map { items[$0 * items.count / count] }
    var rows = try chosen.map { item in try [preview(of: item, spec)] }
    for variant in 0..<variants {
      let changed = try chosen.enumerated().map { position, item in
        try preview(
          of: plan.changed(item, at: position, ofEpoch: options.seed &+ UInt64(variant)), spec)
      }
      let mix = plan.mix(ofItems: chosen.count, at: variant, ofEpoch: options.seed)
      for index in rows.indices {
        rows[index].append(
          mix.map {
            changed[index].mixed(with: changed[$0.partners[index]], share: $0.shares[index])
          } ?? changed[index])
      }
    }
    let bytes = try ImageEncoder().encode(sheet(rows), as: .png)
    try FileSystem.writing("'\(path)' can't be written") {
      try Data(bytes).write(to: URL(filePath: path))
    }
  }

  private static func preview(of item: Batch.Item, _ spec: TensorSpec) throws -> PixelBuffer {
    guard let value = item[spec.name], let preview = try spec.preview(of: value) else {
      throw TensorIOError(.wrongKind, "'\(spec.name)' has no image.")
    }
    return preview
  }

  private static func sheet(_ rows: [[PixelBuffer]]) -> PixelBuffer {
    let first = rows[0][0]
    let scale = max(1, (shortestSide + first.width - 1) / first.width)
    let (width, height) = (first.width * scale, first.height * scale)
    let columns = variants + 1
    let sheetWidth = columns * width + (columns - 1) * gap
    let sheetHeight = rows.count * height + (rows.count - 1) * gap
    return PixelBuffer(width: sheetWidth, height: sheetHeight, format: .rgb) { target in
      target.withUnsafeMutableBytes { target in
        target.initializeMemory(as: UInt8.self, repeating: 255)
        for (row, images) in rows.enumerated() {
          for (column, image) in images.enumerated() {
            let left = column * (width + gap)
            let top = row * (height + gap)
            image.withUnsafeBytes { pixels in
              let isGray = image.format == .gray
              for y in 0..<height {
                for x in 0..<width {
                  let pixel = y / scale * image.width + x / scale
                  for channel in 0..<3 {
                    target[((top + y) * sheetWidth + left + x) * 3 + channel] =
                      pixels[isGray ? pixel : pixel * 3 + channel]
                  }
                }
              }
            }
          }
        }
      }
    }
  }
}

extension PixelBuffer {
  /// Returns an image that is mixed with another one of the same size and format.
  fileprivate func mixed(with other: PixelBuffer, share: Float) -> PixelBuffer {
    PixelBuffer(width: width, height: height, format: format) { target in
      target.withUnsafeMutableBytes { target in
        withUnsafeBytes { own in
          other.withUnsafeBytes { others in
            for index in target.indices {
              let value = share * Float(own[index]) + (1 - share) * Float(others[index])
              target[index] = UInt8(min(max(value.rounded(), 0), 255))
            }
          }
        }
      }
    }
  }
}
