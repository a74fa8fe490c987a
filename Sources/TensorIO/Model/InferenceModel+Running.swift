// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

extension InferenceModel {
  public func run(_ inputs: ModelInputs) throws -> ModelOutputs { try runOnce(inputs, until: nil) }

  public func run(
    _ inputs: ModelInputs, deadline: ContinuousClock.Instant
  ) throws -> ModelOutputs {
    try runOnce(inputs, until: deadline)
  }

  public func run(_ inputs: ModelInputs) async throws -> ModelOutputs {
    try await runOnce(inputs, until: nil)
  }

  public func run(
    _ inputs: ModelInputs, deadline: ContinuousClock.Instant
  ) async throws -> ModelOutputs {
    try await runOnce(inputs, until: deadline)
  }

  /// Runs the model and measures how long each part of the run took.
  ///
  /// - Returns: The outputs, and the time for writing the inputs, running the model and reading the
  ///   outputs.
  public func measure(_ inputs: ModelInputs) throws -> (outputs: ModelOutputs, latency: RunLatency)
  {
    let request = request()
    let loaded = try loaded(for: request)
    guard let request else {
      return try lend(loaded.pool, to: nil) { try loaded.bound.measure(inputs, on: $0) }
    }
    return try lend(loaded.pool, to: request) { session in
      try loaded.bound.measure(inputs, on: session, for: request, until: nil)
    }
  }

  public func measure(
    _ inputs: ModelInputs
  ) async throws -> (outputs: ModelOutputs, latency: RunLatency) {
    let request = RunRequest(deadline: nil)
    let loaded = try await loaded(for: request)
    let stop = loaded.stop(for: request)
    return try await lend(loaded.pool, to: request) { session in
      try loaded.bound.measure(inputs, on: session, for: request, until: stop)
    }
  }

  /// Runs the model and measures the run, which ends when a token is cancelled or its deadline passes.
  ///
  /// - Throws: The errors of ``run(batch:until:)``.
  package func measure(
    _ inputs: ModelInputs, until token: CancellationToken?
  ) throws -> (outputs: ModelOutputs, latency: RunLatency) {
    guard let token else { return try measure(inputs) }
    let request = RunRequest(token: token)
    let loaded = try loaded(for: request)
    let stop = loaded.stop(for: request)
    return try lend(loaded.pool, to: request) { session in
      try loaded.bound.measure(inputs, on: session, for: request, until: stop)
    }
  }

  /// Runs the model on the parts of one sample, such as the windows of a recording, in order.
  ///
  /// A model that keeps state from run to run starts over before the first part, and no other run
  /// comes between the parts. Variables that are trained are kept.
  ///
  /// - Parameters:
  ///   - parts: The inputs of each run.
  ///   - token: Ends the runs when it is cancelled or its deadline passes.
  ///   - body: Takes the outputs and the latencies of each run.
  /// - Throws: ``TensorIOError`` when the model can't be loaded or run, and what `body` throws.
  package func measure(
    parts: [ModelInputs], until token: CancellationToken? = nil,
    _ body: (ModelOutputs, RunLatency) throws -> Void
  ) throws {
    let loaded = try loaded()
    guard loaded.model.keepsState, !bundle.manifest.describesTraining else {
      for part in parts {
        let (outputs, latency) = try measure(part, until: token)
        try body(outputs, latency)
      }
      return
    }
    try lend(loaded.pool, to: nil) { session in
      try session.reset()
      for part in parts {
        if token?.isCancelled == true { throw CancellationError() }
        let (outputs, latency) = try loaded.bound.measure(part, on: session)
        try body(outputs, latency)
      }
    }
  }

  /// Runs the model on several items.
  ///
  /// If the model or its description declares a batch axis (-1), items that can be batched go
  /// through the model in runs of up to 64. Otherwise they run one by one. The results are the
  /// same, because declaring a batch axis promises that items do not affect each other.
  public func run(batch items: [ModelInputs]) throws -> [ModelOutputs] {
    let request = request()
    let loaded = try loaded(for: request, items: items.count)
    return try lend(loaded.pool, to: request, items: items.count) { session in
      try loaded.run(batch: items, on: session)
    }
  }

  /// Runs the model on several items, and ends the run when a token is cancelled or its deadline passes.
  ///
  /// The runs of a model that keeps state are only ended between two items.
  ///
  /// - Throws: ``TensorIOError`` with the code `.deadlineExceeded` if the deadline has passed, or with
  ///   `.cancelled` if the token was cancelled during a run; `CancellationError` if it was cancelled
  ///   between two; and the errors of other runs.
  package func run(
    batch items: [ModelInputs], until token: CancellationToken
  ) throws -> [ModelOutputs] {
    let request = RunRequest(token: token)
    let loaded = try loaded(for: request, items: items.count)
    let stop = loaded.stop(for: request)
    return try lend(loaded.pool, to: request, items: items.count) { session in
      try loaded.run(batch: items, on: session, until: stop)
    }
  }

  public func run(batch items: [ModelInputs]) async throws -> [ModelOutputs] {
    let request = RunRequest(deadline: nil)
    let loaded = try await loaded(for: request, items: items.count)
    let stop = loaded.stop(for: request)
    return try await lend(loaded.pool, to: request, items: items.count) { session in
      try loaded.run(batch: items, on: session, until: stop)
    }
  }

  /// Returns whether the model takes several items at once, which run together or one by one.
  ///
  /// - Throws: ``TensorIOError`` when the model can't be loaded.
  package func takesBatches() throws -> Bool { try loaded().takesBatches }

  /// Returns whether the model runs several items at once, which takes less time than single runs.
  ///
  /// - Throws: ``TensorIOError`` when the model can't be loaded.
  package func runsItemsTogether() throws -> Bool { try loaded().runsItemsTogether }

  // MARK: - One run

  private func runOnce(
    _ inputs: ModelInputs, until deadline: ContinuousClock.Instant?
  ) throws -> ModelOutputs {
    let request = request(until: deadline)
    let loaded = try loaded(for: request)
    guard let request else {
      return try lend(loaded.pool, to: nil) { try loaded.bound.run(inputs, on: $0) }
    }
    let stop = deadline == nil ? nil : loaded.stop(for: request)
    let inputs = loader.observer == nil ? inputs : request.timing(inputs)
    return try lend(loaded.pool, to: request) { session in
      try loaded.bound.run(inputs, on: session, for: request, until: stop)
    }
  }

  private func runOnce(
    _ inputs: ModelInputs, until deadline: ContinuousClock.Instant?
  ) async throws -> ModelOutputs {
    let request = RunRequest(deadline: deadline)
    let loaded = try await loaded(for: request)
    let stop = loaded.stop(for: request)
    let inputs = loader.observer == nil ? inputs : request.timing(inputs)
    return try await lend(loaded.pool, to: request) { session in
      try loaded.bound.run(inputs, on: session, for: request, until: stop)
    }
  }

  /// Returns what a blocking run needs; nil if it has no deadline and nobody observes it.
  @inline(__always)
  private func request(until deadline: ContinuousClock.Instant? = nil) -> RunRequest? {
    deadline == nil && loader.observer == nil ? nil : RunRequest(deadline: deadline)
  }

  // MARK: - Sessions

  /// Calls a closure with a session, counts the run, and tells the observer about it.
  @inline(__always)
  func lend<Result>(
    _ pool: SessionPool, to request: RunRequest?, items: Int = 1,
    _ body: (any Session) throws -> Result
  ) throws -> Result {
    var hasFailed = false
    // The result isn't kept in a variable, because copying outputs takes longer than all of this.
    defer { if !hasFailed { succeeded(request, items) } }
    do {
      guard let request else { return try pool.withSession(body) }
      return try pool.withSession(until: request.deadline) { session in
        request.begin()
        return try body(session)
      }
    } catch {
      hasFailed = true
      throw failed(error, request, items)
    }
  }

  /// Calls a closure with a session without blocking the calling task's thread.
  ///
  /// Without a request, a run that has begun is completed although its task is cancelled.
  func lend<Result: Sendable>(
    _ pool: SessionPool, to request: RunRequest?, items: Int = 1,
    _ body: @escaping @Sendable (any Session) throws -> Result
  ) async throws -> Result {
    do {
      let result = try await pool.withSession(for: request) { session in
        request?.begin()
        return try body(session)
      }
      succeeded(request, items)
      return result
    } catch {
      throw failed(error, request, items)
    }
  }

  /// Calls a closure with a session for something else than a run, which isn't counted.
  func borrow<Result>(
    from pool: SessionPool, _ body: (any Session) throws -> Result
  ) throws -> Result {
    do { return try pool.withSession(body) } catch { throw explain(error, nil) }
  }

  @inline(__always)
  private func succeeded(_ request: RunRequest?, _ items: Int) {
    counters.addSuccess()
    if let request, loader.observer != nil { report(.succeeded, request, items) }
  }

  /// Counts a run that failed.
  ///
  /// - Returns: The error for the caller.
  func failed(
    _ error: any Error, _ request: RunRequest?, _ items: Int
  ) -> any Error {
    let explained = explain(error, request)
    let outcome = RunOutcome(of: explained)
    counters.add(outcome)
    if let request { report(outcome, request, items, explained) }
    return explained
  }

  private func explain(_ error: any Error, _ request: RunRequest?) -> any Error {
    switch error {
    case SessionPool.Failure.overloaded(let waiting, let sessions):
      return TensorIOError(
        .overloaded,
        "'\(bundle.path)' is busy: \(counted(waiting, "run")) already \(waiting == 1 ? "waits" : "wait") "
          + "for \(counted(sessions, "session")), and its loader's `mostWaiting` allows no more. Try "
          + "again later, or make the model with more sessions.")
    case SessionPool.Failure.expired:
      return request?.expired(of: bundle.path) ?? error
    default:
      let isCancelled =
        error is CancellationError || (error as? TensorIOError)?.code == .cancelled
      guard isCancelled, let request, request.token.isExpired else { return error }
      return request.expired(of: bundle.path)
    }
  }

  private func report(
    _ outcome: RunOutcome, _ request: RunRequest, _ items: Int, _ error: (any Error)? = nil
  ) {
    loader.observer?.runEnded(
      RunEvent(
        model: bundle.manifest.id, items: items, outcome: outcome, loading: request.loading,
        waited: request.waited,
        latency: outcome == .succeeded ? request.latency : nil, total: request.total, error: error))
  }
}

extension InferenceModel.Loaded {
  /// Returns the token that ends a run in the runtime; nil for a model that keeps state.
  ///
  /// Such a model would go on from half of a run.
  func stop(for request: RunRequest) -> CancellationToken? {
    model.keepsState ? nil : request.token
  }
}
