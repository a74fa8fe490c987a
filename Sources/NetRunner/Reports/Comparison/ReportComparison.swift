// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Compares two models, or two runs of one model, image by image.
///
/// ```swift
/// let comparison = try ReportComparison(before, after)
/// print(comparison.text)
/// ```
public struct ReportComparison: Sendable, Codable {
  /// The value of `schema` in documents.
  public static let schema = "tensorio.comparison"
  /// The value of `schema_version` in documents.
  public static let schemaVersion = 1

  /// The kind of document.
  public var schema = Self.schema
  /// The version of the document's format.
  public var schemaVersion = Self.schemaVersion
  /// The first model.
  public var a: Side
  /// The second model.
  public var b: Side
  /// What makes the comparison doubtful, such as different datasets, settings or machines.
  public var warnings: [String]
  /// The number of images in both reports.
  public var paired: Int
  /// The number of these images that have a label, so that both predictions are right or wrong.
  public var scored: Int
  /// The number of scored images that both models are right about.
  public var bothRight: Int
  /// The number of scored images that neither model is right about.
  public var bothWrong: Int
  /// Tests whether the models are right about different numbers of images.
  public var mcNemar: McNemarTest
  /// The difference in top-1 accuracy, or nil if there are no scored images.
  public var accuracy: PairedDifference?
  /// The latency ratios, for `inference` and for `total`.
  public var latency: [LatencyRatio]
  /// The scored images that only one model is right about, in the dataset's order.
  public var flips: [Flip]

  /// One of the two compared models.
  public struct Side: Sendable, Hashable, Codable {
    /// The model.
    public var model: ModelRecord
    /// The start of the model's evaluation.
    public var created: String
    /// The SHA-256 of the dataset.
    public var datasetSHA256: String
    /// The number of images that were evaluated.
    public var pictures: Int
    /// The images in both reports that failed for this model.
    public var failed: [String]
    /// The images that only this side has.
    public var unpaired: [String]

    private enum CodingKeys: String, CodingKey {
      case model, created, pictures, failed, unpaired
      case datasetSHA256 = "dataset_sha256"
    }
  }

  /// An image that only one model is right about.
  public struct Flip: Sendable, Hashable, Codable {
    /// The image's index in the dataset.
    public var index: Int
    /// The image's identifier.
    public var image: String
    /// The image's ground truth.
    public var truth: String?
    /// The first model's prediction, or nil if the image failed.
    public var predictedA: String?
    /// The second model's prediction, or nil if the image failed.
    public var predictedB: String?
    /// Whether the first model is right.
    ///
    /// If false, the second one is.
    public var isRightInA: Bool

    private enum CodingKeys: String, CodingKey {
      case index, image, truth
      case predictedA = "predicted_a"
      case predictedB = "predicted_b"
      case isRightInA = "right_in_a"
    }
  }

  /// Options for comparing reports.
  public struct Options: Sendable {
    /// The first report's model.
    ///
    /// It can be nil if the report has only one.
    public var modelA: String?
    /// The second report's model.
    ///
    /// It can be nil if the report has only one.
    public var modelB: String?
    /// Whether different datasets are a warning instead of an error.
    public var allowsOtherDatasets = false
    /// The seed for resampling.
    public var seed: UInt64 = 0

    /// Creates options that compare the only models and require the same dataset.
    public init() {}
  }

  private enum CodingKeys: String, CodingKey {
    case schema, a, b, warnings, paired, scored, accuracy, latency, flips
    case schemaVersion = "schema_version"
    case bothRight = "both_right"
    case bothWrong = "both_wrong"
    case mcNemar = "mcnemar"
  }

  /// The comparison as JSON, which is byte-for-byte equal for equal comparisons.
  ///
  /// - Returns: The document with a trailing line feed.
  /// - Throws: `TensorIOError` if the comparison can't be encoded, which is a bug in this library.
  public func json() throws -> String {
    let members: [String: StableJSON?] = [
      "schema": try StableJSON(schema), "schema_version": try StableJSON(schemaVersion),
      "a": try StableJSON(a), "b": try StableJSON(b), "warnings": try StableJSON(lines: warnings),
      "paired": try StableJSON(paired), "scored": try StableJSON(scored),
      "both_right": try StableJSON(bothRight), "both_wrong": try StableJSON(bothWrong),
      "mcnemar": try StableJSON(mcNemar), "accuracy": try accuracy.map { try StableJSON($0) },
      "latency": try StableJSON(lines: latency), "flips": try StableJSON(lines: flips),
    ]
    return StableJSON(document: members).text
  }
}
