// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import TensorIO

/// A model that another process has loaded.
///
/// `@unchecked Sendable` because the spare process is only used under the lock.
final class IsolatedModel: LoadedModel, @unchecked Sendable {
  let signatures: [SignatureDescription]
  let keepsState: Bool

  let address: ModelAddress
  let options: IsolationOptions
  /// The process that reported the signatures, which the first session takes over.
  private var spare: IsolatedSession.Worker?
  private let lock = Mutex(())

  init(_ address: ModelAddress, options: IsolationOptions) throws {
    self.address = address
    self.options = options
    let worker = try IsolatedSession.Worker(address, options)
    guard case .loaded(let signatures, let keepsState) = worker.greeting, !signatures.isEmpty else {
      throw TensorIOError(.internalFault, "The process of '\(address.path)' returned no signature.")
    }
    self.signatures = signatures
    self.keepsState = keepsState
    spare = worker
  }

  func describe(
    _ layers: LayerNames, in signature: SignatureDescription
  ) -> SignatureDescription {
    lock.withLock { _ in
      // If the process cannot describe the layers, binding them will report the problem.
      guard let spare,
        case .success(.described(let description)) = Result(catching: {
          try spare.process.ask(
            .describe(
              inputs: layers.inputs, outputs: layers.outputs, operations: layers.operations,
              signature),
            within: options.firstAnswerSeconds)
        })
      else { return signature }
      return description
    }
  }

  func makeSession(
    _ signature: SignatureDescription, options: SessionOptions
  ) throws -> any Session {
    let taken = lock.withLock { _ in
      defer { spare = nil }
      return spare
    }
    return try IsolatedSession(
      self, signature, taking: taken, cancellation: options.cancellation)
  }
}
