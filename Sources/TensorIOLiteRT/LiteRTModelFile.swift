// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

internal import CLiteRT
internal import TensorIO

/// A .tflite file in memory, and LiteRT's handle on it.
final class LiteRTModelFile {
  let path: String
  let library: LiteRTLibrary
  let handle: LiteRtModel
  /// The model refers to the file's bytes and must go before them.
  let bytes: AlignedMemory

  init(path: String, library: LiteRTLibrary) throws {
    let bytes = try AlignedMemory(contentsOf: path)
    var handle: LiteRtModel?
    let status = library.functions.CreateModelFromBuffer(
      library.environment, bytes.start, bytes.byteCount, &handle)
    guard status == LiteRT.ok, let handle else {
      throw Self.loadError(status, path: path, byteCount: bytes.byteCount)
    }
    self.path = path
    self.library = library
    self.bytes = bytes
    self.handle = handle
  }

  deinit { library.functions.DestroyModel(handle) }

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
