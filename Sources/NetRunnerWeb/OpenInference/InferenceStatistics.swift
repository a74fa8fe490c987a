// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import OpenInferenceGRPC
import Synchronization

/// How long the stages of a request took.
struct RequestStages: Sendable {
  var queue: Duration
  var input: Duration
  var inference: Duration
  var output: Duration
}

/// Counts each model's requests with the Open Inference Protocol, and how long they take.
final class InferenceStatistics: Sendable {
  private let models = Mutex<[String: ModelCounts]>([:])

  /// Counts a run of the model that succeeded, which may have the items of several requests.
  func addRun(_ id: String, items: Int) {
    change(id) { counts in
      counts.runs += 1
      counts.items += items
    }
  }

  /// Counts a request that succeeded.
  func add(_ id: String, _ duration: Duration, _ stages: RequestStages) {
    change(id) { counts in
      counts.last = Self.now
      counts.success.add(duration)
      counts.queue.add(stages.queue)
      counts.input.add(stages.input)
      counts.inference.add(stages.inference)
      counts.output.add(stages.output)
    }
  }

  /// Counts a request that failed.
  func addFailure(_ id: String, _ duration: Duration) {
    change(id) { counts in
      counts.last = Self.now
      counts.failure.add(duration)
    }
  }

  private func change(_ id: String, _ change: (inout ModelCounts) -> Void) {
    models.withLock { change(&$0[id, default: ModelCounts()]) }
  }

  private static var now: Int { Int(Date().timeIntervalSince1970 * 1000) }

  func counts(of id: String) -> ModelCounts { models.withLock { $0[id] } ?? ModelCounts() }

  /// Returns a model's statistics: the supported members of Triton's statistics extension.
  func json(of id: String, version: String) -> JSONObject {
    let counts = counts(of: id)
    func times(_ times: ModelCounts.Times) -> [String: Int] {
      ["count": times.count, "ns": times.nanoseconds]
    }
    return [
      "name": id, "version": version, "last_inference": counts.last,
      "inference_count": counts.items, "execution_count": counts.runs,
      "inference_stats": [
        "success": times(counts.success), "fail": times(counts.failure),
        "queue": times(counts.queue), "compute_input": times(counts.input),
        "compute_infer": times(counts.inference), "compute_output": times(counts.output),
      ],
      "batch_stats": [String](),
    ]
  }
}
#endif
