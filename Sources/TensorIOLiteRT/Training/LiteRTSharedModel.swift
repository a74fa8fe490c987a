// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
internal import TensorIO

/// A compiled model that all sessions of a trained model share, for its variables are in there.
///
/// Each session has buffers of its own. LiteRT knows one set of shapes a signature, so that a session
/// gives it its own before a run, where another session's are there.
///
/// `@unchecked Sendable` because the compiled model is only used under the lock.
final class LiteRTSharedModel: @unchecked Sendable {
  /// The shapes of each signature's inputs in the compiled model; none where they are not known.
  typealias Shapes = [Int: [[Int]]]

  private let compiled: LiteRTCompiledModel
  private let shapes = Mutex<Shapes>([:])

  init(_ file: LiteRTModelFile, options: SessionOptions) throws {
    compiled = try LiteRTCompiledModel(file, options: options)
  }

  /// Makes sessions of signatures, with the shapes that the file states.
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

  /// Gives sessions other shapes: all of them, or none.
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

  /// Runs sessions one after the other; no other session's run comes between.
  func run(_ steps: [LiteRTSession]) throws {
    try shapes.withLock { shapes in
      // First, so that no step trains before one that cannot run.
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
