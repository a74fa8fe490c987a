// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Hummingbird
import TensorIO
import WebServing

/// Routes that read, try out and replace the descriptions of models, that read their graphs, and that
/// measure their operators.
struct DescriptionRoutes: Sendable {
  let runner: InferenceRunner
  let imports: ModelImports
  let drafts: ModelDrafts
  let bodies: BodyReader
  let inference: InferenceRequests
  let readGraph: (@Sendable (_ model: String) throws -> [UInt8])?
  let measureOperators: (@Sendable (_ model: String) throws -> [UInt8])?

  /// Measures one model at a time, because others would slow it down.
  private let measurements = WorkQueue(threads: 1, limit: 0)

  func add(to group: RouterGroup<WebContext>) {
    group.get("models/:id/graph") { _, context in
      try await document(of: context.modelID(), from: readGraph, on: runner.queue)
    }
    group.post("models/:id/profile") { _, context in
      do {
        return try await document(of: context.modelID(), from: measureOperators, on: measurements)
      } catch let error as WebError where error == .tooBusy {
        throw Self.isMeasuring
      }
    }
    group.get("models/:id/description") { _, context in
      let model = try runner.catalogue.model(context.modelID())
      return try await runner.queue.run { try ModelDescription.json(of: model.bundle) }
    }
    group.put("models/:id/description") { request, context in
      try await save(context.modelID(), request)
    }
    group.post("models/:id/drafts") { request, context in
      try await addDraft(context.modelID(), request)
    }
    group.delete("models/:id/drafts/:draft") { _, context in
      try drafts.remove(context.parameters.require("draft"), of: context.modelID())
      return Response(status: .noContent)
    }
    group.post("models/:id/drafts/:draft/infer") { request, context in
      var options = try InferenceOptions(Query(request))
      // Drafts have no live sources.
      options.source = nil
      let draft = try drafts.draft(context.parameters.require("draft"), of: context.modelID())
      return try await inference.run(draft.model, on: request, context, options)
    }
  }

  /// Returns a model whose description can be changed, and the description that a client sent.
  private func change(
    _ id: String, _ request: Request
  ) async throws -> (ServedModel, ModelDescription) {
    let model = try runner.catalogue.model(id)
    guard !model.isShipped else {
      throw WebError(
        status: .forbidden, code: "model_is_shipped",
        message: "'\(model.bundle.manifest.name)' came with the program and can't be changed.",
        endsConnection: true)
    }
    let body = try await bodies.json(of: request, limit: ModelDescription.maximumBytes)
    return (model, try ModelDescription(body))
  }

  private func save(_ id: String, _ request: Request) async throws -> JSONObject {
    let (model, description) = try await change(id, request)
    do {
      let saved = try await imports.save(description, of: model)
      return ["model": saved.json, "warnings": saved.bundle.warnings.map(\.json)]
    } catch let error as ImportError {
      throw WebError(error)
    }
  }

  private func addDraft(_ id: String, _ request: Request) async throws -> Response {
    let (model, description) = try await change(id, request)
    do {
      let draft = try await drafts.add(description, of: model, on: runner.queue)
      let details: JSONObject
      do {
        details = try await runner.queue.run { try draft.model.details() }
      } catch {
        // Nobody knows the draft, and it would take the place of another one.
        try drafts.remove(draft.id, of: id)
        throw error
      }
      let json: JSONObject = ["id": draft.id, "model": details]
      let answer: JSONObject = [
        "draft": json, "issues": draft.model.bundle.warnings.map(\.json),
      ]
      return try .json(answer, status: .created)
    } catch let error as WebError where !error.issues.isEmpty {
      // Problems are an answer here. With an error's status, browsers would report each of them while
      // people type.
      let answer: JSONObject = ["draft": JSONObject?.none, "issues": error.issues.map(\.json)]
      return try .json(answer)
    }
  }

  /// The error of a request while another model is measured.
  private static var isMeasuring: WebError {
    var error = WebError.tooBusy
    error.message = "The operators of a model are being measured. Try again in a few seconds."
    return error
  }

  /// Returns a document about the operators of a TensorFlow Lite model, which a closure makes.
  private func document(
    of id: String, from make: (@Sendable (_ model: String) throws -> [UInt8])?, on queue: WorkQueue
  ) async throws -> Response {
    let model = try runner.catalogue.model(id)
    guard let make, model.isOfLiteRT, let path = model.bundle.modelPath else {
      throw WebError(
        status: .unprocessableContent, code: "no_graph",
        message: "Only the graphs of TensorFlow Lite models can be shown.")
    }
    let bytes = try await queue.run {
      do {
        return try make(path)
      } catch let error as TensorIOError {
        throw error.about(path).naming { FileSystem.name(of: $0) }
      }
    }
    return .data(bytes, type: "application/json")
  }
}
#endif
