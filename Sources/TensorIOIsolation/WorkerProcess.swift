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
  private let process: SpawnedProcess
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
    let stream = try SpawnedProcess.makeStream()
    defer { close(stream.child) }
    do {
      // The path only helps people who look at the list of processes.
      process = try SpawnedProcess(
        options.program,
        ["tensorio"] + options.arguments + ["--memory", String(options.memoryBytes), "--", path],
        descriptors: [
          (stream.child, Self.streamDescriptor), (memory.descriptor, Self.memoryDescriptor),
        ])
    } catch {
      close(stream.own)
      throw error
    }
    channel = MessageChannel(descriptor: stream.own)
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
  ///   - cancellation: Tokens, each of which ends the wait and the process.
  /// - Returns: The reply, or nil when a run changed only the outputs' elements.
  /// - Throws: `TensorIOError` that the process replied with, or that describes how it ended.
  func ask(
    _ request: WorkerRequest?, within seconds: Double, cancellation: [CancellationToken] = []
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
          + "stopped. Allow more time, or use a smaller model.")
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
      return TensorIOError(.processEnded, fault.message(ofModelAt: path), cause: fault)
    }
    return TensorIOError(
      .processEnded, "The process that ran the model '\(path)' ended unexpectedly.", cause: cause)
  }

  /// Ends the process.
  ///
  /// - Parameter isEnding: Whether the process is about to end by itself. It then gets a moment to
  ///   do so.
  /// - Returns: The signal that ended the process, or 0.
  private func stop(isEnding: Bool = false) -> Int32 {
    guard isRunning else { return 0 }
    isRunning = false
    let ending = process.end(isEnding: isEnding)
    return isEnding ? ending.signal : 0
  }
}
