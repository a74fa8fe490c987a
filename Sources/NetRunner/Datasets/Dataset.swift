// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Pictures to evaluate models on, in an order that does not change from run to run.
public struct Dataset: Sendable {
  /// How the dataset is laid out.
  public enum Layout: String, Sendable, Codable, CaseIterable {
    /// A folder `.testbundle` with a test.json.
    case testBundle = "testbundle"
    /// A folder of pictures, without labels.
    case folder
    /// A folder for each class.
    case classFolders = "class-folders"
    /// A table with paths and labels.
    case csv
    /// COCO's annotations of objects.
    case coco
    /// A folder of pictures and one of class maps.
    case classMaps = "class-maps"
  }

  /// How the dataset is laid out.
  public var layout: Layout
  /// The dataset's name, for people.
  public var name: String
  /// Its path.
  public var path: String
  /// The test bundle's identifier; nil for other layouts.
  public var id: String?
  /// The test bundle's version; nil for other layouts.
  public var version: String?
  /// The pictures, in order.
  public var samples: [Sample]
  /// The identifiers of the models that a test bundle names; empty for other layouts.
  public var modelIDs: [String]
  /// How often a test bundle wants each picture run; nil where it is not said.
  public var iterations: Int?
  /// The name of the metric that a test bundle asks for.
  public var metric: String?
  /// What was guessed or left out, for people to read.
  public var notes: [String]
  /// The pictures' places in the dataset that this one was taken from; nil for a whole dataset.
  ///
  /// ``indices`` gives the places of both.
  public var originalIndices: [Int]?

  /// Makes a dataset.
  public init(
    layout: Layout, name: String, path: String, id: String? = nil, version: String? = nil,
    samples: [Sample], modelIDs: [String] = [], iterations: Int? = nil, metric: String? = nil,
    notes: [String] = [], originalIndices: [Int]? = nil
  ) {
    self.layout = layout
    self.name = name
    self.path = path
    self.id = id
    self.version = version
    self.samples = samples
    self.modelIDs = modelIDs
    self.iterations = iterations
    self.metric = metric
    self.notes = notes
    self.originalIndices = originalIndices
  }
}
