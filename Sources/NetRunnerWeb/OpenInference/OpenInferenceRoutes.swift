// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import HTTPTypes
import Hummingbird
import TensorIO
import WebServing

/// Routes of the Open Inference Protocol, version 2, so that clients of other servers can run
/// bundles.
struct OpenInferenceRoutes: Sendable {
  private static let headerLength = HTTPField.Name("Inference-Header-Content-Length")

  let service: OpenInferenceService
  let bodies: BodyReader
  let health: HealthRoutes<WebError>
  let clients: ClientConnections

  func add(to group: RouterGroup<WebContext>) {
    group.get("") { _, _ -> JSONObject in
      [
        "name": service.name, "version": service.version,
        "extensions": OpenInferenceService.extensions,
      ]
    }
    Self.addHealth(to: group, health)
    group.post("repository/index") { request, _ in try await index(request) }
    group.post("repository/models/:id/load") { _, context in
      try await service.load(context.modelID())
      return Response(status: .ok)
    }
    group.post("repository/models/:id/unload") { _, context in
      try await service.unload(context.modelID())
      return Response(status: .ok)
    }
    group.get("models/stats") { _, _ in statistics(of: service.catalogue.models) }
    for path in ["models/:id", "models/:id/versions/:version"] {
      group.get(RouterPath(path)) { _, context in try await metadata(context) }
      group.get(RouterPath(path + "/ready")) { _, context in
        _ = try await model(context)
        return Response(status: .ok)
      }
      group.get(RouterPath(path + "/config")) { _, context in try await configuration(context) }
      group.get(RouterPath(path + "/stats")) { _, context in
        statistics(of: [try service.find(context.modelID(), version: context.version)])
      }
      group.post(RouterPath(path + "/infer")) { request, context in
        try await infer(request, context)
      }
    }
  }

  /// Adds the protocol's own paths for monitors.
  static func addHealth(
    to group: RouterGroup<WebContext>, _ health: HealthRoutes<WebError>
  ) {
    group.get("health/live") { _, _ in Response(status: .ok) }
    group.get("health/ready") { _, _ in
      try await health.requireReady()
      return Response(status: .ok)
    }
  }

  // MARK: - Models

  private func index(_ request: Request) async throws -> Response {
    let onlyReady = try await bodies.withBody(of: request, limit: 4096, as: "The request") { body in
      guard body.readableBytes > 0 else { return false }
      guard let document = try? JSONValue(parsing: Data(body.readableBytesView)) else {
        throw WebError.badRequest("The body isn't valid JSON. Send no body, or {\"ready\": true}.")
      }
      return try JSONObjectReader(document, "The body").bool("ready") ?? false
    }
    return try .json(
      try await service.index(onlyReady: onlyReady).map { model, problem in
        [
          "name": model.id, "version": model.bundle.manifest.version,
          "state": problem == nil ? "READY" : "UNAVAILABLE", "reason": problem ?? "",
        ]
      })
  }

  private func metadata(_ context: WebContext) async throws -> JSONObject {
    let model = try await model(context)
    let signature = try model.loadSignature()
    func tensors(_ specs: [TensorSpec]) throws -> [JSONObject] {
      try specs.map {
        [
          "name": $0.name, "datatype": $0.wireType.wireName,
          "shape": try OpenInferenceService.shape(of: $0, in: model),
        ]
      }
    }
    return [
      "name": model.bundle.manifest.id, "versions": [model.bundle.manifest.version],
      "platform": model.bundle.backendName ?? "", "inputs": try tensors(signature.inputs),
      "outputs": try tensors(signature.outputs),
    ]
  }

  private func configuration(_ context: WebContext) async throws -> JSONObject {
    let model = try await model(context)
    let signature = try model.loadSignature()
    func tensors(_ specs: [TensorSpec]) throws -> [JSONObject] {
      try specs.map { spec in
        let type = spec.wireType == .string ? "STRING" : spec.wireType.wireName
        return [
          "name": spec.name, "data_type": "TYPE_" + type,
          "dims": try OpenInferenceService.shape(of: spec, in: model),
        ]
      }
    }
    let backend = model.bundle.backendName ?? ""
    return [
      "name": model.bundle.manifest.id, "platform": backend, "backend": backend,
      // With 0, the dimensions include the axis of the items.
      "max_batch_size": 0, "input": try tensors(signature.inputs),
      "output": try tensors(signature.outputs),
    ]
  }

  private func statistics(of models: [ServedModel]) -> JSONObject {
    [
      "model_stats": models.map {
        service.statistics.json(of: $0.id, version: $0.bundle.manifest.version)
      }
    ]
  }

  private func model(_ context: WebContext) async throws -> InferenceModel {
    try await service.model(context.modelID(), version: context.version)
  }

  // MARK: - Runs

  private func infer(_ request: Request, _ context: WebContext) async throws -> Response {
    let model = try await model(context)
    let length = try Self.headerLength.flatMap { request.headers[$0] }.map { text in
      guard let length = Int(text), length >= 0 else {
        throw WebError.badRequest("Inference-Header-Content-Length must be a number of bytes.")
      }
      return length
    }
    let limits = TensorLimits(
      model.bundle.manifest.id, try model.loadSignature().inputs, limit: service.requestLimit)
    return try await service.tensors.withBody(of: request, limits, hasBinary: length != nil) {
      body, queue in
      try await clients.whileConnected(context.channel) {
        try await service.run(model, on: queue) {
          try InferenceCall(body, headerLength: length)
        } reply: {
          try $0.response()
        }
      }
    }
  }
}

extension WebContext {
  /// The version in a request's path, or an empty text.
  fileprivate var version: String { parameters.get("version")?.removingPercentEncoding ?? "" }
}
#endif
