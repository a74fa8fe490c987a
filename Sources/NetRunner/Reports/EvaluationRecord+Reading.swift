// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

extension EvaluationRecord {
  /// Decodes a record.
  ///
  /// Reports of classifiers with many classes contain millions of numbers, so numbers are tried
  /// first.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Keys.self)
    self.init(
      decodeLatency: try container.decode(Double.self, forKey: .decodeLatency),
      preprocessorLatency: try container.decode(Double.self, forKey: .preprocessorLatency),
      inferenceLatency: try container.decode(Double.self, forKey: .inferenceLatency),
      postprocessLatency: try container.decode(Double.self, forKey: .postprocessLatency),
      inferenceResults: try container.decode([String: NumberFirst].self, forKey: .inferenceResults)
        .mapValues(\.value))
  }

  private enum Keys: String, CodingKey {
    case decodeLatency = "decode_latency"
    case preprocessorLatency = "preprocessor_latency"
    case inferenceLatency = "inference_latency"
    case postprocessLatency = "postprocess_latency"
    case inferenceResults = "inference_results"
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
