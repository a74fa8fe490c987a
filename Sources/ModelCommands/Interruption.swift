// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
import CSystemCalls

/// Lets Ctrl-C end a loop after the current step, so that the results so far can be kept.
///
/// SIGTERM does the same, because `docker stop` and batch systems send it. A second signal of the
/// same kind ends the process as usual.
package struct Interruption {
  /// A word that a signal sets to 1, because a handler reaches only globals and can't allocate.
  ///
  /// `nonisolated(unsafe)` because only the value 1 is ever stored.
  nonisolated(unsafe) private static let requested: UnsafeMutablePointer<Int32> = {
    let word = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
    word.initialize(to: 0)
    return word
  }()

  /// A word that SIGUSR1 sets to 1.
  ///
  /// `nonisolated(unsafe)` because a request that comes while another is taken is the same request.
  nonisolated(unsafe) private static let asked: UnsafeMutablePointer<Int32> = {
    let word = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
    word.initialize(to: 0)
    return word
  }()

  /// Starts to handle SIGUSR1, with which somebody asks for a checkpoint.
  ///
  /// Call this on the main thread.
  package static func takeCheckpointRequests() {
    _ = asked
    _ = handlerStack
    handle(SIGUSR1) { _ in Interruption.asked.pointee = 1 }
  }

  /// Whether SIGUSR1 has come since this was last asked.
  package static func takeCheckpointRequest() -> Bool {
    guard asked.pointee != 0 else { return false }
    asked.pointee = 0
    return true
  }

  /// Starts to handle the signals.
  ///
  /// Call this on the main thread, because the kernel delivers the process's signals to it.
  ///
  /// - Parameter alsoWithoutReader: Whether the loop also ends when the output has no reader any
  ///   more, such as after `| head -1`. Otherwise the next line of output ends the process.
  package init(alsoWithoutReader: Bool = false) {
    // Create both before a handler uses them.
    _ = Self.requested
    _ = Self.handlerStack
    // A terminal that is closed sends SIGHUP, which 'nohup' ignores for its program.
    for number in [SIGINT, SIGTERM] + (Self.isIgnored(SIGHUP) ? [] : [SIGHUP]) {
      Self.handle(number) { number in
        Interruption.requested.pointee = 1
        signal(number, SIG_DFL)
      }
    }
    if alsoWithoutReader {
      // This handler stays installed, because the lines after the loop have no reader either.
      Self.handle(SIGPIPE) { _ in Interruption.requested.pointee = 1 }
    }
  }

  package var isRequested: Bool { Self.wasRequested }

  /// Whether a signal has ended a loop of this process.
  package static var wasRequested: Bool { requested.pointee != 0 }

  /// The exit code of a command that a signal ended early, as shells expect it.
  ///
  /// A shell goes on with the next command of a script after Ctrl-C if the first one ends with 0.
  package static let exitCode = ExitCode(130)

  /// A separate stack for signal handlers, made once.
  ///
  /// TensorFlow's matrix multiplication keeps values below the stack pointer, beyond the area that
  /// a signal leaves alone. A handler on the ordinary stack overwrites them, and the heap is
  /// corrupted a moment later. Python processes crash in the same way.
  private static let handlerStack: Void = {
    // The AMX registers alone take 8 KiB of a signal's frame.
    let size = 256 * 1024
    var stack = stack_t()
    stack.ss_sp = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
    stack.ss_size = numericCast(size)
    sigaltstack(&stack, nil)
  }()

  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    sigaction(number, nil, &action)
    #if canImport(Glibc)
    let handler = action.__sigaction_handler.sa_handler
    #elseif canImport(Musl)
    let handler = action.__sa_handler.sa_handler
    #else
    let handler = action.__sigaction_u.__sa_handler
    #endif
    return unsafeBitCast(handler, to: Int.self) == 1
  }

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
