// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import Synchronization

/// Counts each model's runs with the Open Inference Protocol, and how long they take.
final class InferenceStatistics: Sendable {
  private struct Times {
    var count = 0
    var nanoseconds = 0

    mutating func add(_ duration: Duration) {
      count += 1
      nanoseconds += Int(duration / .nanoseconds(1))
    }

    var json: [String: Int] { ["count": count, "ns": nanoseconds] }
  }

  private struct Model {
    var success = Times()
    var failure = Times()
    var items = 0
    var runs = 0
    var last = 0
  }

  private let models = Mutex<[String: Model]>([:])

  /// Counts a run of the model, which may have the items of several requests.
  func addRun(_ id: String, items: Int) {
    models.withLock { models in
      models[id, default: Model()].runs += 1
      models[id, default: Model()].items += items
    }
  }

  func add(_ id: String, _ duration: Duration, isSuccess: Bool) {
    let now = Int(Date().timeIntervalSince1970 * 1000)
    models.withLock { models in
      models[id, default: Model()].last = now
      if isSuccess {
        models[id, default: Model()].success.add(duration)
      } else {
        models[id, default: Model()].failure.add(duration)
      }
    }
  }

  /// Returns a model's statistics: the supported members of Triton's statistics extension.
  func json(of id: String, version: String) -> JSONObject {
    let model = models.withLock { $0[id] } ?? Model()
    return [
      "name": id, "version": version, "last_inference": model.last,
      "inference_count": model.items, "execution_count": model.runs,
      "inference_stats": ["success": model.success.json, "fail": model.failure.json],
      "batch_stats": [String](),
    ]
  }
}
#endif
