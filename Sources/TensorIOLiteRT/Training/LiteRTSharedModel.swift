// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import TensorIO

/// A compiled model that all sessions of a trained model share, because it holds the variables.
///
/// Each session has its own buffers. LiteRT keeps one set of shapes per signature, so before a run
/// a session restores its shapes if another session changed them.
///
/// `@unchecked Sendable` because the compiled model is only used under the lock.
final class LiteRTSharedModel: @unchecked Sendable {
  /// The shapes of each signature's inputs in the compiled model.
  ///
  /// A missing entry means that they are unknown.
  typealias Shapes = [Int: [[Int]]]

  private let compiled: LiteRTCompiledModel
  private let shapes = Mutex<Shapes>([:])

  init(_ file: LiteRTModelFile, options: SessionOptions) throws {
    compiled = try LiteRTCompiledModel(file, options: options)
  }

  /// Makes a session for each signature, with the shapes that the file states.
  func makeSteps(_ signatures: [Int], of model: LiteRTModel) throws -> [LiteRTSession] {
    var steps: [LiteRTSession] = []
    try shapes.withLock { shapes in
      for signature in signatures {
        let step = try LiteRTSession(model: model, signature: signature, running: compiled)
        let stated = model.signatures[signature].inputs.map { $0.shape.map { $0 < 0 ? 1 : $0 } }
        shapes[signature] = step.inputShapes
        try Self.resize(step, to: stated, &shapes)
        steps.append(step)
      }
    }
    return steps
  }

  /// Changes the shapes of all sessions, or of none when one fails.
  func resize(_ steps: [LiteRTSession], to wanted: [[[Int]]]) throws {
    try shapes.withLock { shapes in
      let before = steps.map(\.inputShapes)
      for (position, step) in steps.enumerated() {
        do {
          try Self.resize(step, to: wanted[position], &shapes)
        } catch {
          for earlier in 0..<position {
            try Self.resize(steps[earlier], to: before[earlier], &shapes)
          }
          throw error
        }
      }
    }
  }

  /// Runs sessions one after the other, with no other session's run in between.
  func run(_ steps: [LiteRTSession]) throws {
    try shapes.withLock { shapes in
      // Restore all shapes first, so that no step trains before a step that cannot run.
      for step in steps where shapes[step.signature] != step.inputShapes {
        shapes[step.signature] = nil
        try step.restoreShapes()
        shapes[step.signature] = step.inputShapes
      }
      for step in steps { try step.run() }
    }
  }

  private static func resize(
    _ step: LiteRTSession, to wanted: [[Int]], _ shapes: inout Shapes
  ) throws {
    guard step.inputShapes != wanted else { return }
    shapes[step.signature] = nil
    try step.resizeInputs(to: wanted)
    shapes[step.signature] = wanted
  }
}
