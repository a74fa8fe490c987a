// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

internal import CLiteRT
public import TensorIO

/// A TensorFlow Lite model in memory, shared by its sessions.
///
/// `@unchecked Sendable` because LiteRT only reads a model once it is made, by any thread.
public final class LiteRTModel: LoadedModel, @unchecked Sendable {
  /// The ways to run it; a model without signatures has one with an empty key.
  public let signatures: [SignatureDescription]

  /// Whether runs change what later runs of the same session give.
  public let keepsState: Bool

  let library: LiteRTLibrary
  let handle: LiteRtModel
  let graph: LiteRTGraph
  /// The model refers to the file's bytes and must go before them.
  private let bytes: AlignedMemory

  init(path: String, library: LiteRTLibrary) throws {
    let bytes = try AlignedMemory(contentsOf: path)
    var handle: LiteRtModel?
    let status = library.functions.CreateModelFromBuffer(
      library.environment, bytes.start, bytes.byteCount, &handle)
    guard status == LiteRT.ok, let handle else {
      throw Self.loadError(status, path: path, byteCount: bytes.byteCount)
    }
    self.library = library
    self.bytes = bytes
    self.handle = handle
    graph = LiteRTGraph(handle, library.functions)
    do {
      try graph.refuseBlockWiseQuantization(path: path)
      signatures = try graph.signatures(path: path)
      keepsState = try graph.hasResourceVariables(path: path)
    } catch {
      library.functions.DestroyModel(handle)
      throw error
    }
  }

  deinit { library.functions.DestroyModel(handle) }

  public func makeSession(
    _ signature: SignatureDescription, options: SessionOptions
  ) throws -> any Session {
    guard let index = signatures.firstIndex(where: { $0.key == signature.key }) else {
      throw TensorIOError(.invalidModel, "The model has no signature '\(signature.key)'.")
    }
    return try LiteRTSession(model: self, signature: index, options: options)
  }

  /// The bytes stored under a name in the model's metadata; nil when there are none.
  func metadata(named name: String) -> [UInt8]? {
    var start: UnsafeRawPointer?
    var count = 0
    guard library.functions.GetModelMetadata(handle, name, &start, &count) == LiteRT.ok, let start
    else { return nil }
    return Array(UnsafeRawBufferPointer(start: start, count: count))
  }

  /// Calls a closure with the file's bytes.
  func withFileBytes<Result>(_ body: (RawSpan) throws -> Result) rethrows -> Result {
    try withExtendedLifetime(bytes) {
      try body(UnsafeRawBufferPointer(start: bytes.start, count: bytes.byteCount).bytes)
    }
  }

  private static func loadError(
    _ status: LiteRtStatus, path: String, byteCount: Int
  ) -> TensorIOError {
    if status == LiteRT.unsupported {
      return TensorIOError(
        .unsupportedModel,
        "LiteRT does not support the model '\(path)'. Most often the reason is that it keeps state "
          + "in variable tensors, as stateful LSTM and RNN layers do: convert it with its state as "
          + "inputs and outputs.")
    }
    return TensorIOError(
      .invalidModel,
      "'\(path)' is not a valid TensorFlow Lite model (\(byteCount) bytes): LiteRT says "
        + "'\(LiteRT.name(of: status))'.")
  }
}
