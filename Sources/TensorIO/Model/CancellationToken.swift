// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A request to end a run, which one thread makes and another checks.
public final class CancellationToken: Sendable {
  private let flag = Atomic(false)
  /// When the token is cancelled by itself; nil for never.
  public let deadline: ContinuousClock.Instant?

  /// Makes a token that is not cancelled before its deadline.
  public init(deadline: ContinuousClock.Instant? = nil) {
    self.deadline = deadline
  }

  /// Whether ``cancel()`` was called, or the deadline has passed.
  public var isCancelled: Bool { flag.load(ordering: .relaxed) || isExpired }

  /// Whether the deadline has passed.
  public var isExpired: Bool {
    guard let deadline else { return false }
    return ContinuousClock.now >= deadline
  }

  /// Asks the run to end.
  public func cancel() { flag.store(true, ordering: .relaxed) }
}
