// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// What happened to the models of an ``EchoBackend``.
///
/// It sees what a native library would not tell: a session that two threads used at once.
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

  /// How many models were loaded.
  public var loads: Int { counts.withLock { $0.loads } }
  /// How many sessions were made.
  public var sessions: Int { counts.withLock { $0.sessions } }
  /// The number of items of every run, in order.
  public var runs: [Int] { counts.withLock { $0.runs } }
  /// The inputs' shapes of every change that was accepted, in order.
  public var resizes: [[[Int]]] { counts.withLock { $0.resizes } }
  /// The most runs that were under way at once, over all sessions.
  public var mostConcurrentRuns: Int { counts.withLock { $0.mostRunning } }
  /// The calls that met another call in the same session; none when sessions are used rightly.
  public var violations: [String] { counts.withLock { $0.violations } }

  func note(_ change: (inout Counts) -> Void) {
    counts.withLock { change(&$0) }
  }
}
