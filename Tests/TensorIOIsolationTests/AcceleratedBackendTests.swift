// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TensorIOIsolation
import TensorIOLiteRT
import TestSupport
import Testing

/// Shapes that a trial on an accelerator didn't have.
///
/// Without a GPU, the CPU takes over after the first run.
@Suite struct AcceleratedBackendTests {
  private static let path = Fixtures.model("dynamic_batch.tflite")

  /// Runs a session on numbers that count from 1, and returns the bytes of the first output.
  private static func run(_ session: any Session) throws -> [UInt8] {
    try session.withInput(at: 0) { memory in
      memory.withUnsafeMutableBytes { bytes in
        for (index, element) in bytes.bindMemory(to: Float.self).indices.enumerated() {
          bytes.storeBytes(
            of: Float(index + 1), toByteOffset: element * MemoryLayout<Float>.stride, as: Float.self
          )
        }
      }
    }
    try session.run()
    var found: [UInt8] = []
    try session.withOutput(at: 0) { span in found = span.withUnsafeBytes { Array($0) } }
    return found
  }

  @Test func `items aren't joined until it is known that the CPU runs the model`() throws {
    let backend = AcceleratedBackend(.liteRT, isolation: .test())
    let model = try backend.loadModel(at: Self.path, for: .predict)
    #expect(!model.runsBatches)
    _ = try Self.run(model.makeSession(signature: 0, options: SessionOptions()))
    #expect(model.runsBatches == (backend.outcomes.first?.accelerator == .cpu))
  }

  @Test(arguments: [false, true])
  func `other shapes than those of the trial have the CPU's values`(isolatesRuns: Bool) throws {
    let backend = AcceleratedBackend(
      .liteRT, isolation: .test(), isolatesRuns: isolatesRuns)
    let model = try backend.loadModel(at: Self.path, for: .predict)
    let session = try model.makeSession(signature: 0, options: SessionOptions())
    let plain = try LiteRTBackend().loadModel(at: Self.path, for: .predict)
    let cpu = try plain.makeSession(signature: 0, options: SessionOptions())
    let single = try #require(model.signatures.first).inputs.map { [1] + $0.shape.dropFirst() }
    for count in [1, 2, 5, 1] {
      let shapes = single.map { [count] + $0.dropFirst() }
      try session.resizeInputs(to: shapes)
      try cpu.resizeInputs(to: shapes)
      try #expect(Self.run(session) == Self.run(cpu), "\(count) items")
    }
    #expect(backend.outcomes.map(\.accelerator) == [.cpu])
  }
}
