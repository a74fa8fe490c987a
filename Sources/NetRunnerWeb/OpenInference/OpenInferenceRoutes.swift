// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import TensorIO
import TensorIOImageCodecs

/// Routes of the Open Inference Protocol, version 2, so that clients of other servers can run
/// bundles.
struct OpenInferenceRoutes: Sendable {
  let catalogue: ModelCatalogue
  let queue: WorkQueue
  let bodies: BodyReader
  let version: String
  /// Returns why no model can run at all, or nil if no reason is known.
  let problem: @Sendable () -> String?
  let tensors: TensorBodies
  /// The maximum size of a request with tensors in bytes, or nil to derive it from the model.
  let requestLimit: Int?
  let statistics = InferenceStatistics()

  private static let headerLength = HTTPField.Name("Inference-Header-Content-Length")

  func add(to group: RouterGroup<WebContext>) {
    group.get("") { _, _ in try server() }
    group.get("health/live") { _, _ in Response(status: .ok) }
    group.get("health/ready") { _, _ in try await ready() }
    group.post("repository/index") { request, _ in try await index(request) }
    group.get("models/stats") { _, _ in try statistics(catalogue.models) }
    for path in ["models/:id", "models/:id/versions/:version"] {
      group.get(RouterPath(path)) { _, context in try await metadata(context) }
      group.get(RouterPath(path + "/ready")) { _, context in
        _ = try await model(context)
        return Response(status: .ok)
      }
      group.get(RouterPath(path + "/config")) { _, context in try await configuration(context) }
      group.get(RouterPath(path + "/stats")) { _, context in
        try statistics([known(context)])
      }
      group.post(RouterPath(path + "/infer")) { request, context in
        try await infer(request, context)
      }
    }
  }

  private func server() throws -> Response {
    // The list doesn't have 'model_repository', because models are listed but can't be loaded and
    // unloaded.
    try .json(
      .object([
        "name": .string("tensorio"), "version": .string(version),
        "extensions": .array(
          ["binary_tensor_data", "classification", "model_configuration", "statistics"]
            .map { .string($0) }),
      ]))
  }

  private func ready() async throws -> Response {
    let problem = problem
    if let reason = try await queue.run({ problem() }) {
      throw WebError(
        status: .serviceUnavailable, code: "library_missing", message: reason)
    }
    return Response(status: .ok)
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
    let models = try await queue.run { () throws -> [(model: VisionModel, problem: String?)] in
      try catalogue.rescan()
      let general = problem()
      return catalogue.models.map { model in
        (model, (model.isOfLiteRT ? general : nil) ?? model.problem)
      }
    }
    return try .json(
      .array(
        models.filter { !onlyReady || $0.problem == nil }.map { model, problem in
          .object([
            "name": .string(model.id), "version": .string(model.bundle.manifest.version),
            "state": .string(problem == nil ? "READY" : "UNAVAILABLE"),
            "reason": .string(problem ?? ""),
          ])
        }))
  }

  private func metadata(_ context: WebContext) async throws -> Response {
    let model = try await model(context)
    let signature = try model.loadSignature()
    func tensors(_ specs: [TensorSpec]) -> JSONValue {
      .array(
        specs.map { spec in
          .object([
            "name": .string(spec.name), "datatype": .string(spec.wireType.rawValue),
            "shape": .array(spec.wireShape.map(JSONValue.count)),
          ])
        })
    }
    return try .json(
      .object([
        "name": .string(model.bundle.manifest.id),
        "versions": .array([.string(model.bundle.manifest.version)]),
        "platform": .string(model.bundle.backendName ?? ""),
        "inputs": tensors(signature.inputs), "outputs": tensors(signature.outputs),
      ]))
  }

  private func configuration(_ context: WebContext) async throws -> Response {
    let model = try await model(context)
    let signature = try model.loadSignature()
    func tensors(_ specs: [TensorSpec]) -> JSONValue {
      .array(
        specs.map { spec in
          let type = spec.wireType == .bytes ? "STRING" : spec.wireType.rawValue
          return .object([
            "name": .string(spec.name), "data_type": .string("TYPE_" + type),
            "dims": .array(spec.wireShape.map(JSONValue.count)),
          ])
        })
    }
    let backend = model.bundle.backendName ?? ""
    return try .json(
      .object([
        "name": .string(model.bundle.manifest.id), "platform": .string(backend),
        "backend": .string(backend), "max_batch_size": .count(0),
        "input": tensors(signature.inputs), "output": tensors(signature.outputs),
      ]))
  }

  private func statistics(_ models: [VisionModel]) throws -> Response {
    try .json(
      .object([
        "model_stats": .array(
          models.map { statistics.json(of: $0.id, version: $0.bundle.manifest.version) })
      ]))
  }

  /// Returns the model that a request's path names.
  private func known(_ context: WebContext) throws -> VisionModel {
    let model = try catalogue.model(context.model())
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
  /// Returns the values of the inputs.
  ///
  /// - Throws: ``WebError`` if the model doesn't have one of the inputs.
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
#endif
