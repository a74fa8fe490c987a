// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization
import WorkerProtocol

/// Writes frames to a stream, one after the other, on a thread of its own.
///
/// Answers can be held for a short time and written together, so that neither process is woken for each
/// of them. The sender limits the number of frames that wait.
final class FrameWriter: Sendable {
  private struct HeldFrame {
    let frame: Frame
    let then: @Sendable () -> Void
  }

  private let descriptor: Int32
  private let form: FrameForm
  private let mostHeld: Int
  private let onFailure: @Sendable (Int32) -> Void
  private let queue = DispatchQueue(label: "tensorio.worker.writer")
  private let held = Mutex<[HeldFrame]>([])
  /// The longest time that an answer is held.
  private static let longestHold = DispatchTimeInterval.milliseconds(20)
  /// A longer answer isn't held, because writing it costs more than waking a process.
  private static let mostHeldBytes = 1 << 14

  /// Makes a writer.
  ///
  /// - Parameters:
  ///   - descriptor: The stream.
  ///   - form: How the frames are written.
  ///   - mostHeld: When so many frames are held, they are written.
  ///   - onFailure: Called for each frame that can't be written, with the number of the system's error.
  init(
    _ descriptor: Int32, form: FrameForm, mostHeld: Int = 1,
    onFailure: @escaping @Sendable (Int32) -> Void = { _ in }
  ) {
    self.descriptor = descriptor
    self.form = form
    self.mostHeld = mostHeld
    self.onFailure = onFailure
  }

  /// Writes a frame, and calls a closure when it is written.
  ///
  /// - Parameters:
  ///   - frame: The frame.
  ///   - mayWait: Whether the frame may be held until there are others.
  ///   - then: The closure.
  func send(
    _ frame: Frame, mayWait: Bool = false, then: @escaping @Sendable () -> Void = {}
  ) {
    let isShort = frame.header.count + frame.body.count <= Self.mostHeldBytes
    let count = held.withLock { held in
      held.append(HeldFrame(frame: frame, then: then))
      return held.count
    }
    if !mayWait || !isShort || count >= mostHeld {
      queue.async { self.writeHeld() }
    } else if count == 1 {
      queue.asyncAfter(deadline: .now() + Self.longestHold) { self.writeHeld() }
    }
  }

  /// Waits until everything is written.
  func finish() { queue.sync { writeHeld() } }

  /// Calls a closure after everything is written.
  func afterAll(_ body: @escaping @Sendable () -> Void) {
    queue.async {
      self.writeHeld()
      body()
    }
  }

  private func writeHeld() {
    let frames = held.withLock { held in
      defer { held = [] }
      return held
    }
    guard !frames.isEmpty else { return }
    let bytes =
      frames.count == 1
      ? frames[0].frame.encoded(as: form)
      : frames.reduce(into: []) { $0 += $1.frame.encoded(as: form) }
    let failure = Descriptor.write(bytes, to: descriptor)
    for held in frames {
      if let failure { onFailure(failure) }
      held.then()
    }
  }
}
