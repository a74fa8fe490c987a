// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import Hummingbird
import NetRunner
import TensorIO
import WebServing
import TensorIOImageCodecs

/// Routes that evaluate models on many images and return the results.
struct EvaluationRoutes: Sendable {
  private static let decoder = ImageDecoder(
    limits: ImageDecoder.Limits(maximumPixels: 64_000_000, maximumFileBytes: 128 << 20))

  let options: NetRunnerOptions
  let catalogue: ModelCatalogue
  let locations: DatasetLocations
  let evaluations: EvaluationStore
  let queue: WorkQueue
  let bodies: BodyReader

  func add(to group: RouterGroup<WebContext>) {
    group.post("evaluations") { request, _ in try await start(request) }
    group.get("evaluations") { _, _ -> JSONObject in
      ["evaluations": evaluations.all.map(\.json)]
    }
    group.get("evaluations/:id") { _, context in try details(context.evaluation) }
    group.post("evaluations/:id/cancel") { _, context in
      try evaluations.cancel(context.evaluation)
      return Response(status: .noContent)
    }
    group.delete("evaluations/:id") { _, context in
      try evaluations.delete(context.evaluation)
      return Response(status: .noContent)
    }
    group.get("evaluations/:id/rows") { request, context in
      try await rows(context.evaluation, RowSelection(Query(request)))
    }
    group.get("evaluations/:id/pictures/:index") { request, context in
      try await image(
        context.evaluation, context.parameters.get("index") ?? "", Query(request))
    }
    group.get("evaluations/:id/latencies") { request, context in
      try await latencies(context.evaluation, Query(request).text("model"))
    }
    group.get("evaluations/:id/photos/:index") { _, context in
      try await photo(context.evaluation, context.parameters.get("index") ?? "")
    }
    group.get("evaluations/:id/export") { request, context in
      try await export(context.evaluation, Query(request).choice("format") ?? .json)
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
    return try .json(["evaluation": job.json], status: .accepted)
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
    settings.shownPath = location.confinedFolder.shown
    settings.iterations =
      request.iterations
      ?? min(dataset.iterations ?? 1, EvaluationRequest.maximumIterations)
    settings.threads = request.threads ?? options.threads
    // Rows stay in memory, so they don't keep the thousands of numbers that some models return.
    settings.kept = .top(dataset.layout == .testBundle ? 1000 : 5)
    settings.drawsAllRows = true
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

  private func details(_ id: String) throws -> JSONObject {
    let job = try evaluations.job(id)
    return ["evaluation": job.json, "report": job.withState { $0.document }]
  }

  private func rows(_ id: String, _ selection: RowSelection) async throws -> Response {
    let job = try evaluations.job(id)
    return try await queue.run {
      let (rows, drawings) = job.withState { ($0.rows, $0.drawings) }
      return try .json(selection.page(of: rows, drawings))
    }
  }

  private func latencies(_ id: String, _ model: String?) async throws -> Response {
    let job = try evaluations.job(id)
    return try await queue.run {
      let rows = job.withState { $0.rows }
      return try .json(
        [
          "total_us": rows.compactMap { row in
            model == nil || row.model == model ? row.evaluation?.microseconds : nil
          }
        ] as JSONObject)
    }
  }

  private func photo(_ id: String, _ index: String) async throws -> Response {
    let job = try evaluations.job(id)
    return try await queue.run { try .json(job.photo(at: Int(index) ?? -1)) }
  }

  private func image(_ id: String, _ index: String, _ query: Query) async throws -> Response {
    let job = try evaluations.job(id)
    let size = try query.integer("size", in: 32...1024) ?? 256
    if case .upload(let upload) = job.request.source { locations.uploads.touch(upload) }
    return try await queue.run {
      let path = try job.image(at: Int(index) ?? -1)
      do {
        let image =
          try ReportImages.drawing(ofFile: path)
          ?? Self.decoder.thumbnail(contentsOf: path, side: size)
        return .data(
          try ImageEncoder().encode(image, as: .jpeg(quality: 85)), type: "image/jpeg",
          headers: [.cacheControl: "private, max-age=300"])
      } catch let error as TensorIOError {
        throw error.about(path).naming(job.location.confinedFolder.shown)
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

extension EvaluationRecord {
  /// The whole time in microseconds.
  fileprivate var microseconds: Int? { Int(exactly: (total * 1000).rounded()) }
}

extension WebContext {
  fileprivate var evaluation: String { parameters.get("id") ?? "" }
}

/// The formats in which a report can be downloaded.
enum EvaluationExport: String, Sendable, CaseIterable {
  /// The JSON report that `tensorio evaluate` writes.
  case json
  case csv
  /// A web page for people.
  case html
  /// Net Runner's original export format.
  case netRunner = "netrunner"

  /// Makes the download, blocking the calling thread.
  func response(_ report: EvaluationReport, of dataset: Dataset) throws -> Response {
    let (text, type, ending) =
      switch self {
      case .json: (try report.json(), "application/json", ".json")
      case .csv: (report.csv(), "text/csv; charset=utf-8", ".csv")
      case .html:
        (
          try HTMLReport(report, images: ReportImages(dataset)).text(),
          "text/html; charset=utf-8", ".html"
        )
      case .netRunner: (try report.netRunnerJSON(), "application/json", "-netrunner.json")
      }
    let name = "\(report.dataset.name.downloadName)-evaluation"
    return .download(text.utf8, type: type, name: name + ending)
  }
}
#endif
