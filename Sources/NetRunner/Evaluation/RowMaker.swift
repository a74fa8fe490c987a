// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

package import TensorIO
import TensorIODecoding

struct RowMaker: Sendable {
  let model: String
  let testBundle: String
  let kept: KeptOutputs
  let classes: ClassList
  var shownPath: @Sendable (_ path: String) -> String = { $0 }

  func row(_ evaluation: Evaluation, of sample: Sample, at index: Int) -> ResultRow {
    var row = ResultRow(
      index: index, type: sample.source.kind, image: sample.id, model: model,
      testBundle: testBundle, error: false, truth: sample.truth.flatMap(text))
    switch evaluation.result {
    case .failure(let error):
      row.error = true
      row.errorDescription = error.naming(shownPath).message
      if case .label = sample.truth { row.isCorrect = false }
    case .success(let prediction):
      let latency = evaluation.latency
      row.evaluation = EvaluationRecord(
        decodeLatency: latency.decode.milliseconds,
        preprocessorLatency: latency.preprocess.milliseconds,
        inferenceLatency: latency.inference.milliseconds,
        postprocessLatency: latency.postprocess.milliseconds,
        inferenceResults: prediction.json(keeping: kept))
      if let best = prediction.classification?.top(1).first {
        row.predicted = best.label
        row.score = best.value.shortestDouble
      }
      if let text = prediction.text, prediction.classification == nil {
        row.predicted = text
        if case .label(let label) = sample.truth { row.isCorrect = text == label }
      }
      if case .label(let label) = sample.truth, let classification = prediction.classification {
        // Classes are compared by index, as metrics do, because two classes can have the same name.
        let best = classification.indexOfHighest
        row.isCorrect = best.map { classes.classes(for: label).contains($0) } ?? false
      }
    }
    return row
  }

  /// A human-readable ground truth, in which classes have names even if the dataset has numbers.
  private func text(_ truth: GroundTruth) -> String? {
    switch truth {
    case .label(let label): classes.classes(for: label).first.map { classes.names[$0] } ?? label
    case .anomaly(let isAnomaly, _): isAnomaly ? "anomaly" : "normal"
    case .values(let values): values.map { "\($0)" }.joined(separator: ", ")
    case .boxes(let boxes): boxes.count == 1 ? "1 object" : "\(boxes.count) objects"
    case .classMap(let path): FileSystem.name(of: path)
    case .segments(let truth): counted(truth.segments.count, "segment")
    case .results: nil
    }
  }
}

extension Classification {
  /// The index of the highest value, the first one for ties, or nil if all values are NaN.
  fileprivate var indexOfHighest: Int? {
    var best: Int?
    for index in indices where !self[index].value.isNaN {
      if let found = best, self[found].value >= self[index].value { continue }
      best = index
    }
    return best
  }
}

extension Prediction {
  /// The outputs by name, in the format of rows.
  ///
  /// An output is a number, an array, or an object of labelled values. Images and class maps are
  /// represented by their size.
  package func json(keeping kept: KeptOutputs) -> [String: JSONValue] {
    switch kept {
    case .none: [:]
    case .all: json(limit: nil)
    case .top(let count): json(limit: count)
    }
  }

  private func json(limit: Int?) -> [String: JSONValue] {
    Dictionary(outputs.map { ($0.name, Self.json($0.value, limit: limit)) }) { first, _ in first }
  }

  private static func json(_ value: TensorValue, limit: Int?) -> JSONValue {
    switch value {
    case .number(let number): return json(number)
    case .numbers(let numbers): return .array(numbers.prefix(limit ?? .max).map(json))
    case .labels(let classification):
      let kept = limit.map { classification.top($0) } ?? classification
      return .object(kept.dictionary.mapValues { .number($0.shortestDouble) })
    case .bytes(let data, _): return .array(data.prefix(limit ?? .max).map { .integer(Int64($0)) })
    case .strings(let strings):
      return .array(strings.map { .string(String(decoding: $0, as: UTF8.self)) })
    case .image(let image): return size(image.width, image.height)
    case .classMap(let map): return size(map.width, map.height)
    case .decoded(let value): return value.json(limit: limit)
    case .tensor(let tensor): return .array(tensor.shape.map { .integer(Int64($0)) })
    case .list(let values): return .array(values.map { json($0, limit: limit) })
    }
  }

  private static func json(_ number: TensorValue.Number) -> JSONValue {
    switch number {
    case .integer(let integer): .integer(integer)
    case .float(let float): .number(float.shortestDouble)
    case .double(let double): .number(double)
    case .bool(let bool): .bool(bool)
    }
  }

  private static func size(_ width: Int, _ height: Int) -> JSONValue {
    .object(["width": .integer(Int64(width)), "height": .integer(Int64(height))])
  }
}
