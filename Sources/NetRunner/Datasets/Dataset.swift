// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Hashing
import TensorIO

/// Images to evaluate models on, in an order that is the same in every run.
public struct Dataset: Sendable {
  /// The layouts of datasets.
  public enum Layout: String, Sendable, Codable, CaseIterable {
    /// A `.testbundle` folder with a test.json.
    case testBundle = "testbundle"
    /// A folder of images without labels.
    case folder
    /// A folder with a subfolder of images for each class.
    case classFolders = "class-folders"
    /// A table with paths and labels.
    case csv
    /// COCO annotations of objects.
    case coco
    /// A folder of images and a folder of class maps.
    case classMaps = "class-maps"
    /// A table of the values that a model takes: CSV with column names, or JSON lines.
    case rows
    /// A NumPy file whose first axis counts the samples, or an archive of such files.
    case arrays
    /// MLPerf Tiny's sample files, with a `y_labels.csv`.
    case mlperfTiny = "mlperf-tiny"
  }

  /// The layout of the dataset.
  public var layout: Layout
  /// The dataset's human-readable name.
  public var name: String
  /// The dataset's path.
  public var path: String
  /// The test bundle's identifier, or nil for other layouts.
  public var id: String?
  /// The test bundle's version, or nil for other layouts.
  public var version: String?
  /// The images, in order.
  public var samples: [Sample]
  /// The identifiers of the models that a test bundle names.
  ///
  /// Empty for other layouts.
  public var modelIDs: [String] = []
  /// The number of runs per image that a test bundle requests, or nil if it doesn't say.
  public var iterations: Int?
  /// The name of the metric that a test bundle requests.
  public var metric: String?
  /// Human-readable notes about what was guessed or left out.
  public var notes: [String] = []
  /// The images' indices in the dataset that this one was selected from, or nil for a whole
  /// dataset.
  ///
  /// ``indices`` works for both.
  public var originalIndices: [Int]?
  /// What the samples in archives and below prefixes are, if one of them was looked at.
  package var foundContent: Content?
  /// The objects below prefixes that belong to a part, by the remainder of their index; nil for all.
  var listedPart: (remainder: Int, count: Int)?
}

extension Dataset {
  /// Creates a dataset.
  public init(layout: Layout, name: String, path: String, samples: [Sample]) {
    self.init(layout: layout, name: name, path: path, id: nil, samples: samples)
  }
}

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
      throw TensorIOError(
        .invalidOption, "A limit must be 0 \(content.plural) or more, got \(count).")
    }
    guard count < samples.count else { return self }
    guard let seed else {
      return selecting(Array(samples.indices.prefix(count)))
        .noting("the first \(count) of \(content.counted(samples.count))")
    }
    let keys = try samples.map { try Self.key(of: $0.id, seed: seed) }
    let order = samples.indices.sorted { left, right in
      keys[left] == keys[right]
        ? left < right : keys[left].lexicographicallyPrecedes(keys[right])
    }
    return selecting(order.prefix(count).sorted())
      .noting("\(count) of \(content.counted(samples.count)), chosen with the seed \(seed)")
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
  /// - Throws: `TensorIOError` if the part's number is out of range.
  public func part(_ index: Int, of count: Int) throws -> Dataset {
    guard count >= 1, (1...count).contains(index) else {
      throw TensorIOError(
        .invalidOption,
        "Part \(index) of \(count) doesn't exist. Parts are numbered from 1, as in 1 of 4.")
    }
    // Each part lists the objects below a prefix, and takes its own.
    var part = selecting(
      samples.indices.filter {
        $0 % count == index - 1 || ObjectAddress.isPrefix(samples[$0].source.id)
      })
    part.listedPart = (index - 1, count)
    return part
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
