// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import Synchronization

/// Requests whose tokens were refused, for the audit log.
///
/// The first one is written at once. What follows is counted and written together, at most every ten
/// minutes, so that nobody can fill the disk with wrong tokens.
final class FailedAuthentications: Sendable {
  /// What a record of the audit log tells.
  struct Summary: Sendable, Equatable {
    var count = 0
    var addresses: [String] = []
    /// Whether there were more addresses than are named.
    var hasMoreAddresses = false

    var subject: String {
      addresses.joined(separator: " ") + (hasMoreAddresses ? " and others" : "")
    }

    var detail: String {
      "\(count) \(count == 1 ? "request" : "requests") with a token that is unknown, has expired or was "
        + "revoked"
    }
  }

  private struct State {
    var written: Date?
    var pending = Summary()
  }

  /// How many seconds lie between two records.
  static let interval: TimeInterval = 600
  private static let maximumAddresses = 5

  private let state = Mutex(State())

  /// Notes a request.
  ///
  /// - Returns: What is to be written now; nil where something was written a short time ago.
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
      // A clock that was set back does not keep records from being written.
      guard state.written.map({ abs(now.timeIntervalSince($0)) >= Self.interval }) ?? true else {
        return nil
      }
      return Self.take(&state, now)
    }
  }

  /// What has not been written yet, for somebody who reads the log.
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
