// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

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
/// same kind ends the process as usual.
struct Interruption {
  /// A signal handler can reach only what is global, and must not allocate: a plain word does not.
  ///
  /// `nonisolated(unsafe)` because only the value 1 is ever stored.
  nonisolated(unsafe) private static let requested: UnsafeMutablePointer<Int32> = {
    let word = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
    word.initialize(to: 0)
    return word
  }()

  /// Begins to listen.
  ///
  /// - Parameter alsoWithoutReader: Whether the loop ends, too, when nobody reads the output any
  ///   more, as after `| head -1`. Else that ends the process at the next line.
  init(alsoWithoutReader: Bool = false) {
    // Made before a handler asks for it.
    _ = Self.requested
    for number in [SIGINT, SIGTERM] {
      signal(number) { number in
        Interruption.requested.pointee = 1
        signal(number, SIG_DFL)
      }
    }
    if alsoWithoutReader {
      // It stays: the lines after the loop have no reader either.
      signal(SIGPIPE) { _ in Interruption.requested.pointee = 1 }
    }
  }

  /// Whether the loop should end.
  var isRequested: Bool { Self.requested.pointee != 0 }
}
