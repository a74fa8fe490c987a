// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import NetRunner
import TensorIO

extension EvaluationJob {
  /// The evaluation as it appears in lists.
  var json: JSONObject {
    withState { state in
      // Clients see a queued evaluation as running, because they don't have to treat it
      // differently.
      let shown = state.phase == .queued ? Phase.running : state.phase
      let dataset = run.dataset
      return [
        "id": id, "state": shown.rawValue, "queued": state.phase == .queued,
        "started": started.ISO8601Format(), "models": state.progress.models,
        "dataset": [
          "name": dataset.name, "layout": dataset.layout.word, "pictures": dataset.samples.count,
          "content": dataset.content.rawValue,
          "has_truth": dataset.samples.contains { $0.truth != nil },
        ] as JSONObject,
        "error": state.error.map { ["code": $0.code, "message": $0.message] },
        "photos_per_second": state.report?.rate ?? state.progress.rate,
        "seconds_left": state.phase == .running ? state.progress.secondsLeft : nil,
      ]
    }
  }
}

extension EvaluationReport {
  /// Images per second over all models, or nil if none was run.
  fileprivate var rate: Double? {
    let seconds = models.reduce(0) { $0 + $1.seconds }
    return seconds > 0 ? Double(models.reduce(0) { $0 + $1.images }) / seconds : nil
  }
}

extension Dataset.Layout {
  /// The layout's name in the API.
  fileprivate var word: String {
    switch self {
    case .testBundle: "test_bundle"
    case .folder: "pictures"
    case .classFolders: "folders"
    case .csv: "table"
    case .coco: "coco"
    case .classMaps: "class_maps"
    case .rows: "rows"
    case .arrays: "arrays"
    case .mlperfTiny: "mlperf_tiny"
    }
  }
}

extension ResultRow {
  private static let labelCount = 5

  /// The row as it appears in the API.
  var json: JSONObject {
    [
      "index": index, "model": model, "image": image, "error": error,
      "error_description": errorDescription, "predicted": predicted, "truth": truth,
      "correct": isCorrect, "classes": classes, "answer": answer, "latency_ms": latency,
      "comparison": comparison,
    ]
  }

  /// The labelled values of the output that the prediction comes from, highest first.
  private var classes: [JSONObject] {
    guard let predicted, let evaluation else { return [] }
    for output in evaluation.inferenceResults.values {
      guard case .object(let members) = output, members[predicted] != nil else { continue }
      return members.compactMap { label, value in value.double.map { (label, $0) } }
        .sorted { ($1.1, $0.0) < ($0.1, $1.0) }.prefix(Self.labelCount)
        .map { ["label": $0.0, "value": $0.1] }
    }
    return []
  }

  private var latency: [String: Double]? {
    guard let evaluation else { return nil }
    return [
      "decode": evaluation.decodeLatency, "preprocess": evaluation.preprocessorLatency,
      "inference": evaluation.inferenceLatency, "postprocess": evaluation.postprocessLatency,
      "total": evaluation.total,
    ]
  }
}
#endif
