// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import HTTPTypes
import Synchronization
import TensorIO
import WebServing

/// The Open Inference Protocol, version 2, without HTTP or gRPC, which both use this type.
struct OpenInferenceService: Sendable {
  let catalogue: ModelCatalogue
  /// The threads for images, which also list models.
  let queue: WorkQueue
  let version: String
  /// Returns why no model of LiteRT can run at all, or nil if no reason is known.
  let problem: @Sendable () -> String?
  let readiness: Readiness
  let tensors: TensorBodies
  /// The maximum size of a request with tensors in bytes, or nil to derive it from the model.
  let requestLimit: Int?
  let joiner: RunJoiner
  let statistics = InferenceStatistics()

  let name = "tensorio"
  static let extensions = [
    "binary_tensor_data", "classification", "model_configuration", "model_repository", "statistics",
  ]

  /// The number of runs that wait for a thread, for memory, or for others to run with.
  var waitingCount: Int { queue.waitingCount + tensors.waitingCount + joiner.waitingCount }

  // MARK: - Models

  /// Returns the models, each with the reason why it can't run.
  func index(onlyReady: Bool) async throws -> [(model: ServedModel, problem: String?)] {
    let models = try await queue.run { () throws -> [(model: ServedModel, problem: String?)] in
      try catalogue.rescan()
      let general = problem()
      return catalogue.models.map { model in
        (model, (model.isOfLiteRT ? general : nil) ?? model.problem)
      }
    }
    return onlyReady ? models.filter { $0.problem == nil } : models
  }

  /// Finds a model; an empty version stands for the only one.
  func find(_ id: String, version wanted: String) throws -> ServedModel {
    let model = try catalogue.model(id)
    let version = model.bundle.manifest.version
    guard wanted.isEmpty || wanted == version else {
      throw WebError(
        status: .notFound, code: "version_not_found",
        message: "'\(model.id)' only has the version '\(version)'.")
    }
    return model
  }

  /// Finds a model, and loads it if it isn't loaded.
  func model(_ id: String, version: String) async throws -> InferenceModel {
    try await catalogue.inferenceModel(of: find(id, version: version))
  }

  /// Loads a model, which may have been unloaded, changed, or added to the folder.
  func load(_ id: String) async throws {
    let model = try await queue.run { () throws -> ServedModel in
      try catalogue.rescan()
      return try catalogue.model(id)
    }
    model.loaded.allowLoading()
    _ = try await catalogue.inferenceModel(of: model)
  }

  /// Frees a model's memory, and refuses runs until it is loaded again.
  func unload(_ id: String) async throws {
    try await queue.run { try catalogue.model(id).loaded.unload() }
  }

  /// The shape of a model's tensor, in which -1 is the axis of the items that run together.
  static func shape(of spec: TensorSpec, in model: InferenceModel) throws -> [Int] {
    let shape = spec.wireShape
    guard shape.count > 1, shape[0] == 1, try model.takesBatches() else { return shape }
    return [-1] + shape.dropFirst()
  }

  // MARK: - Runs

  /// Runs a request's items, and counts the request.
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - queue: The threads that read the request, run the model and make the response.
  ///   - deadline: When nobody needs the result any longer.
  ///   - read: Reads the request.
  ///   - reply: Makes the response.
  /// - Returns: The response.
  /// - Throws: What `read` and `reply` throw, the model's errors, and ``WebError/tooBusy``.
  func run<Reply: Sendable>(
    _ model: InferenceModel, on queue: WorkQueue, deadline: ContinuousClock.Instant? = nil,
    read: @escaping @Sendable () throws -> InferenceCall,
    reply: @escaping @Sendable (InferenceReply) throws -> Reply
  ) async throws -> Reply {
    let work = Work(model: model, queue: queue, deadline: deadline, read: read, reply: reply)
    do {
      let (result, stages) =
        if joiner.isOn, try model.runsItemsTogether() {
          try await runJoined(work)
        } else {
          try await runAlone(work)
        }
      statistics.add(work.id, ContinuousClock.now - work.start, stages)
      return result
    } catch {
      statistics.addFailure(work.id, ContinuousClock.now - work.start)
      throw error
    }
  }

  /// What a request wants: its model, when it came, and how it is read and answered.
  private struct Work<Reply: Sendable>: Sendable {
    let model: InferenceModel
    let queue: WorkQueue
    let deadline: ContinuousClock.Instant?
    let start = ContinuousClock.now
    let read: @Sendable () throws -> InferenceCall
    let reply: @Sendable (InferenceReply) throws -> Reply

    var id: String { model.bundle.manifest.id }
  }

  private func runJoined<Reply: Sendable>(
    _ work: Work<Reply>
  ) async throws -> (Reply, RequestStages) {
    let (call, items, begin, end) = try await work.queue.run {
      let begin = ContinuousClock.now
      let call = try work.read()
      return (call, try call.items(for: work.model), begin, ContinuousClock.now)
    }
    return try await joiner.run(
      items, of: work.model, on: work.queue, deadline: work.deadline
    ) { run in
      let outputBegin = ContinuousClock.now
      let result = try work.reply(InferenceReply(call, run.outputs, work.model))
      return (
        result,
        RequestStages(
          queue: (begin - work.start) + (run.begin - end), input: end - begin,
          inference: run.end - run.begin, output: ContinuousClock.now - outputBegin)
      )
    } counting: {
      statistics.addRun(work.id, items: $0)
    }
  }

  private func runAlone<Reply: Sendable>(
    _ work: Work<Reply>
  ) async throws -> (Reply, RequestStages) {
    try await work.queue.run(deadline: work.deadline) { token in
      let begin = ContinuousClock.now
      let call = try work.read()
      let items = try call.items(for: work.model)
      let runBegin = ContinuousClock.now
      let outputs = try items.map { item in
        try token.check()
        let output = try work.model.run(batch: [item], until: token)[0]
        statistics.addRun(work.id, items: 1)
        return output
      }
      let runEnd = ContinuousClock.now
      let result = try work.reply(InferenceReply(call, outputs, work.model))
      return (
        result,
        RequestStages(
          queue: begin - work.start, input: runBegin - begin, inference: runEnd - runBegin,
          output: ContinuousClock.now - runEnd)
      )
    }
  }
}
#endif
