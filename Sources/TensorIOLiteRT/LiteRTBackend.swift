// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Synchronization
public import TensorIO

/// A backend that runs TensorFlow Lite models (`.tflite`) with Google's LiteRT library.
///
/// The library is opened when the first model is loaded, so you can make a backend without it.
public final class LiteRTBackend: Backend {
  /// The limits on what a model may ask for.
  public let limits: LiteRTLimits
  /// Where packed weights are kept, or nil if each session has its own.
  public let weightCache: LiteRTWeightCache?

  /// The version of LiteRT that this backend is written for; the library doesn't report its own
  /// version.
  package static let libraryVersion = "2.3.0"

  private let library = Mutex<LiteRTLibrary?>(nil)
  /// Measures the operators of all runs, or nil if nobody wants to know them.
  private let recorder: OperatorRecorder?

  /// Makes a backend.
  ///
  /// - Parameters:
  ///   - limits: The limits on what a model may ask for. A model that exceeds them is rejected.
  ///   - weightCache: Where packed weights are kept. If nil, each session has its own.
  public init(limits: LiteRTLimits = LiteRTLimits(), weightCache: LiteRTWeightCache? = nil) {
    self.limits = limits
    self.weightCache = weightCache
    recorder = nil
  }

  /// Makes a backend whose runs a recorder measures, for models that are only run.
  package init(limits: LiteRTLimits, recorder: OperatorRecorder) {
    self.limits = limits
    weightCache = nil
    self.recorder = recorder
  }

  /// `tflite`.
  public var name: String { "tflite" }

  /// False, because TensorFlow Lite identifies tensors by number and their names are only
  /// informative.
  ///
  /// The layers of a model that is trained belong to several signatures, so they are found by name
  /// all the same.
  public var matchesLayersByName: Bool { false }

  public func loadModel(
    at path: String, for modes: ModelModes, options: SessionOptions
  ) throws -> any LoadedModel {
    try LiteRTModel(
      path: path, library: openLibrary(), limits: limits, isTrained: modes.contains(.train),
      recorder: recorder, accelerator: options.accelerator, weightCache: weightCache,
      weights: options.weights)
  }

  /// Loads a model without a bundle, to inspect its signatures and metadata.
  ///
  /// - Throws: ``TensorIOError`` when the library is missing or the file isn't a valid model.
  package func liteRTModel(at path: String) throws -> LiteRTModel {
    try LiteRTModel(path: path, library: openLibrary(), limits: limits)
  }

  /// Opens the library, to check before any model is loaded that it is available.
  ///
  /// - Throws: `TensorIOError` with the code `missingLibrary`.
  public func checkLibrary() throws { _ = try openLibrary() }

  /// Opens the library, and returns the path of its file.
  ///
  /// - Throws: ``TensorIOError`` with the code `missingLibrary`.
  package func findLibrary() throws -> String { try openLibrary().path }

  private func openLibrary() throws -> LiteRTLibrary {
    try library.value { try LiteRTLibrary() }
  }
}

extension Backend where Self == LiteRTBackend {
  /// A backend for TensorFlow Lite models.
  public static var liteRT: LiteRTBackend { LiteRTBackend() }
}

/// The limits on what a TensorFlow Lite model may ask for.
///
/// A file of a few hundred bytes can claim tensors of any size. The limit is checked before the
/// runtime sees the file.
public struct LiteRTLimits: Hashable, Sendable {
  /// The maximum number of bytes that all tensors of a model may take together, without its
  /// constants.
  ///
  /// An axis of unknown length counts as 1. The default is 1 GiB.
  public var tensorBytes: Int

  /// Makes limits.
  public init(tensorBytes: Int = 1 << 30) { self.tensorBytes = tensorBytes }
}
