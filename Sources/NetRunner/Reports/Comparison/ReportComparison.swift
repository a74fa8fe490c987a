// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Two models, or two runs of one, picture by picture.
///
/// ```swift
/// let comparison = try ReportComparison(before, after)
/// print(comparison.text)
/// ```
public struct ReportComparison: Sendable, Codable {
  /// What the documents' `schema` says.
  public static let schema = "tensorio.comparison"
  /// What the documents' `schema_version` says.
  public static let schemaVersion = 1

  /// The kind of document.
  public var schema = Self.schema
  /// The version of that kind.
  public var schemaVersion = Self.schemaVersion
  /// The first model.
  public var a: Side
  /// The second model.
  public var b: Side
  /// What makes the comparison doubtful: other datasets, settings or machines.
  public var warnings: [String]
  /// How many pictures are in both reports.
  public var paired: Int
  /// How many of them have a label, so that both predictions are right or wrong.
  public var scored: Int
  /// Scored pictures that both models are right about.
  public var bothRight: Int
  /// Scored pictures that neither model is right about.
  public var bothWrong: Int
  /// Whether the models are right about different numbers of pictures.
  public var mcNemar: McNemarTest
  /// The difference of the shares of right predictions (top-1 accuracy); nil without scored
  /// pictures.
  public var accuracy: PairedDifference?
  /// How the latencies compare, for `inference` and for `total`.
  public var latency: [LatencyRatio]
  /// The scored pictures that only one model is right about, in the dataset's order.
  public var flips: [Flip]

  /// One of two models that are compared.
  public struct Side: Sendable, Hashable, Codable {
    /// The model.
    public var model: ModelRecord
    /// When its evaluation began.
    public var created: String
    /// SHA-256 of the dataset.
    public var datasetSHA256: String
    /// How many pictures were evaluated.
    public var pictures: Int
    /// The pictures that failed, among those of both reports.
    public var failed: [String]
    /// The pictures that only this side has.
    public var unpaired: [String]

    private enum CodingKeys: String, CodingKey {
      case model, created, pictures, failed, unpaired
      case datasetSHA256 = "dataset_sha256"
    }
  }

  /// A picture that only one model is right about.
  public struct Flip: Sendable, Hashable, Codable {
    /// The picture's place in the dataset.
    public var index: Int
    /// The picture's identifier.
    public var image: String
    /// What it shows.
    public var truth: String?
    /// What the first model says; nil where it failed.
    public var predictedA: String?
    /// What the second model says; nil where it failed.
    public var predictedB: String?
    /// Whether the first model is right; else the second one is.
    public var isRightInA: Bool

    private enum CodingKeys: String, CodingKey {
      case index, image, truth
      case predictedA = "predicted_a"
      case predictedB = "predicted_b"
      case isRightInA = "right_in_a"
    }
  }

  /// How reports are compared.
  public struct Options: Sendable {
    /// The first report's model; nil where it has only one.
    public var modelA: String?
    /// The second report's model; nil where it has only one.
    public var modelB: String?
    /// Whether other datasets are only a warning, not an error.
    public var allowsOtherDatasets = false
    /// Where resampling begins.
    public var seed: UInt64 = 0

    /// Makes options: the only models, and the same dataset.
    public init() {}
  }

  private enum CodingKeys: String, CodingKey {
    case schema, a, b, warnings, paired, scored, accuracy, latency, flips
    case schemaVersion = "schema_version"
    case bothRight = "both_right"
    case bothWrong = "both_wrong"
    case mcNemar = "mcnemar"
  }

  /// The comparison as JSON, equal in every byte for equal comparisons.
  ///
  /// - Returns: The document, with a line feed at its end.
  /// - Throws: `TensorIOError` for a comparison that cannot be written, which is a fault of ours.
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
