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
  var json: JSONValue {
    withState { state in
      // Clients see a queued evaluation as running, because they don't have to treat it
      // differently.
      let shown = state.phase == .queued ? Phase.running : state.phase
      let dataset = run.dataset
      return .object([
        "id": .string(id), "state": .string(shown.rawValue),
        "queued": .bool(state.phase == .queued), "started": .string(started.ISO8601Format()),
        "models": .array(
          state.progress.models.map { model in
            .object([
              "model": .string(model.id), "done": .count(model.done),
              "count": .count(model.count), "failed": .count(model.failed),
            ])
          }),
        "dataset": .object([
          "name": .string(dataset.name), "layout": .string(dataset.layout.word),
          "pictures": .count(dataset.samples.count),
          "has_truth": .bool(dataset.samples.contains { $0.truth != nil }),
        ]),
        "error": state.error.map {
          .object(["code": .string($0.code), "message": .string($0.message)])
        } ?? .null,
        "photos_per_second": (state.report?.rate ?? state.progress.rate).map { .number($0) }
          ?? .null,
        "seconds_left": state.phase == .running
          ? state.progress.secondsLeft.map { .number($0) } ?? .null : .null,
      ])
    }
  }
}

extension EvaluationReport {
  /// Images per second over all models, or nil if none was run.
  fileprivate var rate: Double? {
    let seconds = models.reduce(0) { $0 + $1.seconds }
    return seconds > 0 ? Double(models.reduce(0) { $0 + $1.pictures }) / seconds : nil
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
    }
  }
}

extension ResultRow {
  /// How many labels a row shows.
  private static let labelCount = 5

  /// The row as it appears in the API.
  var json: JSONValue {
    .object([
      "index": .count(index), "model": .string(model), "image": .string(image),
      "error": .bool(error), "error_description": .text(errorDescription),
      "predicted": .text(predicted), "truth": .text(truth),
      "correct": isCorrect.map { .bool($0) } ?? .null, "classes": .array(classes),
      "latency_ms": latency,
    ])
  }

  /// The labelled values of the output that the prediction comes from, highest first.
  private var classes: [JSONValue] {
    guard let predicted, let evaluation else { return [] }
    for output in evaluation.inferenceResults.values {
      guard case .object(let members) = output, members[predicted] != nil else { continue }
      return members.compactMap { label, value in value.double.map { (label, $0) } }
        .sorted { ($1.1, $0.0) < ($0.1, $1.0) }.prefix(Self.labelCount)
        .map { .object(["label": .string($0.0), "value": .number($0.1)]) }
    }
    return []
  }

  private var latency: JSONValue {
    guard let evaluation else { return .null }
    return .object([
      "decode": .number(evaluation.decodeLatency),
      "preprocess": .number(evaluation.preprocessorLatency),
      "inference": .number(evaluation.inferenceLatency),
      "postprocess": .number(evaluation.postprocessLatency), "total": .number(evaluation.total),
    ])
  }
}
#endif
