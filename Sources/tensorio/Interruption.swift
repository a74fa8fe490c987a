// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Dispatch

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Lets Ctrl-C end a loop after the step under way, so that what there is can be kept.
///
/// SIGTERM does the same: it is what `docker stop` and batch systems send. A second signal of the
/// same kind ends the process as usual, and so does one after the value is gone.
///
/// Signals are heard on a thread of Dispatch. A handler would run in the midst of whatever it
/// interrupts, and Swift may allocate memory for the simplest line: in the midst of an allocation
/// that corrupts the heap.
final class Interruption {
  private static let requested = Atomic(false)
  private static let numbers = [SIGINT, SIGTERM]

  private let sources: [any DispatchSourceSignal]

  /// Begins to listen.
  ///
  /// - Parameter alsoWithoutReader: Whether the loop ends, too, when nobody reads the output any
  ///   more, as after `| head -1`. Else that ends the process at the next line.
  init(alsoWithoutReader: Bool = false) {
    // Made before a handler asks for it.
    _ = Self.requested
    let queue = DispatchQueue(label: "tensorio.interruption")
    sources = Self.numbers.map { number in
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler {
        Interruption.requested.pointee = 1
        signal(number, SIG_DFL)
      }
      source.resume()
      signal(number, SIG_IGN)
      return source
    }
    // It stays: the lines after the loop have no reader either.
    if alsoWithoutReader { signal(SIGPIPE, SIG_IGN) }
  }

  deinit {
    for source in sources { source.cancel() }
    for number in Self.numbers { signal(number, SIG_DFL) }
  }

  /// Ends the loop as Ctrl-C does, since nobody reads the output any more.
  static func noteClosedOutput() { requested.store(true, ordering: .relaxed) }

  /// Whether the loop should end.
  var isRequested: Bool { Self.requested.pointee != 0 }
}
