// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CSystemCalls
import Dispatch
import TensorIO
import TensorIOIsolation
import WorkerProtocol

/// A process that a ``WorkerFleet`` runs.
///
/// `@unchecked Sendable` because the fleet's lock guards everything that changes.
final class FleetWorker: @unchecked Sendable {
  /// The items that it has, by their identifiers.
  var underWay: [ItemID: Job] = [:]
  /// The same items in the order in which it was given them, which is that in which it runs them.
  var order: [Job] = []
  /// The number of items that it was given.
  var given = 0
  /// The number of items that it takes at a time; 0 until it has loaded the model.
  var window = 0
  /// Whether its only item is under suspicion.
  var isAlone = false
  /// Whether it gets no more items.
  var isRetired = false
  /// How often the fleet has looked since the last message.
  var silentLooks = 0
  /// Whether the fleet has killed it.
  var wasKilled = false

  private let process: SpawnedProcess
  private let stream: Int32
  private let writer: FrameWriter

  /// Starts a worker.
  ///
  /// - Throws: `TensorIOError` when the system can't start a process.
  init(_ arguments: [String]) throws {
    let ends = try SpawnedProcess.makeStream()
    defer { close(ends.child) }
    do {
      process = try SpawnedProcess(
        "/proc/self/exe", ["tensorio"] + arguments,
        descriptors: [
          (ends.child, STDIN_FILENO), (ends.child, STDOUT_FILENO), (STDERR_FILENO, STDERR_FILENO),
        ],
        // A trace of the Swift runtime takes seconds, and shows nothing of the model's runtime.
        environment: ["SWIFT_BACKTRACE=enable=no"])
    } catch {
      close(ends.own)
      throw error
    }
    stream = ends.own
    writer = FrameWriter(ends.own, form: .binary)
  }

  deinit { close(stream) }

  var isReady: Bool { window > 0 }

  func send(_ frame: Frame) {
    // The stream must not be closed before, because its number could then be another worker's.
    writer.send(frame) { [self] in withExtendedLifetime(self) {} }
  }

  /// Has the worker end after the items that it has.
  func endInput() { writer.afterAll { [self] in shutdown(stream, Int32(SHUT_WR)) } }

  func kill() { _ = CSystemCalls.kill(process.identifier, SIGKILL) }

  /// Reads the worker's messages on a thread of its own until its stream ends.
  ///
  /// - Parameters:
  ///   - onFrame: Called with each message and what it is.
  ///   - onEnd: Called with how the process ended.
  func read(
    onFrame: @escaping @Sendable (Frame, ReplyHead) -> Void,
    onEnd: @escaping @Sendable (ProcessEnding) -> Void
  ) {
    DispatchQueue(label: "tensorio.worker.fleet").async { [self] in
      var decoder = FrameDecoder(.binary, mostBodyBytes: .max)
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      do {
        while let bytes = try Descriptor.read(stream, into: &buffer) {
          try decoder.add(bytes)
          while case .frame(let frame)? = decoder.next() { onFrame(frame, try ReplyHead(frame)) }
        }
      } catch {
        // A worker whose memory is damaged may write anything. It is replaced like one that crashed.
        self.kill()
      }
      onEnd(process.end(isEnding: true))
    }
  }
}
