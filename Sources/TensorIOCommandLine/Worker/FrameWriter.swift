// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization
import WorkerProtocol

/// Writes frames to a stream, one after the other, on a thread of its own.
///
/// The sender limits the number of frames that wait.
final class FrameWriter: Sendable {
  private let descriptor: Int32
  private let form: FrameForm
  private let onClosed: @Sendable () -> Void
  private let queue = DispatchQueue(label: "tensorio.worker.writer")

  /// Makes a writer.
  ///
  /// - Parameters:
  ///   - descriptor: The stream.
  ///   - form: How the frames are written.
  ///   - onClosed: Called for each frame that nobody can read any more.
  init(_ descriptor: Int32, form: FrameForm, onClosed: @escaping @Sendable () -> Void = {}) {
    self.descriptor = descriptor
    self.form = form
    self.onClosed = onClosed
  }

  /// Writes a frame soon, and calls a closure when it is written.
  func send(_ frame: Frame, then: @escaping @Sendable () -> Void = {}) {
    queue.async { [self] in
      if !Descriptor.write(frame.encoded(as: form), to: descriptor) { onClosed() }
      then()
    }
  }

  /// Waits until everything is written.
  func finish() { queue.sync {} }

  /// Calls a closure after everything is written.
  func afterAll(_ body: @escaping @Sendable () -> Void) { queue.async { body() } }
}
