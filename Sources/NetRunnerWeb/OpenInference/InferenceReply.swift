// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import TensorIO

/// The answer to an ``InferenceCall``.
struct InferenceReply {
  private var tensors: [(tensor: WireTensor, isBinary: Bool)] = []
  private let call: InferenceCall
  private let model: InferenceModel

  /// Reads the outputs that were asked for.
  ///
  /// - Throws: ``WebError`` for an output that the model does not have.
  init(_ call: InferenceCall, _ outputs: ModelOutputs, _ model: InferenceModel) throws {
    self.call = call
    self.model = model
    let wanted =
      call.outputs.isEmpty
      ? outputs.names.map { InferenceCall.Output(name: $0, isBinary: nil, classes: 0) }
      : call.outputs
    for output in wanted {
      guard let index = outputs.names.firstIndex(of: output.name) else {
        throw WebError.badRequest(
          "The model has no output '\(output.name)'; its outputs are "
            + outputs.names.map { "'\($0)'" }.joined(separator: ", ") + ".")
      }
      let tensor =
        output.classes > 0
        ? try Self.classes(outputs, at: index, count: output.classes)
        : try WireTensor(outputs, at: index)
      tensors.append((tensor, output.isBinary ?? call.wantsBinary))
    }
  }

  /// The best classes, each as the text `value:index:label`.
  private static func classes(
    _ outputs: ModelOutputs, at index: Int, count: Int
  ) throws -> WireTensor {
    let name = outputs.names[index]
    guard let labels = outputs.specs[index].labels?.names else {
      throw WebError.badRequest("The output '\(name)' has no labels, so it has no best classes.")
    }
    let classification: Classification = try outputs.value(at: index)
    let places = Dictionary(labels.enumerated().map { ($1, $0) }) { first, _ in first }
    let texts = classification.top(min(count, labels.count)).map {
      Data("\($0.value):\(places[$0.label] ?? 0):\($0.label)".utf8)
    }
    return try WireTensor(
      name: name, type: .bytes, shape: [1, texts.count], elements: .strings(texts))
  }

  /// The answer: JSON, followed by the tensors that are wanted in binary.
  func response() throws -> Response {
    var bytes = ByteBuffer()
    let outputs = tensors.map { tensor, isBinary -> JSONValue in
      var members: [String: JSONValue] = [
        "name": .string(tensor.name), "datatype": .string(tensor.type.rawValue),
        "shape": .array(tensor.shape.map(JSONValue.count)),
      ]
      if isBinary {
        var data = tensor.bytes
        members["parameters"] = .object(["binary_data_size": .count(data.readableBytes)])
        bytes.writeBuffer(&data)
      } else {
        members["data"] = tensor.json
      }
      return .object(members)
    }
    var document: [String: JSONValue] = [
      "model_name": .string(model.bundle.manifest.id),
      "model_version": .string(model.bundle.manifest.version), "outputs": .array(outputs),
    ]
    document["id"] = call.id.map { .string($0) }
    guard tensors.contains(where: \.isBinary) else { return try .json(.object(document)) }
    var body = ByteBuffer(bytes: try JSONValue.object(document).encoded())
    let length = body.readableBytes
    body.writeBuffer(&bytes)
    var headers: HTTPFields = [.contentType: "application/octet-stream"]
    if let name = HTTPField.Name("Inference-Header-Content-Length") { headers[name] = "\(length)" }
    return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: body))
  }
}
