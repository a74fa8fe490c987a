// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CSystemCalls
import TensorIO

/// A process that runs one model for this program, with a stream to it.
///
/// Only one thread at a time uses it, as with the session that owns it.
final class WorkerProcess {
  /// The memory that the process shares with this one.
  let memory: SharedMemory
  private let channel: MessageChannel
  private let identifier: pid_t
  /// The model's path, for messages.
  private let path: String
  private(set) var isRunning = true

  /// The file descriptors of the stream and the shared memory in the new process.
  static let streamDescriptor: Int32 = 3
  static let memoryDescriptor: Int32 = 4

  /// Starts a process and has it load a model.
  ///
  /// - Parameters:
  ///   - address: The model.
  ///   - options: The program to start, and its limits.
  /// - Returns: The process, and its reply.
  /// - Throws: `TensorIOError` when the process cannot be started, or cannot load the model.
  static func load(
    _ address: ModelAddress, _ options: IsolationOptions
  ) throws -> (process: WorkerProcess, reply: WorkerReply?) {
    let process = try WorkerProcess(options, modelAt: address.path)
    return (process, try process.ask(.load(address), within: options.firstAnswerSeconds))
  }

  private init(_ options: IsolationOptions, modelAt path: String) throws {
    memory = try SharedMemory()
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Self.streamType, 0, &ends) == 0 else {
      throw Self.startFault(errno)
    }
    defer { close(ends[1]) }
    do {
      identifier = try Self.spawn(
        options, stream: ends[1], memory: memory.descriptor, modelAt: path)
    } catch {
      close(ends[0])
      throw error
    }
    channel = MessageChannel(descriptor: ends[0])
    self.path = path
  }

  deinit {
    _ = stop()
    close(channel.descriptor)
  }

  // MARK: - Messages

  /// Sends a request and waits for the reply.
  ///
  /// - Parameters:
  ///   - request: The request; nil requests a run.
  ///   - seconds: The maximum time to wait for the reply.
  ///   - cancellation: A token that ends the wait and the process.
  /// - Returns: The reply, or nil when a run changed only the outputs' elements.
  /// - Throws: `TensorIOError` that the process replied with, or that describes how it ended.
  func ask(
    _ request: WorkerRequest?, within seconds: Double, cancellation: CancellationToken? = nil
  ) throws -> WorkerReply? {
    let reply: WorkerReply?
    do {
      try channel.sendMessage(request)
      reply = try channel.receiveMessage(
        WorkerReply.self, within: seconds, cancellation: cancellation)
    } catch MessageChannel.Failure.timedOut {
      _ = stop()
      throw TensorIOError(
        .inferenceFailed,
        "The model '\(path)' didn't respond within \(Int(seconds.rounded(.up))) seconds, so it was "
          + "stopped.")
    } catch MessageChannel.Failure.cancelled {
      _ = stop()
      throw TensorIOError(.cancelled, "The run was cancelled.")
    } catch let error as TensorIOError {
      throw error
    } catch {
      throw ended(error)
    }
    guard case .failed(let code, let message, let subject) = reply else { return reply }
    var error = TensorIOError(TensorIOError.Code(rawValue: code), message)
    error.subject = subject
    throw error
  }

  /// Returns the error for a process that ended by itself.
  private func ended(_ cause: any Error) -> TensorIOError {
    let signal = stop(isEnding: true)
    if let fault = ProcessFault(signal: signal) {
      return TensorIOError(.unsupportedModel, fault.message(ofModelAt: path), cause: cause)
    }
    return TensorIOError(
      .inferenceFailed, "The process that ran the model '\(path)' ended unexpectedly.", cause: cause
    )
  }

  /// Ends the process.
  ///
  /// - Parameter isEnding: Whether the process is about to end by itself. It then gets a moment to
  ///   do so.
  /// - Returns: The signal that ended the process, or 0.
  private func stop(isEnding: Bool = false) -> Int32 {
    guard isRunning else { return 0 }
    isRunning = false
    var status: Int32 = 0
    for _ in 0..<(isEnding ? 100 : 0) {
      if waitpid(identifier, &status, WNOHANG) == identifier { return status & 0x7f }
      usleep(10_000)
    }
    kill(identifier, SIGKILL)
    while waitpid(identifier, &status, 0) < 0 && errno == EINTR {}
    return isEnding ? status & 0x7f : 0
  }

  // MARK: - Starting

  #if os(Linux)
  private static let streamType = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
  #else
  private static let streamType = SOCK_STREAM
  #endif

  private static func spawn(
    _ options: IsolationOptions, stream: Int32, memory: Int32, modelAt path: String
  ) throws -> pid_t {
    #if os(Linux)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // Go through higher numbers first, because one descriptor may occupy the other's number.
    let spare = max(stream, memory, memoryDescriptor) + 1
    posix_spawn_file_actions_adddup2(&actions, stream, spare)
    posix_spawn_file_actions_adddup2(&actions, memory, spare + 1)
    posix_spawn_file_actions_adddup2(&actions, spare, streamDescriptor)
    posix_spawn_file_actions_adddup2(&actions, spare + 1, memoryDescriptor)
    for (descriptor, mode) in [
      (STDIN_FILENO, O_RDONLY), (STDOUT_FILENO, O_WRONLY),
      (STDERR_FILENO, O_WRONLY),
    ] {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", mode, 0)
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // Server threads block signals, so the child starts with defaults. Ctrl-C is for the server
    // only, which then ends its children.
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes,
      Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
    // The path only helps people who look at the list of processes.
    let words =
      ["tensorio"] + options.arguments + ["--memory", String(options.memoryBytes), "--", path]
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var identifier: pid_t = 0
    let code = posix_spawn(
      &identifier, options.program, &actions, &attributes, &arguments, environ)
    guard code == 0 else { throw startFault(code) }
    return identifier
    #else
    throw TensorIOError(
      .unsupportedModel, "Models can run in processes of their own only on Linux.")
    #endif
  }

  private static func startFault(_ code: Int32) -> TensorIOError {
    TensorIOError(
      .internalFault,
      "The process that runs the model couldn't be started: \(String(cString: strerror(code))).")
  }
}
