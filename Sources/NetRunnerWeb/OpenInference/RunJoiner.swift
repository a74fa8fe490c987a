// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Synchronization
import TensorIO

/// Joins the items of requests that wait for the same model into runs of several items.
///
/// A model that declares a batch axis promises that items don't affect each other, so the results
/// are those of single runs. While all threads are busy, requests wait, and the next free thread
/// takes as many of them as fit into a run. An idle server therefore joins nothing and delays
/// nothing, unless it is told to wait.
final class RunJoiner: Sendable {
  /// The results of a request's items, and when their run began and ended.
  struct Run: Sendable {
    let outputs: [ModelOutputs]
    let begin: ContinuousClock.Instant
    let end: ContinuousClock.Instant
  }

  private struct Request: Sendable {
    let id: UInt64
    let items: [ModelInputs]
    /// Ends the request's run if nobody needs its result any longer.
    let token: CancellationToken
    let finish: @Sendable (Result<Run, any Error>) -> Void
  }

  /// The maximum number of items in a run; with 1, every request runs alone.
  private let limit: Int
  /// How long a request waits for others before it runs.
  private let delay: Duration
  /// The requests that wait for each model, by the model's identity.
  private let waiting = Mutex<[ObjectIdentifier: [Request]]>([:])
  private let lastID = Atomic<UInt64>(0)

  /// - Parameters:
  ///   - limit: The maximum number of items in a run.
  ///   - delay: How long a request waits for others before it runs.
  init(limit: Int, delay: Duration) {
    self.limit = limit
    self.delay = delay
  }

  /// Whether requests are joined.
  var isOn: Bool { limit > 1 }

  /// The number of requests that wait for a thread, or for others.
  var waitingCount: Int { waiting.withLock { $0.values.reduce(0) { $0 + $1.count } } }

  /// Runs items, perhaps together with those of other requests.
  ///
  /// - Parameters:
  ///   - items: The items of one request, which stay together.
  ///   - model: A model that declares a batch axis.
  ///   - queue: The threads that run the model.
  ///   - deadline: When the request is refused if it still waits, and its run ended if it has one of
  ///     its own.
  ///   - reply: Makes the response, on the thread that ran the model.
  ///   - counting: Gets the number of items of each run that succeeded.
  /// - Returns: The response.
  /// - Throws: What `reply` throws, the model's errors, and ``WebError/tooBusy``.
  func run<Reply: Sendable>(
    _ items: [ModelInputs], of model: InferenceModel, on queue: WorkQueue,
    deadline: ContinuousClock.Instant?,
    reply: @escaping @Sendable (Run) throws -> Reply,
    counting: @escaping @Sendable (Int) -> Void
  ) async throws -> Reply {
    let id = lastID.wrappingAdd(1, ordering: .relaxed).newValue
    let key = ObjectIdentifier(model)
    let token = CancellationToken(deadline: deadline)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let request = Request(id: id, items: items, token: token) { run in
          continuation.resume(with: Result { try reply(run.get()) })
        }
        let count = waiting.withLock { waiting in
          waiting[key, default: []].append(request)
          return waiting[key]?.reduce(0) { $0 + $1.items.count } ?? 0
        }
        // The task may have been cancelled before the request could be found.
        if Task.isCancelled { take(id, from: key)?.finish(.failure(CancellationError())) }
        if delay == .zero || count >= limit {
          submit(id, model, queue, counting)
        } else {
          Task {
            try await Task.sleep(for: delay)
            submit(id, model, queue, counting)
          }
        }
      }
    } onCancel: {
      token.cancel()
      take(id, from: key)?.finish(.failure(CancellationError()))
    }
  }

  /// Asks for a thread, which takes the request with the given identifier, and others.
  private func submit(
    _ id: UInt64, _ model: InferenceModel, _ queue: WorkQueue,
    _ count: @escaping @Sendable (Int) -> Void
  ) {
    let isAccepted = queue.submit {
      self.runNext(of: model, count)
      return {}
    }
    if !isAccepted { take(id, from: ObjectIdentifier(model))?.finish(.failure(WebError.tooBusy)) }
  }

  private func take(_ id: UInt64, from key: ObjectIdentifier) -> Request? {
    waiting.withLock { waiting in
      guard let index = waiting[key]?.firstIndex(where: { $0.id == id }) else { return nil }
      defer { if waiting[key]?.isEmpty == true { waiting[key] = nil } }
      return waiting[key]?.remove(at: index)
    }
  }

  /// Takes the requests that fit into a run, the longest waiting ones first.
  private func takeNext(from key: ObjectIdentifier) -> [Request] {
    waiting.withLock { waiting in
      guard let all = waiting[key] else { return [] }
      var (count, items) = (0, 0)
      while count < all.count, count == 0 || items + all[count].items.count <= limit {
        items += all[count].items.count
        count += 1
      }
      waiting[key] = count < all.count ? Array(all.dropFirst(count)) : nil
      return Array(all.prefix(count))
    }
  }

  /// Runs the next requests, of which there may be none because another thread took them.
  private func runNext(of model: InferenceModel, _ count: (Int) -> Void) {
    var requests: [Request] = []
    for request in takeNext(from: ObjectIdentifier(model)) {
      if request.token.isExpired {
        request.finish(.failure(WebError.deadlineExceeded))
      } else if request.token.isCancelled {
        request.finish(.failure(CancellationError()))
      } else {
        requests.append(request)
      }
    }
    guard let first = requests.first else { return }
    guard requests.count > 1 else {
      return first.finish(Result { try Self.run(first, of: model, count) })
    }
    let items = requests.flatMap(\.items)
    do {
      let begin = ContinuousClock.now
      var outputs = try model.run(batch: items)[...]
      let end = ContinuousClock.now
      count(items.count)
      for request in requests {
        let own = Array(outputs.prefix(request.items.count))
        request.finish(.success(Run(outputs: own, begin: begin, end: end)))
        outputs = outputs.dropFirst(request.items.count)
      }
    } catch {
      // One request's values must not fail the others, so each gets its own result or error.
      for request in requests {
        request.finish(Result { try Self.run(request, of: model, count) })
      }
    }
  }

  private static func run(
    _ request: Request, of model: InferenceModel, _ count: (Int) -> Void
  ) throws -> Run {
    let begin = ContinuousClock.now
    let outputs = try model.run(batch: request.items, until: request.token)
    let end = ContinuousClock.now
    count(request.items.count)
    return Run(outputs: outputs, begin: begin, end: end)
  }
}
#endif
