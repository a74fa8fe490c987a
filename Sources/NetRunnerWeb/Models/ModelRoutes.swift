// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import Hummingbird
import TensorIO
import WebServing

/// Routes that list, describe, delete and run models, and that send their examples.
struct ModelRoutes: Sendable {
  let runner: InferenceRunner
  let inference: InferenceRequests

  func add(to group: RouterGroup<WebContext>) {
    group.get("models") { _, _ in try await list() }
    group.get("models/:id") { _, context in try await details(context.modelID()) }
    group.delete("models/:id") { _, context in try await delete(context.modelID()) }
    group.get("models/:id/examples") { _, context in try await examples(context.modelID()) }
    group.get("models/:id/examples/:name") { _, context in
      let name = try context.parameters.require("name").removingPercentEncoding ?? ""
      return try await example(name, of: context.modelID())
    }
    group.post("models/:id/infer") { request, context in
      let options = try InferenceOptions(Query(request))
      let model = try runner.catalogue.model(context.modelID())
      return try await inference.run(model, on: request, context, options)
    }
  }

  private func list() async throws -> JSONObject {
    try await runner.queue.run {
      try runner.catalogue.rescan()
      return [
        "models": runner.catalogue.models.map(\.json), "default": runner.catalogue.defaultModel?.id,
        "unreadable": runner.catalogue.failures.map {
          ["folder": FileSystem.name(of: $0.path), "message": $0.message]
        },
      ]
    }
  }

  private func details(_ id: String) async throws -> JSONObject {
    let model = try runner.catalogue.model(id)
    return try await runner.queue.run { try model.details() }
  }

  private func delete(_ id: String) async throws -> Response {
    try await runner.queue.run { try runner.catalogue.delete(id) }
    return Response(status: .noContent)
  }

  private func examples(_ id: String) async throws -> JSONObject {
    let examples = ModelExamples(of: try runner.catalogue.model(id).bundle)
    return ["examples": try await runner.queue.run { try examples.names.map { ["name": $0] } }]
  }

  private func example(_ name: String, of id: String) async throws -> Response {
    let examples = ModelExamples(of: try runner.catalogue.model(id).bundle)
    return try await runner.queue.run { try examples.response(for: name) }
  }
}
#endif
