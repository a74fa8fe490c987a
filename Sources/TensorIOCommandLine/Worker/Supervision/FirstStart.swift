// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import ModelTools
import Synchronization
import TensorIO
import TensorIOIsolation
import WorkerProtocol

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Waits for the first message of the first worker, before there is anybody to take others.
final class FirstStart: Sendable {
  private struct State {
    var ready: Frame?
    var ending: ProcessEnding?
    var onFrame: (@Sendable (Frame, ReplyHead) -> Void)?
    var onEnd: (@Sendable (ProcessEnding) -> Void)?
  }

  private let state = Mutex(State())
  private let changed = DispatchSemaphore(value: 0)

  func take(_ frame: Frame, _ head: ReplyHead) {
    let onFrame = state.withLock { state in
      if head.type == "ready" { state.ready = frame }
      return state.onFrame
    }
    onFrame?(frame, head)
    changed.signal()
  }

  func end(_ ending: ProcessEnding) {
    let onEnd = state.withLock { state in
      state.ending = ending
      return state.onEnd
    }
    onEnd?(ending)
    changed.signal()
  }

  /// Waits until the worker has loaded the model.
  ///
  /// - Returns: The members of its first message, and its window.
  /// - Throws: ``StartFailure`` if it ended.
  func wait() throws -> (members: [String: JSONValue], window: Int) {
    while true {
      changed.wait()
      let (ready, ending) = state.withLock { ($0.ready, $0.ending) }
      if let ready, case .object(let members) = try JSONValue(parsing: Data(ready.header)),
        let window = members["window"]?.asNumber.flatMap({ Int(exactly: $0) }), window > 0
      {
        return (members, window)
      }
      if let ending { throw StartFailure(ending: ending) }
    }
  }

  /// Passes on what follows, and the end if it came already.
  func forward(
    frames: @escaping @Sendable (Frame, ReplyHead) -> Void,
    end: @escaping @Sendable (ProcessEnding) -> Void
  ) {
    let ending = state.withLock { state in
      (state.onFrame, state.onEnd) = (frames, end)
      return state.ending
    }
    if let ending { end(ending) }
  }
}
