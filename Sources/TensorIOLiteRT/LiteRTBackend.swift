// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
public import TensorIO

/// TensorFlow Lite models (`.tflite`), run by Google's LiteRT library.
///
/// The library is opened by the first model; making a backend needs nothing.
public final class LiteRTBackend: Backend {
  /// What models may ask for.
  public let limits: LiteRTLimits

  private let library = Mutex<LiteRTLibrary?>(nil)

  /// Makes a backend.
  ///
  /// - Parameter limits: What models may ask for; one that asks for more is refused.
  public init(limits: LiteRTLimits = LiteRTLimits()) { self.limits = limits }

  /// `tflite`.
  public var name: String { "tflite" }

  /// False: TensorFlow Lite counts its tensors, and their names are only references.
  ///
  /// The layers of a model that is trained belong to several signatures: they are found by name all
  /// the same.
  public var matchesLayersByName: Bool { false }

  public func loadModel(
    at path: String, for modes: ModelModes, options: SessionOptions
  ) throws -> any LoadedModel {
    try LiteRTModel(
      path: path, library: openLibrary(), limits: limits, isTrained: modes.contains(.train))
  }

  /// Loads a model without a bundle, to look at what it says of itself.
  ///
  /// - Throws: ``TensorIOError`` when the library is missing or the file is no model.
  public func liteRTModel(at path: String) throws -> LiteRTModel {
    try LiteRTModel(path: path, library: openLibrary(), limits: limits)
  }

  /// Opens the library, to find out before any model is there whether it can be.
  ///
  /// - Throws: ``TensorIOError`` with the code `missingLibrary`.
  public func checkLibrary() throws { _ = try openLibrary() }

  /// The file of the library; it is opened.
  ///
  /// - Throws: ``TensorIOError`` with the code `missingLibrary`.
  public var libraryPath: String { get throws { try openLibrary().path } }

  private func openLibrary() throws -> LiteRTLibrary {
    try library.withLock { library in
      if let library { return library }
      let opened = try LiteRTLibrary()
      library = opened
      return opened
    }
  }
}

extension Backend where Self == LiteRTBackend {
  /// TensorFlow Lite models.
  public static var liteRT: LiteRTBackend { LiteRTBackend() }
}

extension LiteRTBackend {
  /// The version of LiteRT that this backend is for; the library itself does not tell its own.
  public static var libraryVersion: String { "2.3.0" }
}
