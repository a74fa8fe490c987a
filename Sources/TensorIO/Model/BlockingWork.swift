// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// Runs work that blocks on a thread of Dispatch, never on the cooperative pool.
///
/// The queue is a serial one of its own, which gets a thread at once: on Linux the global queues
/// have as many threads as there are processors, and Swift's tasks run on those.
package enum BlockingWork {
  package static func run<Result: Sendable>(
    _ work: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue(label: "tensorio.blocking").async {
        continuation.resume(with: Swift.Result { try work() })
      }
    }
  }
}
