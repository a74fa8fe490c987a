// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Hashing
import TensorIO

extension Dataset {
  /// The indices of the images in the whole dataset, from 0, in the order of ``samples``.
  public var indices: [Int] { originalIndices ?? Array(samples.indices) }

  /// Selects some of the images, and keeps their order.
  ///
  /// With a seed, the images with the lowest hashes are selected (SHA-256 of the seed and the
  /// identifier). They are the same on every machine, whatever the order of the files. Most of them
  /// stay the same when images are added or removed.
  ///
  /// - Parameters:
  ///   - count: The maximum number of images.
  ///   - seed: Selects images from the whole dataset. If nil, the first images are selected.
  /// - Returns: The selected images. ``notes`` says how they were selected.
  /// - Throws: `TensorIOError` if the count is negative.
  public func limited(to count: Int, seed: UInt64? = nil) throws -> Dataset {
    guard count >= 0 else {
      throw TensorIOError(.invalidOption, "A limit must be 0 images or more, got \(count).")
    }
    guard count < samples.count else { return self }
    guard let seed else {
      return selecting(Array(samples.indices.prefix(count)))
        .noting("the first \(count) of \(counted(samples.count, "image"))")
    }
    let keys = try samples.map { try Self.key(of: $0.id, seed: seed) }
    let order = samples.indices.sorted { left, right in
      keys[left] == keys[right]
        ? left < right : keys[left].lexicographicallyPrecedes(keys[right])
    }
    return selecting(order.prefix(count).sorted())
      .noting("\(count) of \(counted(samples.count, "image")), chosen with the seed \(seed)")
  }

  /// Selects every `count`th image, to split the work between several machines.
  ///
  /// The parts from 1 to `count` contain each image exactly once. When the results are merged,
  /// ``indices`` gives each image's index in the whole dataset.
  ///
  /// - Parameters:
  ///   - index: The number of the part, from 1.
  ///   - count: The number of parts.
  /// - Returns: The images of the part.
  /// - Throws: `TensorIOError` if there is no such part.
  public func part(_ index: Int, of count: Int) throws -> Dataset {
    guard count >= 1, (1...count).contains(index) else {
      throw TensorIOError(
        .invalidOption,
        "Part \(index) of \(count) doesn't exist. Parts are numbered from 1, as in 1 of 4.")
    }
    return selecting(samples.indices.filter { $0 % count == index - 1 })
  }

  private func selecting(_ positions: [Int]) -> Dataset {
    let indices = self.indices
    var part = self
    part.samples = positions.map { samples[$0] }
    part.originalIndices = positions.map { indices[$0] }
    return part
  }

  private func noting(_ note: String) -> Dataset {
    var dataset = self
    dataset.notes.append(note)
    return dataset
  }

  private static func key(of id: String, seed: UInt64) throws -> [UInt8] {
    var hash = try SHA256.start()
    hash.update(data: withUnsafeBytes(of: seed.littleEndian) { Array($0) })
    hash.update(data: Array(id.utf8))
    return Array(hash.finalize())
  }
}
