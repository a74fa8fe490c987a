// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Lets Ctrl-C end a loop after the step under way, so that what there is can be kept.
///
/// A second Ctrl-C ends the process as usual.
struct Interruption {
  /// A signal handler can reach only what is global.
  private static let requested = Atomic(false)

  init() {
    signal(SIGINT) { _ in
      Interruption.requested.store(true, ordering: .relaxed)
      signal(SIGINT, SIG_DFL)
    }
  }

  /// Whether Ctrl-C was pressed.
  var isRequested: Bool { Self.requested.load(ordering: .relaxed) }
}
