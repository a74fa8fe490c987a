// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

internal import CLiteRT
internal import Synchronization
package import TensorIO

/// A TensorFlow Lite model in memory, shared by its sessions.
///
/// `@unchecked Sendable` because LiteRT only reads a model once it has been created, and does so
/// from any thread.
package final class LiteRTModel: LoadedModel, @unchecked Sendable {
  /// The model's signatures.
  ///
  /// A model without signatures has a single one with an empty key.
  package let signatures: [SignatureDescription]

  /// Whether a run changes the results of later runs in the same session.
  package var keepsState: Bool { file.hasVariables }

  let file: LiteRTModelFile
  let library: LiteRTLibrary
  let graph: LiteRTGraph
  /// Whether the model was loaded for training, so that all its sessions share their variables.
  let isTrained: Bool
  /// The compiled model that sessions share.
  ///
  /// The first session of a model that is trained creates it.
  private let shared = Mutex<LiteRTSharedModel?>(nil)

  init(
    path: String, library: LiteRTLibrary, limits: LiteRTLimits, isTrained: Bool = false
  ) throws {
    file = try LiteRTModelFile(path: path, library: library, limits: limits)
    self.library = library
    self.isTrained = isTrained
    graph = LiteRTGraph(file)
    signatures = try graph.signatures()
  }

  package func makeSession(
    _ signature: SignatureDescription, options: SessionOptions
  ) throws -> any Session {
    let index = try index(of: signature.key)
    guard isTrained else {
      return try LiteRTSession(model: self, signature: index, options: options)
    }
    return try LiteRTSharedSession(
      model: self, signature, running: [index], sharing: sharedModel(options))
  }

  /// Returns the index of a signature in ``signatures``.
  func index(of key: String) throws -> Int {
    guard let index = signatures.firstIndex(where: { $0.key == key }) else {
      throw TensorIOError(.invalidModel, "The model has no signature '\(key)'.")
    }
    return index
  }

  /// Returns the compiled model that all sessions of a trained model share.
  func sharedModel(_ options: SessionOptions) throws -> LiteRTSharedModel {
    try shared.withLock { shared in
      if let shared { return shared }
      let made = try LiteRTSharedModel(file, options: options)
      shared = made
      return made
    }
  }

  /// Returns the bytes stored under a name in the model's metadata, or nil when there are none.
  func metadata(named name: String) -> [UInt8]? {
    var start: UnsafeRawPointer?
    var count = 0
    guard library.functions.GetModelMetadata(file.handle, name, &start, &count) == LiteRT.ok,
      let start
    else { return nil }
    return Array(UnsafeRawBufferPointer(start: start, count: count))
  }

  /// Calls a closure with the file's bytes.
  func withFileBytes<Result>(_ body: (RawSpan) throws -> Result) rethrows -> Result {
    try withExtendedLifetime(file) {
      let bytes = file.bytes
      return try body(UnsafeRawBufferPointer(start: bytes.start, count: bytes.byteCount).bytes)
    }
  }
}
