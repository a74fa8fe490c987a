// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
package import Foundation
package import ModelRepositoryAPI
package import TensorIO

/// The change of a client's weights: those after its training less those of the base version.
///
/// It is sent as a safetensors file, whose metadata names the round, the client and the number of
/// items.
package struct RoundUpdate: Sendable {
  /// The client's id in the round.
  package var client: String
  /// The number of items that the client trained on.
  package var examples: Int
  /// The changes, in the order of the task's weights.
  package var changes: [[Float]]

  package init(client: String, examples: Int, changes: [[Float]]) {
    self.client = client
    self.examples = examples
    self.changes = changes
  }

  /// The L2 norm of all changes together.
  package var norm: Double { Self.norm(changes) }

  /// The amount by which rounding may make a clipped update too large, as a share of the norm.
  package static let tolerance = 1e-5

  static func norm(_ changes: [[Float]]) -> Double {
    // Double holds the square of every finite Float.
    changes.reduce(0.0) { sum, tensor in
      tensor.reduce(sum) { $0 + Double($1) * Double($1) }
    }.squareRoot()
  }

  // MARK: - Clients

  /// Makes an update from the weights before and after a training, and clips it.
  ///
  /// - Parameters:
  ///   - client: The client's id in the round.
  ///   - examples: The number of items.
  ///   - before: The weights of the base version.
  ///   - after: The weights after the training.
  ///   - task: The round's task.
  /// - Throws: `TensorIOError` when weights are missing or have another type or shape, or when a
  ///   change isn't finite.
  package init(
    client: String, examples: Int, before: Safetensors, after: Safetensors, of task: RoundTask
  ) throws {
    let changes = try task.weights.map { weights in
      let (old, new) = (try before.floats(of: weights), try after.floats(of: weights))
      return zip(old, new).map { Double($1) - Double($0) }
    }
    let norm = changes.reduce(0.0) { sum, tensor in tensor.reduce(sum) { $0 + $1 * $1 } }
      .squareRoot()
    guard norm.isFinite else {
      throw TensorIOError(
        .trainingDiverged,
        "The training of round '\(task.round)' gave weights that aren't finite numbers, so nothing "
          + "is sent. Check the client's data.")
    }
    let factor = norm > task.plan.clipNorm ? task.plan.clipNorm / norm : 1
    self.init(
      client: client, examples: min(examples, task.plan.maximumExamples),
      changes: changes.map { $0.map { Float($0 * factor) } })
  }

  /// Returns the file to send.
  package func serialized(for task: RoundTask) throws -> Data {
    try Safetensors(
      tensors: zip(task.weights, changes).map { weights, change in
        Safetensors.Tensor(
          name: weights.name, dataType: .float32, shape: weights.shape,
          bytes: change.withUnsafeBytes { Data($0) })
      },
      metadata: [
        Key.round: task.identity, Key.client: client, Key.examples: String(examples),
      ]
    ).serialized()
  }

  private enum Key {
    static let round = "round"
    static let client = "client"
    static let examples = "examples"
  }

  // MARK: - Servers

  /// Reads an update that somebody sent, and checks everything about it.
  ///
  /// - Parameters:
  ///   - data: The file.
  ///   - client: The client that sent it.
  ///   - task: The round's task.
  /// - Throws: ``UpdateRefusal``.
  package init(parsing data: Data, from client: String, of task: RoundTask) throws(UpdateRefusal) {
    let file: Safetensors
    do {
      file = try Safetensors(
        parsing: data, path: "the update", longestHeader: Self.longestHeader(of: task))
    } catch {
      throw UpdateRefusal(.unreadable, (error as? TensorIOError)?.message ?? "\(error)")
    }
    let metadata = file.metadata
    guard metadata[Key.round] == task.identity else {
      throw UpdateRefusal(
        .wrongRound,
        "The update belongs to \(Self.quoted(metadata[Key.round])), not to '\(task.identity)'.")
    }
    guard metadata[Key.client] == client else {
      throw UpdateRefusal(
        .wrongClient,
        "The update belongs to the client \(Self.quoted(metadata[Key.client])), not to '\(client)'."
      )
    }
    guard let examples = metadata[Key.examples].flatMap({ Int($0) }),
      (1...task.plan.maximumExamples).contains(examples)
    else {
      throw UpdateRefusal(
        .wrongExamples,
        "The update states \(Self.quoted(metadata[Key.examples])) items, but must state 1 to "
          + "\(task.plan.maximumExamples).")
    }
    self.init(client: client, examples: examples, changes: try Self.changes(file, of: task))
    guard norm <= task.plan.clipNorm * (1 + Self.tolerance) else {
      throw UpdateRefusal(
        .tooLarge,
        "The update has the norm \(norm), but at most \(task.plan.clipNorm) is allowed. Clip it.")
    }
  }

  private static func changes(
    _ file: Safetensors, of task: RoundTask
  ) throws(UpdateRefusal) -> [[Float]] {
    let found = Dictionary(file.tensors.map { ($0.name, $0) }) { first, _ in first }
    var changes: [[Float]] = []
    for weights in task.weights {
      guard let tensor = found[weights.name] else {
        throw UpdateRefusal(.wrongTensors, "The update has no tensor '\(weights.name)'.")
      }
      guard tensor.dataType == .float32, tensor.shape == weights.shape else {
        throw UpdateRefusal(
          .wrongTensors,
          "The tensor '\(weights.name)' is \(tensor.dataType) \(tensor.shape), but must be "
            + "float32 \(weights.shape).")
      }
      let change = tensor.floats
      guard change.allSatisfy(\.isFinite) else {
        throw UpdateRefusal(
          .notFinite, "The tensor '\(weights.name)' has a value that isn't a finite number.")
      }
      changes.append(change)
    }
    guard found.count == task.weights.count else {
      let others = Set(found.keys).subtracting(task.weights.map(\.name)).sorted()
      throw UpdateRefusal(
        .wrongTensors, "The update has the tensor \(quoted(others.first)), which the task lacks.")
    }
    return changes
  }

  /// Returns a client's text for a message, which it must not lengthen.
  private static func quoted(_ text: String?) -> String {
    text.map { "'\($0.prefix(60))'" } ?? "nothing"
  }

  /// The longest header of an update, which JSON may escape.
  private static func longestHeader(of task: RoundTask) -> Int {
    4096 + task.weights.reduce(0) { $0 + 6 * $1.name.utf8.count + 24 * $1.shape.count + 120 }
  }

  /// The largest number of bytes of a round's update.
  package static func longest(of task: RoundTask) -> Int {
    16 + longestHeader(of: task) + 4 * (task.elementCount ?? 0)
  }
}

/// Why an update is refused.
package struct UpdateRefusal: Error, Sendable, CustomStringConvertible {
  /// The code of the server's response.
  package enum Code: String, Sendable {
    case unreadable = "update_unreadable"
    case wrongRound = "update_of_other_round"
    case wrongClient = "update_of_other_client"
    case wrongExamples = "update_wrong_examples"
    case wrongTensors = "update_wrong_tensors"
    case notFinite = "update_not_finite"
    case tooLarge = "update_too_large"
  }

  package var code: Code
  package var message: String

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  package var description: String { message }
}

extension RoundTask {
  /// What an update names, so that it can't be sent to another round.
  package var identity: String {
    "\(model)/\(round)/\(base.manifest.digest)/\(Int(issued.timeIntervalSince1970))"
  }
}

extension Safetensors {
  /// Returns the elements of a variable of a task.
  ///
  /// - Throws: `TensorIOError` when it is missing, or has another type or shape.
  package func floats(of weights: RoundTask.Weights) throws -> [Float] {
    guard let tensor = tensors.first(where: { $0.name == weights.name }) else {
      throw TensorIOError(
        .invalidModel,
        "The model has no weights '\(weights.name)', which the round's task names. It has "
          + "\(quotedList(tensors.map(\.name))).")
    }
    guard tensor.dataType == .float32, tensor.shape == weights.shape else {
      throw TensorIOError(
        .invalidModel,
        "The weights '\(weights.name)' are \(tensor.dataType) \(tensor.shape) in the model, but "
          + "float32 \(weights.shape) in the round's task.")
    }
    return tensor.floats
  }
}

extension Safetensors.Tensor {
  /// The elements of a tensor of 32-bit floating-point numbers.
  package var floats: [Float] {
    let count = bytes.count / MemoryLayout<Float>.size
    return [Float](unsafeUninitializedCapacity: count) { buffer, initialized in
      _ = bytes.copyBytes(to: UnsafeMutableRawBufferPointer(buffer))
      initialized = count
    }
  }
}
#endif
