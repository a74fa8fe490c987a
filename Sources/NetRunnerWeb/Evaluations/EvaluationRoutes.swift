// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import HTTPTypes
import Hummingbird
import NetRunner
import TensorIO
import WebServing
import TensorIOImageCodecs

/// Routes that evaluate models on many images and return the results.
struct EvaluationRoutes: Sendable {
  let options: NetRunnerOptions
  let catalogue: ModelCatalogue
  let locations: DatasetLocations
  let evaluations: EvaluationStore
  let queue: WorkQueue
  let bodies: BodyReader

  /// Decodes images to make thumbnails.
  private static let decoder = ImageDecoder(
    limits: ImageDecoder.Limits(maximumPixels: 64_000_000, maximumFileBytes: 128 << 20))

  func add(to group: RouterGroup<WebContext>) {
    group.post("evaluations") { request, _ in try await start(request) }
    group.get("evaluations") { _, _ in try list() }
    group.get("evaluations/:id") { _, context in try details(context.evaluation) }
    group.delete("evaluations/:id") { _, context in
      try evaluations.delete(context.evaluation)
      return Response(status: .noContent)
    }
    group.get("evaluations/:id/rows") { request, context in
      try await rows(context.evaluation, RowSelection(Query(request)))
    }
    group.get("evaluations/:id/pictures/:index") { request, context in
      try await picture(
        context.evaluation, context.parameters.get("index") ?? "", Query(request))
    }
    group.get("evaluations/:id/export") { request, context in
      try await export(context.evaluation, EvaluationExport(Query(request)))
    }
  }

  // MARK: - Beginning

  private func start(_ request: Request) async throws -> Response {
    let document = try await bodies.json(of: request)
    let processors = ProcessInfo.processInfo.activeProcessorCount
    let wanted = try EvaluationRequest(
      document, maximumThreads: max(options.threads, processors))
    let job = try await queue.run { try makeJob(for: wanted) }
    try evaluations.add(job)
    return try .json(.object(["evaluation": job.json]), status: .accepted)
  }

  private func makeJob(for request: EvaluationRequest) throws -> EvaluationJob {
    let bundles = try request.models.map { id in
      let model = try catalogue.model(id)
      if let reason = model.reason {
        throw WebError(
          status: .unprocessableContent, code: "model_cannot_run",
          message: "'\(model.bundle.manifest.name)' can't be evaluated. \(reason)")
      }
      return model.bundle
    }
    let location = try locations.location(of: request.source)
    let dataset = try location.dataset()
    var settings = EvaluationOptions()
    settings.registry = options.metrics
    settings.iterations =
      request.iterations
      ?? min(dataset.iterations ?? 1, EvaluationRequest.maximumIterations)
    settings.threads = request.threads ?? options.threads
    // Rows stay in memory, so they don't keep the thousands of numbers that some models return.
    settings.kept = .top(dataset.layout == .testBundle ? 1000 : 5)
    let run = try EvaluationRun(dataset, options: settings, limit: request.limit)
    let job = EvaluationJob(request, location: location, run: run, bundles: bundles)
    guard job.rowCount <= EvaluationStore.maximumRows else {
      throw WebError(
        status: .unprocessableContent, code: "too_many_pictures",
        message: "\(counted(run.dataset.samples.count, "image")) and "
          + "\(counted(bundles.count, "model")) make \(job.rowCount) rows, but an evaluation can "
          + "have at most \(EvaluationStore.maximumRows). Set a 'limit', or use "
          + "'tensorio evaluate'.")
    }
    return job
  }

  // MARK: - Looking

  private func list() throws -> Response {
    try .json(.object(["evaluations": .array(evaluations.all.map(\.json))]))
  }

  private func details(_ id: String) throws -> Response {
    let job = try evaluations.job(id)
    let report = job.withState { $0.document } ?? .null
    return try .json(.object(["evaluation": job.json, "report": report]))
  }

  private func rows(_ id: String, _ selection: RowSelection) async throws -> Response {
    let job = try evaluations.job(id)
    return try await queue.run {
      try .json(selection.page(of: job.withState { $0.rows }))
    }
  }

  private func picture(_ id: String, _ index: String, _ query: Query) async throws -> Response {
    let job = try evaluations.job(id)
    let size = try query.integer("size", in: 32...1024) ?? 256
    if case .upload(let upload) = job.request.source { locations.uploads.touch(upload) }
    return try await queue.run {
      do {
        let path = try job.picture(at: Int(index) ?? -1)
        let picture = try Self.decoder.thumbnail(contentsOf: path, side: size)
        return .data(
          try ImageEncoder().encode(picture, as: .jpeg(quality: 85)), type: "image/jpeg",
          headers: [.cacheControl: "private, max-age=300"])
      } catch var error as TensorIOError {
        error.message = job.cleaned(error.message)
        throw error
      }
    }
  }

  private func export(_ id: String, _ format: EvaluationExport) async throws -> Response {
    let job = try evaluations.job(id)
    guard let report = job.withState({ $0.report }) else {
      throw WebError(
        status: .conflict, code: "no_report",
        message: job.phase.hasEnded
          ? "The evaluation ended without a report."
          : "The evaluation isn't done yet. Wait until it ends.")
    }
    return try await queue.run { try format.response(report, of: job.run.dataset) }
  }
}

extension WebContext {
  /// The evaluation's identifier in the path.
  fileprivate var evaluation: String { parameters.get("id") ?? "" }
}
#endif
