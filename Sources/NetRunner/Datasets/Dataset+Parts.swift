// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Hashing
import TensorIO

extension Dataset {
  /// The pictures' places in the whole dataset, from 0, in the order of ``samples``.
  public var indices: [Int] { originalIndices ?? Array(samples.indices) }

  /// Some of the pictures, in the dataset's order.
  ///
  /// With a seed they are those whose identifiers hash lowest (SHA-256 of seed and identifier): the
  /// same ones on every machine, whatever the order of the files, and most of them still when some
  /// pictures come or go.
  ///
  /// - Parameters:
  ///   - count: How many, at most.
  ///   - seed: Chooses pictures from everywhere; nil takes the first ones.
  /// - Returns: The chosen pictures; ``notes`` says how they were chosen.
  /// - Throws: `TensorIOError` for a negative count.
  public func limited(to count: Int, seed: UInt64? = nil) throws -> Dataset {
    try SHA256.requireLibrary()
    guard count >= 0 else {
      throw TensorIOError(.invalidOption, "A limit is 0 pictures or more, got \(count).")
    }
    guard count < samples.count else { return self }
    guard let seed else {
      return selecting(Array(samples.indices.prefix(count)))
        .noting("the first \(count) of \(counted(samples.count, "picture"))")
    }
    let keys = samples.map { Self.key(of: $0.id, seed: seed) }
    let order = samples.indices.sorted { left, right in
      keys[left] == keys[right]
        ? left < right : keys[left].lexicographicallyPrecedes(keys[right])
    }
    return selecting(order.prefix(count).sorted())
      .noting("\(count) of \(counted(samples.count, "picture")), chosen with the seed \(seed)")
  }

  /// Every `count`th picture, for one of several machines.
  ///
  /// The parts from 1 to `count` have each picture once; ``indices`` says where it belongs when they
  /// are put together.
  ///
  /// - Parameters:
  ///   - index: Which part, from 1.
  ///   - count: How many parts there are.
  /// - Returns: The part's pictures.
  /// - Throws: `TensorIOError` for a part that there is not.
  public func part(_ index: Int, of count: Int) throws -> Dataset {
    try SHA256.requireLibrary()
    guard count >= 1, (1...count).contains(index) else {
      throw TensorIOError(
        .invalidOption,
        "There is no part \(index) of \(count): parts are counted from 1, as in 1 of 4.")
    }
    return selecting(samples.indices.filter { $0 % count == index - 1 })
  }

  private func selecting(_ places: [Int]) -> Dataset {
    let indices = self.indices
    var part = self
    part.samples = places.map { samples[$0] }
    part.originalIndices = places.map { indices[$0] }
    return part
  }

  private func noting(_ note: String) -> Dataset {
    var dataset = self
    dataset.notes.append(note)
    return dataset
  }

  private static func key(of id: String, seed: UInt64) -> [UInt8] {
    var hash = SHA256()
    hash.update(data: withUnsafeBytes(of: seed.littleEndian) { Array($0) })
    hash.update(data: Array(id.utf8))
    return Array(hash.finalize())
  }
}
