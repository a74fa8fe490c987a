// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

package import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A program that a test started, with pipes to its three streams.
///
/// Foundation's `Process` is not used: on Linux `run()` copies whole `dirent` structures out of what
/// `readdir` filled, now and then past the end of memory, and ends the tests with a bad pointer
/// dereference (Foundation of Swift 6.3.1). The signals that Swift's threads block would be blocked in
/// the program, too.
package final class ChildProcess: Sendable {
  /// What a program left: its exit status, or the number of the signal that ended it, and what it
  /// wrote.
  package typealias Result = (status: Int32, output: String, error: String)

  /// The process's number.
  package let identifier: pid_t
  /// Writes to the program's standard input.
  package let input: FileHandle
  /// Reads its standard output.
  package let output: FileHandle
  /// Reads its standard error.
  package let error: FileHandle

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - path: The program's file.
  ///   - arguments: The words after its name.
  ///   - environment: All of its variables; nil gives it the test's.
  ///   - folder: Where it starts.
  /// - Throws: `POSIXError` when it cannot be started.
  package init(
    _ path: String, _ arguments: [String], environment: [String: String]? = nil,
    in folder: String = Python.root.path
  ) throws {
    let variables = environment ?? ProcessInfo.processInfo.environment
    // The shell goes to the folder, and the program takes its place.
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
  }

  /// Programs are started one by one: none inherits the pipes of another.
  private static let oneByOne = Mutex(())

  /// Lets no program inherit a connection, which NIO does not see to.
  ///
  /// Closed here, it would stay open as long as the program runs.
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

  /// Waits until the program ended; call it once.
  ///
  /// - Returns: Its exit status, or the number of the signal that ended it.
  package func wait() -> Int32 {
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) < 0 && errno == EINTR {}
    let signal = status & 0x7F
    return signal == 0 ? (status >> 8) & 0xFF : signal
  }

  /// Writes all input, reads all output, and waits for the end.
  ///
  /// - Parameters:
  ///   - text: What stands on standard input.
  ///   - whenOutputBegins: Called when the first bytes are on standard output.
  /// - Returns: What the program left.
  package func finish(
    input text: Data = Data(), whenOutputBegins: @escaping @Sendable () -> Void = {}
  ) async -> Result {
    async let written: Void = onThread { [input] in
      // A program that does not read its input to the end is none of our errors.
      try? input.write(contentsOf: text)
      try? input.close()
    }
    // Both are read at once: a full pipe would stop the program for ever.
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

  /// Work that blocks, off the few threads that all tasks share.
  private func onThread<Value: Sendable>(
    _ work: @escaping @Sendable () -> Value
  ) async -> Value {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(returning: work()) }
    }
  }
}

/// Both ends of a pipe.
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
