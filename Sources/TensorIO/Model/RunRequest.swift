// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// One run that was asked for: when it must end, and how long its parts took.
final class RunRequest: Sendable {
  /// Ends the run in the runtime.
  let token: CancellationToken
  private let requested = ContinuousClock.now
  private let times = Mutex(Times())

  private struct Times {
    /// Whether the run waits until the model is loaded.
    var isLoading = false
    /// When the model that had to be loaded first was loaded.
    var loaded: ContinuousClock.Instant?
    var begun: ContinuousClock.Instant?
    var latency: RunLatency?
    /// Return the times for decoding each image.
    var decoding: [@Sendable () -> Duration] = []
  }

  init(deadline: ContinuousClock.Instant?) { token = CancellationToken(deadline: deadline) }

  init(token: CancellationToken) { self.token = token }

  var deadline: ContinuousClock.Instant? { token.deadline }

  /// Notes that the model must be loaded first.
  func beginLoading() { times.withLock { $0.isLoading = true } }

  /// Notes that the model is loaded.
  func endLoading() {
    let now = ContinuousClock.now
    times.withLock { times in
      times.isLoading = false
      times.loaded = now
    }
  }

  /// Notes that the run has a session.
  func begin() {
    let now = ContinuousClock.now
    times.withLock { $0.begun = now }
  }

  /// How long the run waited until the model was loaded, or zero if it was.
  var loading: Duration {
    let now = ContinuousClock.now
    return times.withLock { times in
      if times.isLoading { return now - requested }
      return times.loaded.map { $0 - requested } ?? .zero
    }
  }

  /// How long the run waited for a session.
  var waited: Duration {
    let now = ContinuousClock.now
    return times.withLock { $0.isLoading ? .zero : ($0.begun ?? now) - ($0.loaded ?? requested) }
  }

  /// How long it is since the run was asked for, with the time for loading the model.
  var total: Duration { ContinuousClock.now - requested }

  /// Returns the inputs with timers of their decoding.
  func timing(_ inputs: ModelInputs) -> ModelInputs {
    inputs.mapValues { value in
      guard let input = value as? any DecodingInput else { return value }
      let (timed, time) = input.timed()
      times.withLock { $0.decoding.append(time) }
      return timed
    }
  }

  /// Notes how long the parts of the run took, of which decoding is counted separately.
  func end(_ latency: RunLatency) {
    times.withLock { times in
      var latency = latency
      let decoding = times.decoding.reduce(.zero) { $0 + $1() }
      latency.decode = min(decoding, latency.preprocess)
      latency.preprocess -= latency.decode
      times.latency = latency
    }
  }

  /// How long the parts of the run took; nil if it didn't complete.
  var latency: RunLatency? { times.withLock { $0.latency } }

  /// The error for a run that didn't end by its deadline.
  func expired(of model: String) -> TensorIOError {
    let now = ContinuousClock.now
    let (isLoading, loaded, begun) = times.withLock { ($0.isLoading, $0.loaded, $0.begun) }
    if isLoading {
      return TensorIOError(
        .deadlineExceeded,
        "The run of '\(model)' didn't begin by its deadline: after \(Self.text(now - requested)), the "
          + "model wasn't loaded yet. Allow more time for the first run, or call 'load()' before it."
      )
    }
    let waited = "waited \(Self.text((begun ?? now) - (loaded ?? requested))) for a session"
    let ran = begun.map { "and ran for \(Self.text(now - $0))" } ?? "and didn't begin"
    return TensorIOError(
      .deadlineExceeded,
      "The run of '\(model)' didn't end by its deadline: it \(waited) \(ran). Allow more time, or "
        + "make the model with more sessions.")
  }

  private static func text(_ duration: Duration) -> String {
    let tenths = Int((duration.milliseconds * 10).rounded())
    return "\(tenths / 10).\(tenths % 10) ms"
  }
}
