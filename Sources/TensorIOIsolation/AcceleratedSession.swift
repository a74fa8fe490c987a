// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A session that tries its first inputs on the CPU, and runs on an accelerator that can be trusted.
final class AcceleratedSession: Session {
  private let model: AcceleratedModel
  private let signature: SignatureDescription
  private let options: SessionOptions
  private let cpu: any Session
  /// The session that the next run uses.
  private var next: any Session
  /// The session that has run last, whose outputs are read.
  private var last: any Session
  /// Whether it is known what runs the model.
  private var isDecided = false
  /// The shapes that were requested last.
  private var shapes: [[Int]]?

  init(
    _ model: AcceleratedModel, _ signature: SignatureDescription, options: SessionOptions,
    cpu: any Session
  ) {
    self.model = model
    self.signature = signature
    self.options = options
    self.cpu = cpu
    next = cpu
    last = cpu
  }

  func run() throws { try run(nil) }

  func run(until token: CancellationToken) throws { try run(token) }

  private func run(_ token: CancellationToken?) throws {
    if !isDecided {
      var hasRun = false
      let accelerated = try model.decide(options) {
        // Other outputs are compared with those of the CPU.
        try run(cpu, token)
        hasRun = true
        let trial = AcceleratorTrial(
          model.backend.address(of: model.path, for: model.modes, threads: options.threads),
          model.backend.isolation)
        return trial.reasonAgainst(signature, shapes: shapes, comparedWith: cpu)
      }
      isDecided = true
      if let accelerated { try continueOn(accelerated) }
      if hasRun { return try repeatOnAccelerator(token) }
    }
    if next === cpu { try model.checkCPUIsAllowed() }
    try runDecided(token)
    last = next
  }

  /// Runs on the processor that was chosen.
  ///
  /// If the accelerator fails, the run fails, too, because the inputs may be lost with its process.
  /// The CPU does the next one.
  private func runDecided(_ token: CancellationToken?) throws {
    do {
      try run(next, token)
    } catch let error where next !== cpu && !isCancellation(error, token) {
      next = cpu
      if let shapes { try cpu.resizeInputs(to: shapes) }
      try model.distrust(error)
      throw error
    }
  }

  private func isCancellation(_ error: any Error, _ token: CancellationToken?) -> Bool {
    token?.isCancelled == true || (error as? TensorIOError)?.code == .cancelled
  }

  /// Runs the inputs of the trial again, so that all outputs of a model are from the same processor.
  private func repeatOnAccelerator(_ token: CancellationToken?) throws {
    guard next !== cpu else { return }
    do {
      try run(next, token)
      last = next
    } catch {
      if isCancellation(error, token) { throw error }
      try model.distrust(error)
      next = cpu
    }
  }

  private func run(_ session: any Session, _ token: CancellationToken?) throws {
    if let token { try session.run(until: token) } else { try session.run() }
  }

  /// Uses the accelerator from now on, with the current inputs.
  private func continueOn(_ accelerated: any LoadedModel) throws {
    do {
      var options = options
      options.accelerator = .gpu
      let session = try accelerated.makeSession(signature, options: options)
      if let shapes { try session.resizeInputs(to: shapes) }
      try signature.copyInputs(of: cpu, to: session)
      next = session
    } catch {
      try model.distrust(error)
    }
  }

  // MARK: - Tensors

  func resizeInputs(to shapes: [[Int]]) throws {
    let former = self.shapes ?? signature.inputs.map(\.shape)
    if next !== cpu, shapes != former {
      // LiteRT's GPU session goes on with the memory of its first shape, and computes zeros beyond it.
      next = cpu
      try model.distrust(
        because: "the shapes of its inputs changed from \(former) to \(shapes) after the trial.")
    }
    if next === cpu { try cpu.resizeInputs(to: shapes) }
    last = next
    self.shapes = shapes
  }

  func outputShape(at index: Int) -> [Int] { last.outputShape(at: index) }

  func withInput(at index: Int, _ body: (inout MutableRawSpan) throws -> Void) throws {
    try next.withInput(at: index, body)
  }

  func setInput(at index: Int, to strings: [Data]) throws {
    try next.setInput(at: index, to: strings)
  }

  func useDefault(forInputAt index: Int) throws { try next.useDefault(forInputAt: index) }

  func reset() throws { try next.reset() }

  func withOutput(at index: Int, _ body: (RawSpan) throws -> Void) throws {
    try last.withOutput(at: index, body)
  }

  func strings(ofOutput index: Int) throws -> [Data] { try last.strings(ofOutput: index) }
}

extension SignatureDescription {
  /// Copies the values of all inputs from one session to another one of the same shapes.
  func copyInputs(of source: any Session, to target: any Session) throws {
    for (index, input) in inputs.enumerated() {
      try source.withInput(at: index) { bytes in
        let bytes = bytes.bytes
        try target.withInput(at: index) { copy in
          guard copy.byteCount == bytes.byteCount else {
            throw TensorIOError(
              .wrongElementCount,
              "The input '\(input.name)' has \(bytes.byteCount) bytes on the CPU, but "
                + "\(copy.byteCount) bytes on the accelerator.")
          }
          bytes.withUnsafeBytes { source in
            copy.withUnsafeMutableBytes { $0.copyMemory(from: source) }
          }
        }
      }
    }
  }
}
