// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

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
}

extension Dataset {
  /// Creates a dataset.
  public init(layout: Layout, name: String, path: String, samples: [Sample]) {
    self.init(layout: layout, name: name, path: path, id: nil, samples: samples)
  }
}
