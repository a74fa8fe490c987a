// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import NetRunner
import Synchronization
import TensorIO

/// Fades the labelled values of live sources into those of their next image.
///
/// A source is a name that a client chooses. The least recently used sources are removed, so that
/// clients can't fill the memory with names.
final class LiveSources: Sendable {
  private struct Source {
    var decay = LiveDecay()
    var lastUse: UInt64
  }

  private struct State {
    var sources: [String: Source] = [:]
    var uses: UInt64 = 0
  }

  private let limit: Int
  private let state = Mutex(State())

  /// - Parameter limit: The maximum number of sources to remember.
  init(limit: Int = 256) { self.limit = limit }

  /// The number of remembered sources.
  var count: Int { state.withLock { $0.sources.count } }

  /// Mixes an image's values with those of the images before it.
  ///
  /// - Parameters:
  ///   - prediction: The model's prediction for the image.
  ///   - format: The format in which the prediction is shown.
  ///   - source: The source's name.
  ///   - model: The model's identifier. If it differs from the previous one, the values start over.
  /// - Returns: The prediction with mixed labelled values. Everything else is unchanged.
  func apply(
    _ prediction: Prediction, shownAs format: any OutputFormat, from source: String,
    model: String
  ) -> Prediction {
    state.withLock { state in
      state.uses += 1
      var entry = state.sources[source] ?? Source(lastUse: 0)
      let mixed = entry.decay.apply(prediction, shownAs: format, from: model)
      entry.lastUse = state.uses
      state.sources[source] = entry
      if state.sources.count > limit,
        let oldest = state.sources.min(by: { $0.value.lastUse < $1.value.lastUse })
      {
        state.sources[oldest.key] = nil
      }
      return mixed
    }
  }
}
#endif
