// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import NetRunner
import Synchronization
import TensorIO

/// The labelled values of live sources, each fading into those of its next picture.
///
/// A source is a name that a client makes up. The least recently used are forgotten, so that clients
/// cannot fill the memory with names.
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

  /// - Parameter limit: How many sources are remembered.
  init(limit: Int = 256) { self.limit = limit }

  /// How many sources are remembered.
  var count: Int { state.withLock { $0.sources.count } }

  /// Mixes a picture's values with those of the pictures before it.
  ///
  /// - Parameters:
  ///   - prediction: What the model says about the picture.
  ///   - format: How it is shown.
  ///   - source: The source's name.
  ///   - model: The model: another one than before starts anew.
  /// - Returns: The prediction with other labelled values; all else is as it was.
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
