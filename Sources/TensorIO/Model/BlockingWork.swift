// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// Runs blocking work on a Dispatch thread instead of the cooperative pool.
///
/// Each call uses its own serial queue, which gets a thread at once. On Linux, the global queues
/// have only as many threads as there are processors, and Swift's tasks run on those.
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
