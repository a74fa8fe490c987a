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
package struct Interruption {
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
  /// Call it on the main thread: the kernel gives that one the process's signals.
  ///
  /// - Parameter alsoWithoutReader: Whether the loop ends, too, when nobody reads the output any
  ///   more, as after `| head -1`. Else that ends the process at the next line.
  package init(alsoWithoutReader: Bool = false) {
    // Made before a handler asks for it.
    _ = Self.requested
    _ = Self.handlerStack
    for number in [SIGINT, SIGTERM] {
      Self.handle(number) { number in
        Interruption.requested.pointee = 1
        signal(number, SIG_DFL)
      }
    }
    if alsoWithoutReader {
      // It stays: the lines after the loop have no reader either.
      Self.handle(SIGPIPE) { _ in Interruption.requested.pointee = 1 }
    }
  }

  /// Whether the loop should end.
  package var isRequested: Bool { Self.requested.pointee != 0 }

  /// A stack for handlers beside the main thread's own; made once.
  ///
  /// TensorFlow's matrix products keep values below the stack pointer, beyond what a signal spares:
  /// a handler on the ordinary stack overwrites them, and the heap is damaged a moment later.
  /// Python's processes die of it, too.
  private static let handlerStack: Void = {
    // AMX alone saves 8 KiB in a signal's frame.
    let size = 256 * 1024
    var stack = stack_t()
    stack.ss_sp = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
    stack.ss_size = numericCast(size)
    sigaltstack(&stack, nil)
  }()

  private static func handle(_ number: Int32, _ handler: @escaping @convention(c) (Int32) -> Void) {
    var action = sigaction()
    #if canImport(Glibc)
    action.__sigaction_handler.sa_handler = handler
    #elseif canImport(Musl)
    action.__sa_handler.sa_handler = handler
    #else
    action.__sigaction_u.__sa_handler = handler
    #endif
    action.sa_flags = SA_ONSTACK | SA_RESTART
    sigaction(number, &action, nil)
  }
}
