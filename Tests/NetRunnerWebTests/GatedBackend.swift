// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Dispatch
import Synchronization
import TensorIO
import TensorIOLiteRT

/// LiteRT, with a model whose load takes until a gate opens.
final class GatedBackend: Backend {
  private let base = LiteRTBackend()
  private let held: String
  private let gate = DispatchSemaphore(value: 0)
  private let state = Mutex((loads: 0, isOpen: false))

  /// - Parameter held: A part of the path of the model that waits.
  init(holding held: String) { self.held = held }

  var name: String { base.name }
  var matchesLayersByName: Bool { base.matchesLayersByName }

  /// How often the model was loaded, or began to be.
  var loads: Int { state.withLock { $0.loads } }
  var isOpen: Bool { state.withLock { $0.isOpen } }

  func open() {
    state.withLock { $0.isOpen = true }
    gate.signal()
  }

  func loadModel(
    at path: String, for modes: ModelModes, options: SessionOptions
  ) throws -> any LoadedModel {
    if path.contains(held) {
      state.withLock { $0.loads += 1 }
      gate.wait()
      gate.signal()
    }
    return try base.loadModel(at: path, for: modes, options: options)
  }
}
#endif
