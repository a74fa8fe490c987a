// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Synchronization

/// A memory budget that requests share.
///
/// Requests wait in first-in, first-out order if too little of the budget is free.
final class ByteBudget: Sendable {
  private struct Waiter {
    let id: Int
    let count: Int
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var free: Int
    var waiting: [Waiter] = []
    var nextID = 0
  }

  private let total: Int
  private let patience: Duration
  private let limit: Int
  private let state: Mutex<State>

  /// Makes a budget of bytes.
  ///
  /// At most `limit` requests may wait for them, each as long as the patience lasts.
  init(total: Int, limit: Int, patience: Duration = .seconds(30)) {
    self.total = total
    self.limit = limit
    self.patience = patience
    state = Mutex(State(free: total))
  }

  /// Runs a closure while bytes are reserved.
  ///
  /// A count above the total reserves all of them.
  func withBytes<Result>(
    _ count: Int, _ body: () async throws -> Result
  ) async throws -> Result {
    let count = min(count, total)
    try await reserve(count)
    defer { release(count) }
    return try await body()
  }

  private func reserve(_ count: Int) async throws {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    let timer = Task {
      try await Task.sleep(for: patience)
      refuse(id)
    }
    defer { timer.cancel() }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isRefused = state.withLock { state in
          guard !state.waiting.isEmpty || state.free < count else {
            state.free -= count
            continuation.resume()
            return false
          }
          guard state.waiting.count < limit, !Task.isCancelled else { return true }
          state.waiting.append(Waiter(id: id, count: count, continuation: continuation))
          return false
        }
        if isRefused { continuation.resume(throwing: WebError.bodyRefused) }
      }
    } onCancel: {
      refuse(id)
    }
  }

  private func release(_ count: Int) {
    state.withLock { state in
      state.free += count
      while let first = state.waiting.first, first.count <= state.free {
        state.free -= first.count
        state.waiting.removeFirst()
        first.continuation.resume()
      }
    }
  }

  private func refuse(_ id: Int) {
    let waiter = state.withLock { state in
      state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0) }
    }
    waiter?.continuation.resume(throwing: WebError.bodyRefused)
  }
}
#endif
