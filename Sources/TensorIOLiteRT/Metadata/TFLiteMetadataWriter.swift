// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

package import TensorIO

/// Puts TensorFlow Lite's metadata into a .tflite file, and the files that it names into a zip
/// archive at the end, which keeps other files that the model has there.
///
/// The model itself isn't written again. New tables precede it and refer to its graphs and buffers,
/// so tensors, operators and everything that this library doesn't know stay as they are. When a
/// file is written a second time, the tables of the first time are removed.
///
/// ```swift
/// let writer = TFLiteMetadataWriter(metadata, signature: "serving_default")
/// let bytes = try writer.bytes(adding: model, path: "model.tflite")
/// ```
package struct TFLiteMetadataWriter {
  private let metadata: ModelMetadata
  private let signature: String?

  /// Makes a writer.
  ///
  /// - Parameters:
  ///   - metadata: What to write, with inputs and outputs in the order of the model's main graph.
  ///   - signature: The key of the signature that the metadata describes, which must run the main
  ///     graph; nil for the first one, or for a model without signatures.
  package init(_ metadata: ModelMetadata, signature: String? = nil) {
    self.metadata = metadata
    self.signature = signature
  }

  /// Returns a model with the metadata, which replaces the metadata that the model has.
  ///
  /// - Parameters:
  ///   - model: The content of a .tflite file.
  ///   - path: The file's path, for messages.
  /// - Returns: The content of the new file.
  /// - Throws: `TensorIOError` with the code `.invalidModel` for a damaged file, and with
  ///   `.unsupportedModel` if the metadata doesn't fit the model.
  package func bytes(adding model: [UInt8], path: String) throws(TensorIOError) -> [UInt8] {
    let result = model.withUnsafeBytes { file in
      Result { () throws(FlatBufferError) in try bytes(file) }
    }
    do {
      return try result.get()
    } catch {
      throw TensorIOError(
        error.isUnsupported ? .unsupportedModel : .invalidModel,
        "No metadata can be written to '\(path)': \(error.reason).")
    }
  }

  private func bytes(_ file: UnsafeRawBufferPointer) throws(FlatBufferError) -> [UInt8] {
    var archive = try archive(in: file)
    let model = UnsafeRawBufferPointer(rebasing: file[..<(archive?.start ?? file.count)])
    var reader = FlatBufferReader(model, visits: model.count)
    let structure = try ModelStructure(model, &reader)
    try check(structure)
    var encoder = MetadataEncoder()
    let metadata = try encoder.encode(metadata)
    var front = try ModelFront(of: model, structure)
    var bytes = try front.bytes(adding: metadata)
    do throws(ZipError) {
      var files = encoder.files
      if let kept = try archive?.files() {
        files += kept.filter { file in !encoder.files.contains { $0.name == file.name } }
      }
      try ZipArchive.append(files, to: &bytes)
    } catch {
      throw FlatBufferError("the files after it can't be kept: \(error.reason)")
    }
    return bytes
  }

  /// Returns the zip archive at the end of a file, or nil if there is none.
  private func archive(in file: UnsafeRawBufferPointer) throws(FlatBufferError) -> ZipArchive? {
    guard ZipArchive.findEnd(in: file) != nil else { return nil }
    do throws(ZipError) {
      return try ZipArchive(file)
    } catch {
      throw FlatBufferError(error.reason)
    }
  }

  /// Checks that the metadata describes all inputs and outputs of the graph that runs.
  private func check(_ structure: ModelStructure) throws(FlatBufferError) {
    guard let graph = structure.graphs.first else { throw FlatBufferError("it has no graph") }
    let found = structure.signatures.first { signature == nil || $0.key == signature }
    if let signature, found == nil {
      throw FlatBufferError(unsupported: "it has no signature '\(signature)'")
    }
    if let found, found.graph != 0 {
      throw FlatBufferError(
        unsupported: "metadata describes only the first graph, but the signature '\(found.key)' "
          + "runs another one")
    }
    for (count, tensors, side) in [
      (metadata.inputs.count, graph.inputs, "inputs"),
      (metadata.outputs.count, graph.outputs, "outputs"),
    ] where count != tensors.count {
      throw FlatBufferError(
        unsupported: "it has \(tensors.count) \(side), but the metadata describes \(count)")
    }
  }
}
