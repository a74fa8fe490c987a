// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A request to end a run, which one thread makes and another checks.
public final class CancellationToken: Sendable {
  private let flag = Atomic(false)

  /// Makes a token that is not cancelled.
  public init() {}

  /// Whether ``cancel()`` was called.
  public var isCancelled: Bool { flag.load(ordering: .relaxed) }

  /// Asks the run to end.
  public func cancel() { flag.store(true, ordering: .relaxed) }
}
