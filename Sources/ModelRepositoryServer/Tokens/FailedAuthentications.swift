// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import Synchronization

/// The requests whose tokens were refused, for the audit log.
///
/// The first one is written immediately. The following ones are counted and written together, at
/// most every ten minutes, so that nobody can fill the disk with wrong tokens.
final class FailedAuthentications: Sendable {
  struct Summary: Sendable, Equatable {
    var count = 0
    var addresses: [String] = []
    var hasMoreAddresses = false

    var subject: String {
      addresses.joined(separator: " ") + (hasMoreAddresses ? " and others" : "")
    }

    var detail: String {
      "\(count) \(count == 1 ? "request" : "requests") with a token that is unknown, has expired "
        + "or was revoked"
    }
  }

  private struct State {
    var written: Date?
    var pending = Summary()
  }

  /// The minimum number of seconds between two records.
  static let interval: TimeInterval = 600
  private static let maximumAddresses = 5

  private let state = Mutex(State())

  /// Counts a request, and returns the summary to write now; nil if the last record is too recent.
  func note(_ address: String, at now: Date) -> Summary? {
    state.withLock { state in
      state.pending.count += 1
      if !state.pending.addresses.contains(address) {
        if state.pending.addresses.count < Self.maximumAddresses {
          state.pending.addresses.append(address)
        } else {
          state.pending.hasMoreAddresses = true
        }
      }
      // If the clock was set back, records are still written.
      guard state.written.map({ abs(now.timeIntervalSince($0)) >= Self.interval }) ?? true else {
        return nil
      }
      return Self.take(&state, now)
    }
  }

  /// Returns what hasn't been written yet, before somebody reads the log.
  func takeRest(at now: Date) -> Summary? {
    state.withLock { $0.pending.count > 0 ? Self.take(&$0, now) : nil }
  }

  private static func take(_ state: inout State, _ now: Date) -> Summary {
    state.written = now
    defer { state.pending = Summary() }
    return state.pending
  }
}
#endif
