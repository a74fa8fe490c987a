// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// Processes a list of items on several threads, and delivers the results on the caller's thread.
///
/// Results are delivered in order, and only a few are buffered. Memory use therefore doesn't grow
/// with the length of the list, and a slow receiver slows down the threads instead of filling
/// memory.
package final class ParallelWork<Output: Sendable>: Sendable {
  private enum Message {
    case result(Int, Output)
    case threadEnded
  }

  private struct State {
    var messages: [Message] = []
    var next = 0
    var isOver = false

    mutating func takeMessages() -> [Message] {
      defer { messages.removeAll(keepingCapacity: true) }
      return messages
    }
  }

  /// Returns the work on the item with the given index; nil if there are no more.
  package typealias Take =
    @Sendable (_ index: Int, _ isOver: () -> Bool) -> (@Sendable () -> Output)?

  private let threads: Int
  private let take: Take
  private let state = Mutex(State())
  /// Keeps the order of the items that threads take, which may block.
  private let taking = Mutex(())
  /// Limits the number of items that are started before earlier results have been received.
  private let room: DispatchSemaphore
  private let waiting = DispatchSemaphore(value: 0)
  /// The number of messages that wake the receiver.
  ///
  /// Waking a thread for each message would cost more than the message itself. The receiver also
  /// checks for messages every 20 ms.
  private let wakingCount: Int
  private let longestWait = DispatchTimeInterval.milliseconds(20)

  /// Prepares the work.
  ///
  /// - Parameters:
  ///   - count: The number of items. They are started in order.
  ///   - threads: The number of items that are processed at the same time.
  ///   - room: The maximum number of items that are started before an earlier result has been
  ///     received. The default is 4 per thread. The threads keep working up to this limit while the
  ///     receiver is busy, for example with a slow disk.
  ///   - work: Processes the item with the given index, on one of the threads.
  package convenience init(
    count: Int, threads: Int, room: Int? = nil, work: @escaping @Sendable (Int) -> Output
  ) {
    self.init(threads: min(threads, count), room: room) { index, _ in
      guard index < count else { return nil }
      return { work(index) }
    }
  }

  /// Prepares work on items whose number isn't known.
  ///
  /// - Parameters:
  ///   - threads: The number of items that are processed at the same time.
  ///   - room: The maximum number of items that are started before an earlier result has been
  ///     received. The default is 4 per thread.
  ///   - take: Finds the next item, and returns the work on it. It is called by one thread at a
  ///     time, in the items' order, and may block. After nil, it returns only nil.
  package init(threads: Int, room: Int? = nil, taking take: @escaping Take) {
    self.threads = max(1, threads)
    self.take = take
    let room = max(self.threads, room ?? self.threads * 4)
    self.room = DispatchSemaphore(value: room)
    wakingCount = max(1, room / 2)
  }

  /// Does the work.
  ///
  /// Call it only once.
  ///
  /// - Parameters:
  ///   - isOver: Called on the caller's thread between results and while waiting. If it returns
  ///     true, no more items are started. Items that have been started are finished and received.
  ///   - receive: Called on the caller's thread with each item's index and result, in the items'
  ///     order.
  /// - Throws: What `receive` throws, after all threads have ended.
  package func run(until isOver: () -> Bool = { false }, receive: (Int, Output) throws -> Void)
    throws
  {
    for number in 0..<threads {
      // Each serial queue gets its own thread, however many processors there are.
      DispatchQueue(label: "tensorio.work.\(number)").async { self.workOnThread() }
    }
    var early: [Int: Output] = [:]
    var wanted = 0
    var failure: (any Error)?
    var remaining = threads
    while remaining > 0 {
      if waiting.wait(timeout: .now() + longestWait) == .timedOut, isOver() { end() }
      for message in state.withLock({ $0.takeMessages() }) {
        switch message {
        case .threadEnded: remaining -= 1
        case .result(let index, let output): early[index] = output
        }
      }
      while let output = early.removeValue(forKey: wanted) {
        if failure == nil {
          do { try receive(wanted, output) } catch { failure = error }
        }
        if failure != nil || isOver() { end() }
        wanted += 1
        room.signal()
      }
    }
    if let failure { throw failure }
  }

  private func end() { state.withLock { $0.isOver = true } }

  private func workOnThread() {
    // Take the room before the index, so that the item the receiver waits for always has room. The
    // order matters to avoid a deadlock.
    room.wait()
    while let (index, work) = nextWork() {
      send(.result(index, work()))
      room.wait()
    }
    room.signal()
    send(.threadEnded)
  }

  private func nextWork() -> (index: Int, work: @Sendable () -> Output)? {
    taking.withLock { _ in
      let isOver = { self.state.withLock(\.isOver) }
      let index = state.withLock(\.next)
      guard !isOver(), let work = take(index, isOver) else { return nil }
      state.withLock { $0.next += 1 }
      return (index, work)
    }
  }

  private func send(_ message: Message) {
    let count = state.withLock { state in
      state.messages.append(message)
      return state.messages.count
    }
    if case .result = message, count != wakingCount { return }
    waiting.signal()
  }
}
