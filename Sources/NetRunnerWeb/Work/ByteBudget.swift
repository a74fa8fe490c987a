// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Synchronization

/// A memory budget that requests share.
///
/// A request's reservation grows while its body arrives, so that a client that sends slowly has only
/// the memory that it uses. If too little of the budget is free, requests wait, the oldest ones first.
///
/// The oldest request that has memory gets more even if none is free. Otherwise, the budget could
/// be full of incomplete bodies that wait for each other.
final class ByteBudget: Sendable {
  private struct Waiter {
    /// The number of this wait, because a request can wait several times.
    let ticket: Int
    let id: Int
    let count: Int
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    /// The bytes that nobody has; below zero if the oldest request has more than there was.
    var free: Int
    /// The bytes of each request that has any.
    var held: [Int: Int] = [:]
    /// The waiting requests, oldest first.
    var waiting: [Waiter] = []
    var lastID = 0
    var lastTicket = 0

    mutating func take(_ count: Int, for id: Int) {
      free -= count
      held[id, default: 0] += count
    }

    func isOldestHolder(_ id: Int) -> Bool { held.keys.min() == id }

    mutating func append(_ waiter: Waiter) {
      let index = waiting.firstIndex { $0.id > waiter.id } ?? waiting.endIndex
      waiting.insert(waiter, at: index)
    }

    /// Lets those go on that now have room.
    mutating func grant() {
      while let index = nextIndex {
        let waiter = waiting.remove(at: index)
        take(waiter.count, for: waiter.id)
        waiter.continuation.resume()
      }
    }

    private var nextIndex: Int? {
      guard let first = waiting.first else { return nil }
      if first.count <= free { return 0 }
      guard let oldest = held.keys.min() else { return nil }
      return waiting.firstIndex { $0.id == oldest }
    }
  }

  /// The memory of one request.
  struct Reservation: Sendable {
    fileprivate let budget: ByteBudget
    fileprivate let id: Int

    /// Reserves more bytes, and waits until there are enough.
    ///
    /// - Throws: ``WebError/bodyRefused`` if too many requests wait, or if it takes too long.
    func grow(by count: Int) async throws { try await budget.reserve(count, for: id) }
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

  /// The number of requests that wait for memory.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Runs a closure with a reservation, which has no bytes at first and ends with the closure.
  func withReservation<Result>(
    _ body: (Reservation) async throws -> Result
  ) async throws -> Result {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    defer { release(id) }
    return try await body(Reservation(budget: self, id: id))
  }

  /// Runs a closure while bytes are reserved.
  ///
  /// A count above the total reserves all of them.
  func withBytes<Result>(
    _ count: Int, _ body: () async throws -> Result
  ) async throws -> Result {
    try await withReservation { reservation in
      try await reservation.grow(by: count)
      return try await body()
    }
  }

  private func reserve(_ wanted: Int, for id: Int) async throws {
    let (count, ticket) = state.withLock { state -> (Int, Int) in
      state.lastTicket += 1
      let ticket = state.lastTicket
      // A request that needs more than all of the budget gets all of it.
      let count = min(wanted, total - (state.held[id] ?? 0))
      let isNext = state.waiting.first.map { $0.id > id } ?? true
      guard count > 0 else { return (0, ticket) }
      guard (isNext && count <= state.free) || state.isOldestHolder(id) else {
        return (count, ticket)
      }
      state.take(count, for: id)
      return (0, ticket)
    }
    guard count > 0 else { return }
    let timer = Task {
      try await Task.sleep(for: patience)
      refuse(ticket)
    }
    defer { timer.cancel() }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isRefused = state.withLock { state in
          guard state.waiting.count < limit, !Task.isCancelled else { return true }
          state.append(
            Waiter(ticket: ticket, id: id, count: count, continuation: continuation))
          // There may be room since it was looked for.
          state.grant()
          return false
        }
        if isRefused { continuation.resume(throwing: WebError.bodyRefused) }
      }
    } onCancel: {
      refuse(ticket)
    }
  }

  private func release(_ id: Int) {
    state.withLock { state in
      state.free += state.held.removeValue(forKey: id) ?? 0
      state.grant()
    }
  }

  private func refuse(_ ticket: Int) {
    let waiter = state.withLock { state in
      let index = state.waiting.firstIndex { $0.ticket == ticket }
      let waiter = index.map { state.waiting.remove(at: $0) }
      // Those behind it may need less than it did.
      state.grant()
      return waiter
    }
    waiter?.continuation.resume(throwing: WebError.bodyRefused)
  }
}
#endif
