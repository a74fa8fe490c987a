// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The program that made a report.
public struct ToolRecord: Sendable, Codable, Hashable {
  /// The program's name.
  public var name: String
  /// The program's version.
  public var version: String

  /// Creates a record.
  public init(name: String = "tensorio", version: String) {
    self.name = name
    self.version = version
  }
}

/// The part of the images that a report covers.
public struct PartRecord: Sendable, Codable, Hashable {
  /// The number of the part, from 1.
  public var index: Int
  /// The number of parts.
  public var count: Int

  /// Creates a record.
  public init(index: Int, count: Int) {
    self.index = index
    self.count = count
  }
}

/// The settings of an evaluation.
public struct SettingsRecord: Sendable, Codable, Hashable {
  /// How often each image was run.
  public var iterations: Int
  /// The number of unmeasured runs before the evaluation.
  public var warmup: Int
  /// The number of images that were processed at the same time.
  public var threads: Int
  /// The seed for resampling and random choices.
  public var seed: UInt64
  /// The maximum number of images, or nil for all.
  public var limit: Int?
  /// The amount of detail that was decoded from JPEGs: `exact`, `high` or `fast`.
  public var decode: String
  /// The names of the metrics.
  public var metrics: [String]
  /// The k of top-k accuracy.
  public var topK: Int
  /// A number that was added to classes that the dataset gives as numbers.
  public var labelOffset: Int
  /// The class of pixels that segmentation metrics ignored, or nil if all pixels counted.
  public var ignoredClass: Int?

  /// Creates a record.
  public init(
    iterations: Int, warmup: Int, threads: Int, seed: UInt64, limit: Int?, decode: String,
    metrics: [String], topK: Int, labelOffset: Int,
    ignoredClass: Int? = nil
  ) {
    self.iterations = iterations
    self.warmup = warmup
    self.threads = threads
    self.seed = seed
    self.limit = limit
    self.decode = decode
    self.metrics = metrics
    self.topK = topK
    self.labelOffset = labelOffset
    self.ignoredClass = ignoredClass
  }

  private enum CodingKeys: String, CodingKey {
    case iterations, warmup, threads, seed, limit, decode, metrics
    case topK = "top_k"
    case labelOffset = "label_offset"
    case ignoredClass = "ignored_class"
  }
}

/// The machine that ran an evaluation.
public struct EnvironmentRecord: Sendable, Codable, Hashable {
  /// The operating system and its version.
  public var system: String
  /// The processor's architecture.
  public var architecture: String
  /// The processor's name.
  public var cpu: String
  /// The number of processors that the process can use.
  public var cores: Int
  /// The versions of the libraries that ran the models, by the libraries' names.
  public var libraries: [String: String]

  /// Creates a record.
  public init(
    system: String, architecture: String, cpu: String, cores: Int, libraries: [String: String]
  ) {
    self.system = system
    self.architecture = architecture
    self.cpu = cpu
    self.cores = cores
    self.libraries = libraries
  }
}

/// The dataset of an evaluation.
public struct DatasetRecord: Sendable, Codable, Hashable {
  /// The dataset's layout.
  public var layout: Dataset.Layout
  /// The dataset's name.
  public var name: String
  /// The identifier of a test bundle.
  public var id: String?
  /// The version of a test bundle.
  public var version: String?
  /// The dataset's path.
  public var path: String
  /// The number of images, before a limit is applied.
  public var pictures: Int
  /// The number of images with a label, after a limit is applied.
  public var labelled: Int
  /// The SHA-256 of the images' identifiers, labels and bytes, after a limit is applied.
  ///
  /// It has 64 hexadecimal digits.
  public var sha256: String
  /// The metric that the dataset itself requests, if no other metrics were requested.
  public var metric: String?
  /// Notes about what was guessed or left out.
  public var notes: [String]

  /// Creates a record.
  public init(
    layout: Dataset.Layout, name: String, id: String?, version: String?, path: String,
    pictures: Int, labelled: Int, sha256: String, metric: String? = nil, notes: [String]
  ) {
    self.layout = layout
    self.name = name
    self.id = id
    self.version = version
    self.path = path
    self.pictures = pictures
    self.labelled = labelled
    self.sha256 = sha256
    self.metric = metric
    self.notes = notes
  }
}

/// A model that was evaluated.
public struct ModelRecord: Sendable, Codable, Hashable {
  /// The model's identifier.
  public var id: String
  /// The model's name.
  public var name: String
  /// The model's version.
  public var version: String
  /// The bundle's path.
  public var path: String
  /// The backend's name.
  public var backend: String
  /// The SHA-256 of the model's file or files, as 64 hexadecimal digits.
  public var sha256: String
  /// A human-readable description of how an image is converted to a tensor.
  public var preprocessing: String
  /// The SHA-256 of ``preprocessing`` and the decode setting, as 64 hexadecimal digits.
  public var preprocessingSHA256: String

  /// Creates a record.
  public init(
    id: String, name: String, version: String, path: String, backend: String, sha256: String,
    preprocessing: String, preprocessingSHA256: String
  ) {
    self.id = id
    self.name = name
    self.version = version
    self.path = path
    self.backend = backend
    self.sha256 = sha256
    self.preprocessing = preprocessing
    self.preprocessingSHA256 = preprocessingSHA256
  }

  private enum CodingKeys: String, CodingKey {
    case id, name, version, path, backend, sha256, preprocessing
    case preprocessingSHA256 = "preprocessing_sha256"
  }
}
