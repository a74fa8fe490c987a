// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CSystemCalls
import Synchronization
import TensorIOIsolation
import WorkerProtocol

/// The ends of workers that had an item under way.
struct WorkerEnds {
  private var endings: [ProcessEnding] = []

  /// The number of ends by a fault after which an item is given up.
  ///
  /// After the first, the item runs alone, so the second is its own.
  private static let mostFaults = 2
  /// The number of all ends after which an item is given up.
  ///
  /// A worker may be killed by somebody who doesn't know the item, so these count less.
  private static let most = 5

  mutating func add(_ ending: ProcessEnding) { endings.append(ending) }

  /// Why the item is given up; nil if it may run again.
  var failure: ItemFailure? {
    let faults = endings.filter(\.isFault)
    guard let last = faults.count >= Self.mostFaults ? faults.last : endings.last,
      faults.count >= Self.mostFaults || endings.count >= Self.most
    else { return nil }
    return ItemFailure(
      "worker_ended",
      "The item ended \(endings.count) workers: \(last.text). The model may have a bug, or need more "
        + "memory than the machine has.")
  }
}

extension ProcessEnding {
  /// Whether the process ended itself.
  fileprivate var isFault: Bool {
    switch self {
    case .exited(let status): status != 0
    case .signalled(let signal): ![SIGKILL, SIGTERM, SIGINT, SIGHUP, SIGQUIT].contains(signal)
    }
  }

  /// The end in words, with the signal's number.
  var text: String {
    switch self {
    case .exited(let status): return "exit status \(status)"
    case .signalled(let signal):
      guard let fault = ProcessFault(signal: signal) else { return "signal \(signal)" }
      return "\(fault) (signal \(signal))"
    }
  }
}
