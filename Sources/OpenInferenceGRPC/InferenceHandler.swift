// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
package import Foundation

/// What the gRPC services need of a server: its models, and who may use them.
package protocol InferenceHandler: Sendable {
  /// The server's name, version and protocol extensions.
  var server: (name: String, version: String, extensions: [String]) { get }

  /// Checks the value of a call's `authorization`.
  ///
  /// - Throws: ``CallFailure`` if the call isn't allowed.
  func authorize(_ authorization: String?, from address: String) async throws

  /// Returns the reason why the server can't work, or nil if it can.
  func unreadiness() async throws -> String?

  /// Returns a model's tensors, and loads the model. An empty version stands for the only one.
  ///
  /// - Throws: ``CallFailure``.
  func description(of model: String, version: String) async throws -> ModelFacts

  /// Returns a model's counts, or those of all models for an empty name.
  ///
  /// - Throws: ``CallFailure``.
  func statistics(
    of model: String, version: String
  ) async throws -> [(name: String, version: String, counts: ModelCounts)]

  /// Runs a model.
  ///
  /// - Throws: ``CallFailure``.
  func run(
    _ request: InferenceRequest, deadline: ContinuousClock.Instant?
  ) async throws -> InferenceResult

  /// Returns the models, or only those that are ready.
  func index(onlyReady: Bool) async throws -> [ModelState]

  /// Loads a model into memory.
  func load(_ model: String) async throws

  /// Frees a model's memory, and refuses runs until it is loaded again.
  func unload(_ model: String) async throws
}

/// The reason why a call fails, which the client gets as its status.
package struct CallFailure: Error, Hashable {
  /// The kinds of failures, by the names of gRPC's status codes.
  package enum Kind: Sendable {
    case invalidArgument, notFound, unauthenticated, permissionDenied, failedPrecondition
    case resourceExhausted, unavailable, deadlineExceeded, cancelled, internalError
  }

  let kind: Kind
  let message: String

  package init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }
}

/// A model's name, version and tensors.
package struct ModelFacts: Sendable {
  package struct Tensor: Sendable {
    let name: String
    let type: String
    let shape: [Int]

    /// Describes a tensor, in whose shape -1 is an axis of any length.
    package init(name: String, type: String, shape: [Int]) {
      (self.name, self.type, self.shape) = (name, type, shape)
    }
  }

  let name: String
  let version: String
  let platform: String
  let inputs: [Tensor]
  let outputs: [Tensor]

  package init(
    name: String, version: String, platform: String, inputs: [Tensor], outputs: [Tensor]
  ) {
    (self.name, self.version, self.platform) = (name, version, platform)
    (self.inputs, self.outputs) = (inputs, outputs)
  }
}

/// A model of the repository index.
package struct ModelState: Sendable {
  let name: String
  let version: String
  let problem: String?

  /// Describes a model, which is ready if it has no problem.
  package init(name: String, version: String, problem: String?) {
    (self.name, self.version, self.problem) = (name, version, problem)
  }
}

/// A request to run a model.
package struct InferenceRequest: Sendable {
  /// The elements of an input.
  package enum Contents: Sendable {
    /// Little-endian elements in row-major order.
    case raw(Data)
    case bools([Bool])
    case int32s([Int32])
    case int64s([Int64])
    case uint32s([UInt32])
    case floats([Float])
    case doubles([Double])
    case strings([Data])
  }

  package struct Input: Sendable {
    package let name: String
    package let type: String
    package let shape: [Int]
    package let contents: Contents
  }

  package struct Output: Sendable {
    package let name: String
    /// The number of best classes to return instead of the values, or 0 for the values.
    package let classes: Int
  }

  package let model: String
  package let version: String
  package let id: String
  package let inputs: [Input]
  /// The wanted outputs, or an empty array for all outputs.
  package let outputs: [Output]
  /// The size of the elements in bytes.
  package let byteCount: Int
}

/// The outputs of a run.
package struct InferenceResult: Sendable {
  package struct Output: Sendable {
    let name: String
    let type: String
    let shape: [Int]
    let bytes: Data

    /// Makes an output from its little-endian elements in row-major order.
    package init(name: String, type: String, shape: [Int], bytes: Data) {
      (self.name, self.type, self.shape, self.bytes) = (name, type, shape, bytes)
    }
  }

  let model: String
  let version: String
  let outputs: [Output]

  package init(model: String, version: String, outputs: [Output]) {
    (self.model, self.version, self.outputs) = (model, version, outputs)
  }
}
#endif
