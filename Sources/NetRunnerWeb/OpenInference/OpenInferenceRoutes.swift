// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import TensorIO
import TensorIOImageCodecs

/// The Open Inference Protocol, version 2, so that clients of other servers can call any bundle.
struct OpenInferenceRoutes: Sendable {
  let catalogue: ModelCatalogue
  let queue: WorkQueue
  let bodies: BodyReader
  let version: String

  /// What a request's tensors may have.
  private static let maximumBytes = 256 << 20

  private static let headerLength = HTTPField.Name("Inference-Header-Content-Length")

  func add(to group: RouterGroup<WebContext>) {
    group.get("") { _, _ in try server() }
    group.get("health/live") { _, _ in Response(status: .ok) }
    group.get("health/ready") { _, _ in Response(status: .ok) }
    group.post("repository/index") { _, _ in try await index() }
    for path in ["models/:id", "models/:id/versions/:version"] {
      group.get(RouterPath(path)) { _, context in try await metadata(context) }
      group.get(RouterPath(path + "/ready")) { _, context in
        _ = try await model(context)
        return Response(status: .ok)
      }
      group.post(RouterPath(path + "/infer")) { request, context in
        try await infer(request, context)
      }
    }
  }

  private func server() throws -> Response {
    try .json(
      .object([
        "name": .string("tensorio"), "version": .string(version),
        "extensions": .array([
          .string("binary_tensor_data"), .string("classification"), .string("model_repository"),
        ]),
      ]))
  }

  private func index() async throws -> Response {
    let models = try await queue.run { () throws -> [VisionModel] in
      try catalogue.rescan()
      return catalogue.models
    }
    return try .json(
      .array(
        models.map {
          .object([
            "name": .string($0.id), "version": .string($0.bundle.manifest.version),
            "state": .string("READY"), "reason": .string(""),
          ])
        }))
  }

  private func metadata(_ context: WebContext) async throws -> Response {
    let model = try await model(context)
    let signature = try model.signature
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

  private func model(_ context: WebContext) async throws -> InferenceModel {
    let id = try context.model()
    let model = try await queue.run { try catalogue.inferenceModel(id) }
    let wanted = context.parameters.get("version")
    guard wanted == nil || wanted == model.bundle.manifest.version else {
      throw WebError(
        status: .notFound, code: "version_not_found",
        message: "'\(id)' has the version '\(model.bundle.manifest.version)' only.")
    }
    return model
  }

  private func infer(_ request: Request, _ context: WebContext) async throws -> Response {
    let model = try await model(context)
    let length = try Self.headerLength.flatMap { request.headers[$0] }.map { text in
      guard let length = Int(text), length >= 0 else {
        throw WebError.badRequest("Inference-Header-Content-Length must be a number of bytes.")
      }
      return length
    }
    return try await bodies.withBody(of: request, limit: Self.maximumBytes, as: "The request") {
      body in
      try await queue.run {
        let call = try InferenceCall(body, headerLength: length)
        return try InferenceReply(call, model.run(call.values(for: model)), model).response()
      }
    }
  }
}

extension InferenceCall {
  /// The inputs' values.
  ///
  /// - Throws: ``WebError`` for an input that the model does not have.
  fileprivate func values(for model: InferenceModel) throws -> ModelInputs {
    let signature = try model.signature
    var values: [String: any TensorEncodable] = [:]
    for tensor in inputs {
      guard let spec = signature.input(named: tensor.name) else {
        throw WebError.badRequest(
          "The model has no input '\(tensor.name)'; its inputs are "
            + signature.inputs.map { "'\($0.name)'" }.joined(separator: ", ") + ".")
      }
      values[tensor.name] = try tensor.value(for: spec, InferenceRunner.decoder)
    }
    return ModelInputs(values)
  }
}
