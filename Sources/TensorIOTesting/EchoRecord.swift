// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A record of what happened to the models of an ``EchoBackend``.
///
/// It reveals misuse that a native library wouldn't report: two threads that use a session at once.
public final class EchoRecord: Sendable {
  struct Counts {
    var loads = 0
    var sessions = 0
    var runs: [Int] = []
    var resizes: [[[Int]]] = []
    var running = 0
    var mostRunning = 0
    var violations: [String] = []
  }

  private let counts = Mutex(Counts())

  init() {}

  /// The number of models that were loaded.
  public var loads: Int { counts.withLock { $0.loads } }
  /// The number of sessions that were made.
  public var sessions: Int { counts.withLock { $0.sessions } }
  /// The number of items of every run, in order.
  public var runs: [Int] { counts.withLock { $0.runs } }
  /// The input shapes of every accepted resize, in order.
  public var resizes: [[[Int]]] { counts.withLock { $0.resizes } }
  /// The maximum number of runs that were in progress at once, over all sessions.
  public var mostConcurrentRuns: Int { counts.withLock { $0.mostRunning } }
  /// The calls that overlapped another call in the same session; empty when sessions are used
  /// correctly.
  public var violations: [String] { counts.withLock { $0.violations } }

  func note(_ change: (inout Counts) -> Void) {
    counts.withLock { change(&$0) }
  }
}
