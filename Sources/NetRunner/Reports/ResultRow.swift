// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

public import TensorIO

/// The results of a model on a dataset, in the format that Net Runner has always exported.
public struct SummaryRow: Sendable, Codable, Hashable {
  /// The mean latency of inference in milliseconds, or nil if every image failed.
  public var latency: Double?
  /// The test bundle's metric or top-1 accuracy, or nil without labels.
  public var classificationAccuracy: Double?
  /// The model's identifier.
  public var model: String
  /// The test bundle's identifier, or the dataset's name for other layouts.
  public var testBundle: String

  private enum CodingKeys: String, CodingKey {
    case latency, model
    case classificationAccuracy = "classification_accuracy"
    case testBundle = "test_bundle"
  }

  /// Encodes all keys.
  ///
  /// A missing value is null.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(latency, forKey: .latency)
    try container.encode(classificationAccuracy, forKey: .classificationAccuracy)
    try container.encode(model, forKey: .model)
    try container.encode(testBundle, forKey: .testBundle)
  }
}

/// The result of one image, in the format that Net Runner has always exported, with additional
/// fields.
public struct ResultRow: Sendable, Codable, Hashable {
  /// The image's index in the dataset, from 0.
  public var index: Int
  /// The kind of the image's source: `file`, `url` or `memory`.
  public var type: String
  /// The image's identifier.
  public var image: String
  /// The model's identifier.
  public var model: String
  /// The test bundle's identifier, or the dataset's name for other layouts.
  public var testBundle: String
  /// Whether the image or the run failed.
  public var error: Bool
  /// The reason for the failure.
  public var errorDescription: String?
  /// The outputs and latencies, or nil if the image failed.
  public var evaluation: EvaluationRecord?
  /// The human-readable ground truth, or nil if the image has no label.
  public var truth: String?
  /// The human-readable top prediction, or nil if the model isn't a classifier.
  public var predicted: String?
  /// The model's value for the top prediction.
  public var score: Double?
  /// Whether the prediction is correct.
  ///
  /// It is false for a labelled image that failed, and nil if it can't be determined.
  public var isCorrect: Bool?
  /// A small picture of an output that is one, for the first images of a report; otherwise nil.
  public var picture: ResultPicture?
  /// How the answer differs from the truth, for objects, class maps and numbers; otherwise nil.
  public var comparison: TruthComparison?

  private enum CodingKeys: String, CodingKey {
    case index, type, image, model, error, evaluation, truth, predicted, score, picture
    case comparison
    case testBundle = "test_bundle"
    case errorDescription = "error_description"
    case isCorrect = "correct"
  }

  /// Encodes a row, which always has an `evaluation`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(index, forKey: .index)
    try container.encode(type, forKey: .type)
    try container.encode(image, forKey: .image)
    try container.encode(model, forKey: .model)
    try container.encode(testBundle, forKey: .testBundle)
    try container.encode(error, forKey: .error)
    try container.encodeIfPresent(errorDescription, forKey: .errorDescription)
    if let evaluation {
      try container.encode(evaluation, forKey: .evaluation)
    } else {
      try container.encode([String: String](), forKey: .evaluation)
    }
    try container.encodeIfPresent(truth, forKey: .truth)
    try container.encodeIfPresent(predicted, forKey: .predicted)
    try container.encodeIfPresent(score, forKey: .score)
    try container.encodeIfPresent(isCorrect, forKey: .isCorrect)
    try container.encodeIfPresent(picture, forKey: .picture)
    try container.encodeIfPresent(comparison, forKey: .comparison)
  }
}

extension ResultRow {
  /// Decodes a row.
  ///
  /// An empty `evaluation` is decoded as nil.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    index = try container.decode(Int.self, forKey: .index)
    type = try container.decode(String.self, forKey: .type)
    image = try container.decode(String.self, forKey: .image)
    model = try container.decode(String.self, forKey: .model)
    testBundle = try container.decode(String.self, forKey: .testBundle)
    error = try container.decode(Bool.self, forKey: .error)
    errorDescription = try container.decodeIfPresent(String.self, forKey: .errorDescription)
    evaluation = error ? nil : try container.decode(EvaluationRecord.self, forKey: .evaluation)
    truth = try container.decodeIfPresent(String.self, forKey: .truth)
    predicted = try container.decodeIfPresent(String.self, forKey: .predicted)
    score = try container.decodeIfPresent(Double.self, forKey: .score)
    isCorrect = try container.decodeIfPresent(Bool.self, forKey: .isCorrect)
    picture = try container.decodeIfPresent(ResultPicture.self, forKey: .picture)
    comparison = try container.decodeIfPresent(TruthComparison.self, forKey: .comparison)
  }
}

/// The outputs for one image and the latencies in milliseconds.
public struct EvaluationRecord: Sendable, Codable, Hashable {
  /// Reading the file and decoding the image.
  public var decodeLatency: Double
  /// Converting the decoded image to a tensor.
  public var preprocessorLatency: Double
  /// Running the model.
  public var inferenceLatency: Double
  /// Converting the outputs to values.
  public var postprocessLatency: Double
  /// The outputs by name: numbers, arrays, or objects of labelled values.
  public var inferenceResults: [String: JSONValue]

  /// The sum of the latencies.
  public var total: Double {
    decodeLatency + preprocessorLatency + inferenceLatency + postprocessLatency
  }

  private enum CodingKeys: String, CodingKey {
    case decodeLatency = "decode_latency"
    case preprocessorLatency = "preprocessor_latency"
    case inferenceLatency = "inference_latency"
    case postprocessLatency = "postprocess_latency"
    case inferenceResults = "inference_results"
  }
}

extension EvaluationRecord {
  /// Decodes a record.
  ///
  /// Reports of classifiers with many classes contain millions of numbers, so numbers are tried
  /// first.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      decodeLatency: try container.decode(Double.self, forKey: .decodeLatency),
      preprocessorLatency: try container.decode(Double.self, forKey: .preprocessorLatency),
      inferenceLatency: try container.decode(Double.self, forKey: .inferenceLatency),
      postprocessLatency: try container.decode(Double.self, forKey: .postprocessLatency),
      inferenceResults: try container.decode([String: NumberFirst].self, forKey: .inferenceResults)
        .mapValues(\.value))
  }
}

/// A value of a document that is most likely a number or a collection of numbers.
private struct NumberFirst: Decodable {
  let value: JSONValue

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let number = try? container.decode(Double.self) {
      // Larger integers would lose digits, and strings for numbers that aren't finite would lose
      // their type. Both are therefore decoded as they are written.
      let isPlain = number.magnitude < 0x1p53
      value = isPlain ? .number(number) : try container.decode(JSONValue.self)
    } else if let numbers = try? container.decode([String: Double].self),
      numbers.values.allSatisfy({ $0.magnitude < 0x1p53 })
    {
      value = .object(numbers.mapValues(JSONValue.number))
    } else if let numbers = try? container.decode([Double].self),
      numbers.allSatisfy({ $0.magnitude < 0x1p53 })
    {
      value = .array(numbers.map(JSONValue.number))
    } else if let parts = try? container.decode([NumberFirst].self) {
      value = .array(parts.map(\.value))
    } else {
      value = try container.decode(JSONValue.self)
    }
  }
}
