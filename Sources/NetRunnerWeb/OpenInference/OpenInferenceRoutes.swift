// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import HTTPTypes
import Hummingbird
import Synchronization
import TensorIO
import WebServing

/// Routes of the Open Inference Protocol, version 2, so that clients of other servers can run
/// bundles.
struct OpenInferenceRoutes: Sendable {
  private static let headerLength = HTTPField.Name("Inference-Header-Content-Length")

  let catalogue: ModelCatalogue
  let queue: WorkQueue
  let bodies: BodyReader
  let version: String
  /// Returns why no model can run at all, or nil if no reason is known.
  let problem: @Sendable () -> String?
  let health: HealthRoutes<WebError>
  let tensors: TensorBodies
  /// The maximum size of a request with tensors in bytes, or nil to derive it from the model.
  let requestLimit: Int?
  let statistics = InferenceStatistics()

  func add(to group: RouterGroup<WebContext>) {
    group.get("") { _, _ in server }
    Self.addHealth(to: group, health)
    group.post("repository/index") { request, _ in try await index(request) }
    group.get("models/stats") { _, _ in statistics(of: catalogue.models) }
    for path in ["models/:id", "models/:id/versions/:version"] {
      group.get(RouterPath(path)) { _, context in try await metadata(context) }
      group.get(RouterPath(path + "/ready")) { _, context in
        _ = try await model(context)
        return Response(status: .ok)
      }
      group.get(RouterPath(path + "/config")) { _, context in try await configuration(context) }
      group.get(RouterPath(path + "/stats")) { _, context in
        statistics(of: [try known(context)])
      }
      group.post(RouterPath(path + "/infer")) { request, context in
        try await infer(request, context)
      }
    }
  }

  private var server: JSONObject {
    // The list doesn't have 'model_repository', because models are listed but can't be loaded and
    // unloaded.
    [
      "name": "tensorio", "version": version,
      "extensions": [
        "binary_tensor_data", "classification", "model_configuration", "statistics",
      ],
    ]
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
    let models = try await queue.run { () throws -> [(model: ServedModel, problem: String?)] in
      try catalogue.rescan()
      let general = problem()
      return catalogue.models.map { model in
        (model, (model.isOfLiteRT ? general : nil) ?? model.problem)
      }
    }
    return try .json(
      models.filter { !onlyReady || $0.problem == nil }.map { model, problem in
        [
          "name": model.id, "version": model.bundle.manifest.version,
          "state": problem == nil ? "READY" : "UNAVAILABLE", "reason": problem ?? "",
        ]
      })
  }

  private func metadata(_ context: WebContext) async throws -> JSONObject {
    let model = try await model(context)
    let signature = try model.loadSignature()
    func tensors(_ specs: [TensorSpec]) -> [JSONObject] {
      specs.map {
        ["name": $0.name, "datatype": $0.wireType.wireName, "shape": $0.wireShape]
      }
    }
    return [
      "name": model.bundle.manifest.id, "versions": [model.bundle.manifest.version],
      "platform": model.bundle.backendName ?? "", "inputs": tensors(signature.inputs),
      "outputs": tensors(signature.outputs),
    ]
  }

  private func configuration(_ context: WebContext) async throws -> JSONObject {
    let model = try await model(context)
    let signature = try model.loadSignature()
    func tensors(_ specs: [TensorSpec]) -> [JSONObject] {
      specs.map { spec in
        let type = spec.wireType == .string ? "STRING" : spec.wireType.wireName
        return ["name": spec.name, "data_type": "TYPE_" + type, "dims": spec.wireShape]
      }
    }
    let backend = model.bundle.backendName ?? ""
    return [
      "name": model.bundle.manifest.id, "platform": backend, "backend": backend,
      "max_batch_size": 0, "input": tensors(signature.inputs),
      "output": tensors(signature.outputs),
    ]
  }

  private func statistics(of models: [ServedModel]) -> JSONObject {
    [
      "model_stats": models.map {
        statistics.json(of: $0.id, version: $0.bundle.manifest.version)
      }
    ]
  }

  /// Returns the model that a request's path names.
  private func known(_ context: WebContext) throws -> ServedModel {
    let model = try catalogue.model(context.modelID())
    let version = model.bundle.manifest.version
    let wanted = context.parameters.get("version")?.removingPercentEncoding
    guard wanted == nil || wanted == version else {
      throw WebError(
        status: .notFound, code: "version_not_found",
        message: "'\(model.id)' only has the version '\(version)'.")
    }
    return model
  }

  private func model(_ context: WebContext) async throws -> InferenceModel {
    let model = try known(context)
    return try await queue.run { try catalogue.inferenceModel(of: model) }
  }

  // MARK: - Runs

  private func infer(_ request: Request, _ context: WebContext) async throws -> Response {
    let model = try await model(context)
    let id = model.bundle.manifest.id
    let length = try Self.headerLength.flatMap { request.headers[$0] }.map { text in
      guard let length = Int(text), length >= 0 else {
        throw WebError.badRequest("Inference-Header-Content-Length must be a number of bytes.")
      }
      return length
    }
    let limits = TensorLimits(id, try model.loadSignature().inputs, limit: requestLimit)
    let clock = ContinuousClock()
    let start = clock.now
    do {
      let response = try await tensors.withBody(of: request, limits, hasBinary: length != nil) {
        let call = try InferenceCall($0, headerLength: length)
        return try InferenceReply(call, model.run(call.values(for: model)), model).response()
      }
      statistics.add(id, clock.now - start, isSuccess: true)
      return response
    } catch {
      statistics.add(id, clock.now - start, isSuccess: false)
      throw error
    }
  }
}

extension InferenceCall {
  fileprivate func values(for model: InferenceModel) throws -> ModelInputs {
    let signature = try model.loadSignature()
    var values: [String: any TensorEncodable] = [:]
    for tensor in inputs {
      guard let spec = signature.input(named: tensor.name) else {
        throw WebError.badRequest(
          "The model has no input '\(tensor.name)'. Its inputs are "
            + signature.inputs.map { "'\($0.name)'" }.joined(separator: ", ") + ".")
      }
      values[tensor.name] = try tensor.value(for: spec, InferenceRunner.decoder)
    }
    return ModelInputs(values)
  }
}

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
    var last = 0
  }

  private let models = Mutex<[String: Model]>([:])

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
      "inference_count": model.success.count, "execution_count": model.success.count,
      "inference_stats": ["success": model.success.json, "fail": model.failure.json],
      "batch_stats": [String](),
    ]
  }
}
#endif
