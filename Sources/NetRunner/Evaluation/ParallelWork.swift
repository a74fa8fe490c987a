// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// Does the same to many things on several threads, and hands the results to the caller's thread.
///
/// The results come in order, and only a few wait: however long the list, memory stays flat, and a slow
/// receiver slows the work instead of filling memory.
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

  private let count: Int
  private let threads: Int
  private let work: @Sendable (Int) -> Output
  private let state = Mutex(State())
  /// How many things may be begun before one more is received.
  private let room: DispatchSemaphore
  /// Raised when the receiver should not wait longer.
  private let waiting = DispatchSemaphore(value: 0)
  /// So many messages wake the receiver, which else looks for itself now and then: to wake a thread
  /// for each of them costs the others more than the message.
  private let wakingCount: Int
  private let longestWait = DispatchTimeInterval.milliseconds(20)

  /// Prepares work.
  ///
  /// - Parameters:
  ///   - count: How many things there are; they are begun in order.
  ///   - threads: How many are under way at once.
  ///   - room: How many may be begun before the receiver is through with one; 4 a thread unless told.
  ///     So long the threads go on while it is held up, by a slow disk for instance.
  ///   - work: What is done to a thing, on one of the threads.
  package init(
    count: Int, threads: Int, room: Int? = nil, work: @escaping @Sendable (Int) -> Output
  ) {
    self.count = count
    self.threads = max(1, min(threads, count))
    self.work = work
    let room = max(self.threads, room ?? self.threads * 4)
    self.room = DispatchSemaphore(value: room)
    wakingCount = max(1, room / 2)
  }

  /// Works; call it once.
  ///
  /// - Parameters:
  ///   - isOver: Asked on the caller's thread between results, and while none comes; after a yes only
  ///     what was begun ends, and is received.
  ///   - receive: Gets the results one by one on the caller's thread, in the things' order, each
  ///     with the thing's number.
  /// - Throws: What `receive` throws, when the threads have ended.
  package func run(until isOver: () -> Bool = { false }, receive: (Int, Output) throws -> Void)
    throws
  {
    for number in 0..<threads {
      // A serial queue of its own gets a thread of its own, however many processors there are.
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
    // The room is taken before the thing: the one that all others wait for has it already.
    room.wait()
    while let index = nextIndex() {
      send(.result(index, work(index)))
      room.wait()
    }
    room.signal()
    send(.threadEnded)
  }

  private func nextIndex() -> Int? {
    state.withLock { state in
      guard !state.isOver, state.next < count else { return nil }
      defer { state.next += 1 }
      return state.next
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
