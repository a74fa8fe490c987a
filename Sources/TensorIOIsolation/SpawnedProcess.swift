// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CSystemCalls
import TensorIO

/// A child process that works for this one.
///
/// The owner calls ``end(isEnding:)`` once, which also removes the process from the system's list.
package struct SpawnedProcess: Sendable {
  /// The process identifier.
  package let identifier: Int32

  /// Starts a program in a process group of its own, so that Ctrl-C is only for this process, which
  /// then ends its children.
  ///
  /// - Parameters:
  ///   - program: The path of the program.
  ///   - words: Its command line, which begins with its name.
  ///   - descriptors: Which of this process's descriptors it gets, and under which numbers. All others
  ///     must be closed when a program starts. Standard streams that aren't named lead nowhere.
  ///   - environment: Variables in addition to those of this process.
  /// - Throws: `TensorIOError` when it cannot be started.
  package init(
    _ program: String, _ words: [String], descriptors: [(own: Int32, child: Int32)],
    environment: [String] = []
  ) throws {
    #if os(Linux)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // Go through higher numbers first, because one descriptor may occupy the other's number.
    let spare = (descriptors.flatMap { [$0.own, $0.child] }.max() ?? STDERR_FILENO) + 1
    for (index, descriptor) in descriptors.enumerated() {
      posix_spawn_file_actions_adddup2(&actions, descriptor.own, spare + Int32(index))
    }
    for (index, descriptor) in descriptors.enumerated() {
      posix_spawn_file_actions_adddup2(&actions, spare + Int32(index), descriptor.child)
    }
    for (descriptor, mode) in [
      (STDIN_FILENO, O_RDONLY), (STDOUT_FILENO, O_WRONLY),
      (STDERR_FILENO, O_WRONLY),
    ] where !descriptors.contains(where: { $0.child == descriptor }) {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", mode, 0)
    }
    for index in descriptors.indices {
      posix_spawn_file_actions_addclose(&actions, spare + Int32(index))
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // Server threads block signals, so the child starts with defaults.
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes,
      Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    // The first of two variables with one name counts.
    var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup($0) }
    defer { for variable in variables.prefix(environment.count) { free(variable) } }
    var next = environ
    while let variable = next?.pointee {
      variables.append(variable)
      next = next?.successor()
    }
    variables.append(nil)
    var identifier: pid_t = 0
    let code = posix_spawn(&identifier, program, &actions, &attributes, &arguments, &variables)
    guard code == 0 else { throw Self.startFault(code) }
    self.identifier = identifier
    #else
    throw TensorIOError(
      .unsupportedModel, "Models can run in processes of their own only on Linux.")
    #endif
  }

  /// Makes both ends of a stream between this process and a child.
  ///
  /// - Throws: `TensorIOError` when the system refuses.
  package static func makeStream() throws -> (own: Int32, child: Int32) {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, streamType, 0, &ends) == 0 else { throw startFault(errno) }
    return (ends[0], ends[1])
  }

  /// Ends the process.
  ///
  /// - Parameter isEnding: Whether the process is about to end by itself. It then gets a moment to
  ///   do so.
  /// - Returns: How it ended, as `waitpid` describes it.
  package func end(isEnding: Bool = false) -> ProcessEnding {
    var status: Int32 = 0
    for _ in 0..<(isEnding ? 100 : 0) {
      if waitpid(identifier, &status, WNOHANG) == identifier { return ProcessEnding(status) }
      usleep(10_000)
    }
    kill(identifier, SIGKILL)
    while waitpid(identifier, &status, 0) < 0 && errno == EINTR {}
    return ProcessEnding(status)
  }

  #if os(Linux)
  private static let streamType = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
  #else
  private static let streamType = SOCK_STREAM
  #endif

  private static func startFault(_ code: Int32) -> TensorIOError {
    TensorIOError(
      .internalFault,
      "The process that runs the model couldn't be started: \(String(cString: strerror(code))).")
  }
}

/// How a process ended.
package enum ProcessEnding: Hashable, Sendable {
  case exited(status: Int32)
  case signalled(Int32)

  init(_ status: Int32) {
    let signal = status & 0x7f
    self = signal == 0 ? .exited(status: (status >> 8) & 0xff) : .signalled(signal)
  }

  /// The signal that ended the process, or 0.
  package var signal: Int32 { if case .signalled(let signal) = self { signal } else { 0 } }
}
