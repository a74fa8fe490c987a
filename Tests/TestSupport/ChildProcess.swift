// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

package import Foundation
import Synchronization

/// A program that a test starts, with pipes to its three standard streams.
///
/// This doesn't use Foundation's `Process`: on Linux, `run()` copies whole `dirent` structures from
/// what `readdir` filled, sometimes reads past the end of memory, and crashes the tests with a bad
/// pointer dereference (Foundation of Swift 6.3.1). The program would also inherit the signals that
/// Swift's threads block.
package final class ChildProcess: Sendable {
  /// How a program ended: its exit status, or the number of the signal that ended it, and its
  /// output.
  package typealias Result = (status: Int32, output: String, error: String)

  /// The process identifier.
  package let identifier: pid_t
  /// Writes to the program's standard input.
  package let input: FileHandle
  /// Reads its standard output.
  package let output: FileHandle
  /// Reads its standard error.
  package let error: FileHandle

  private let ending = Ending()

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - path: The program's file.
  ///   - arguments: The arguments after the program's name.
  ///   - environment: All of its environment variables; nil passes on the test's.
  ///   - folder: Its working directory.
  /// - Throws: `POSIXError` when it can't be started.
  package init(
    _ path: String, _ arguments: [String], environment: [String: String]? = nil,
    in folder: String = Python.root.path
  ) throws {
    let variables = environment ?? ProcessInfo.processInfo.environment
    // The shell changes to the folder, then the program replaces it.
    let words = ["/bin/sh", "-c", #"cd "$0" && exec "$@""#, folder, path] + arguments
    let (number, pipes) = try Self.oneByOne.withLock { _ in
      let pipes = [try Pipe(), try Pipe(), try Pipe()]
      Self.keepConnections()
      return (try Self.spawn(words, variables, pipes), pipes)
    }
    identifier = number
    input = FileHandle(fileDescriptor: pipes[0].writing, closeOnDealloc: true)
    output = FileHandle(fileDescriptor: pipes[1].reading, closeOnDealloc: true)
    error = FileHandle(fileDescriptor: pipes[2].reading, closeOnDealloc: true)
    // A process that has ended must be waited for at once. Until then, Swift Testing's thread that
    // waits for exit tests takes a whole processor.
    Thread.detachNewThread { [ending] in ending.wait(for: number) }
  }

  /// Programs are started one at a time, so that none inherits another's pipes.
  private static let oneByOne = Mutex(())

  /// Keeps programs from inheriting connections, which NIO doesn't do.
  ///
  /// An inherited connection would stay open until the program ends, even if it's closed here.
  private static func keepConnections() {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    for descriptor in names.compactMap(Int32.init) where descriptor > STDERR_FILENO {
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }
  }

  private static func spawn(
    _ words: [String], _ variables: [String: String], _ pipes: [Pipe]
  ) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (descriptor, pipe) in pipes.enumerated() {
      let theirs = descriptor == 0 ? pipe.reading : pipe.writing
      posix_spawn_file_actions_adddup2(&actions, theirs, Int32(descriptor))
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    var texts = words.map { strdup($0) } + [nil]
    var settings = variables.map { strdup("\($0)=\($1)") } + [nil]
    defer { for text in texts + settings { free(text) } }
    var identifier = pid_t()
    let status = posix_spawn(&identifier, words[0], &actions, &attributes, &texts, &settings)
    for (descriptor, pipe) in pipes.enumerated() {
      close(descriptor == 0 ? pipe.reading : pipe.writing)
    }
    guard status == 0 else { throw POSIXError(POSIXErrorCode(rawValue: status) ?? .EIO) }
    return identifier
  }

  /// Waits until the program ends.
  ///
  /// - Returns: Its exit status, or the number of the signal that ended it.
  package func wait() -> Int32 { ending.status }

  /// Writes all input, reads all output, and waits until the program ends.
  ///
  /// - Parameters:
  ///   - text: What the program reads from standard input.
  ///   - whenOutputBegins: Called when the program writes its first bytes to standard output.
  /// - Returns: The program's status and output.
  package func finish(
    input text: Data = Data(), whenOutputBegins: @escaping @Sendable () -> Void = {}
  ) async -> Result {
    async let written: Void = onThread { [input] in
      // It isn't an error if the program doesn't read all of its input.
      try? input.write(contentsOf: text)
      try? input.close()
    }
    // Both are read at the same time: a full pipe would block the program forever.
    async let first = onThread { [output] in
      var data = output.availableData
      if !data.isEmpty { whenOutputBegins() }
      data += (try? output.readToEnd()) ?? Data()
      return data
    }
    async let second = onThread { [error] in (try? error.readToEnd()) ?? Data() }
    let (data, messages) = (await first, await second)
    await written
    let status = await onThread { self.wait() }
    return (
      status, String(decoding: data, as: UTF8.self), String(decoding: messages, as: UTF8.self)
    )
  }

  /// Runs blocking work away from the few threads that all tasks share.
  private func onThread<Value: Sendable>(
    _ work: @escaping @Sendable () -> Value
  ) async -> Value {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(returning: work()) }
    }
  }
}

/// How a process ended, once it has.
private final class Ending: Sendable {
  private let hasEnded = DispatchGroup()
  private let result = Mutex<Int32>(0)

  init() { hasEnded.enter() }

  /// Waits for the end of a child.
  func wait(for identifier: pid_t) {
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) < 0 && errno == EINTR {}
    let signal = status & 0x7F
    result.withLock { $0 = signal == 0 ? (status >> 8) & 0xFF : signal }
    hasEnded.leave()
  }

  /// The exit status, or the number of the signal that ended the process, which this waits for.
  var status: Int32 {
    hasEnded.wait()
    return result.withLock { $0 }
  }
}

/// The two ends of a pipe.
private struct Pipe {
  let reading: Int32
  let writing: Int32

  init() throws {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    (reading, writing) = (ends[0], ends[1])
  }
}
