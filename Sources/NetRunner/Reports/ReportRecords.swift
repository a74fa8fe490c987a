// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The program that made a report.
public struct ToolRecord: Sendable, Codable, Hashable {
  /// Its name.
  public var name: String
  /// Its version.
  public var version: String

  /// Makes a record.
  public init(name: String = "tensorio", version: String) {
    self.name = name
    self.version = version
  }
}

/// Which share of the pictures a report is about.
public struct PartRecord: Sendable, Codable, Hashable {
  /// From 1.
  public var index: Int
  /// How many parts there are.
  public var count: Int

  /// Makes a record.
  public init(index: Int, count: Int) {
    self.index = index
    self.count = count
  }
}

/// How an evaluation was made.
public struct SettingsRecord: Sendable, Codable, Hashable {
  /// How often each picture was run.
  public var iterations: Int
  /// How many runs went before, unmeasured.
  public var warmup: Int
  /// How many pictures were under way at once.
  public var threads: Int
  /// Where resampling and random choices begin.
  public var seed: UInt64
  /// How many pictures were asked for at most; nil for all.
  public var limit: Int?
  /// How much of a JPEG is decoded: `exact`, `high` or `fast`.
  public var decode: String
  /// The metrics by name.
  public var metrics: [String]
  /// The k of top-k accuracy.
  public var topK: Int
  /// What was added to classes that are given as numbers.
  public var labelOffset: Int
  /// The class of pixels that segmentation did not judge; nil where it judged all.
  public var ignoredClass: Int?

  /// Makes a record.
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

/// Where an evaluation was made.
public struct EnvironmentRecord: Sendable, Codable, Hashable {
  /// The operating system and its version.
  public var system: String
  /// The processor's architecture.
  public var architecture: String
  /// The processor's name.
  public var cpu: String
  /// How many processors the process may use.
  public var cores: Int
  /// The versions of the libraries that ran the models, by name.
  public var libraries: [String: String]

  /// Makes a record.
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

/// What an evaluation was made on.
public struct DatasetRecord: Sendable, Codable, Hashable {
  /// How it is laid out.
  public var layout: Dataset.Layout
  /// Its name.
  public var name: String
  /// A test bundle's identifier.
  public var id: String?
  /// A test bundle's version.
  public var version: String?
  /// Its path.
  public var path: String
  /// How many pictures it has, before a limit.
  public var pictures: Int
  /// How many of those that a limit leaves have a label.
  public var labelled: Int
  /// SHA-256, as 64 hexadecimal digits, of the identifiers, labels and bytes of the pictures that a
  /// limit leaves.
  public var sha256: String
  /// The metric that the dataset itself asks for, where nobody asked for others.
  public var metric: String?
  /// What was guessed or left out.
  public var notes: [String]

  /// Makes a record.
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
  /// Its identifier.
  public var id: String
  /// Its name.
  public var name: String
  /// Its version.
  public var version: String
  /// The bundle's path.
  public var path: String
  /// The backend's name.
  public var backend: String
  /// SHA-256, as 64 hexadecimal digits, of the model's file or files.
  public var sha256: String
  /// What is done to a picture before it is a tensor, for people.
  public var preprocessing: String
  /// SHA-256, as 64 hexadecimal digits, of that and of how much of a JPEG is decoded.
  public var preprocessingSHA256: String

  /// Makes a record.
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
