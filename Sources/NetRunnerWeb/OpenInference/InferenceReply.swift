// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import HTTPTypes
import Hummingbird
import TensorIO

/// The response to an ``InferenceCall``.
struct InferenceReply {
  private(set) var tensors: [(tensor: WireTensor, isBinary: Bool)] = []
  private let call: InferenceCall
  private let model: InferenceModel

  /// Makes a response from the outputs of each item.
  init(_ call: InferenceCall, _ items: [ModelOutputs], _ model: InferenceModel) throws {
    self.call = call
    self.model = model
    let names = items.first?.names ?? []
    let wanted =
      call.outputs.isEmpty
      ? names.map { InferenceCall.Output(name: $0, isBinary: nil, classes: 0) }
      : call.outputs
    for output in wanted {
      let index = try output.position(in: names)
      let tensor = try WireTensor.joined(
        items.map {
          output.classes > 0
            ? try Self.classes($0, at: index, count: output.classes)
            : try WireTensor($0, at: index)
        })
      tensors.append((tensor, output.isBinary ?? call.wantsBinary))
    }
  }

  /// Returns the best classes, each as the string `value:index:label`.
  private static func classes(
    _ outputs: ModelOutputs, at index: Int, count: Int
  ) throws -> WireTensor {
    let name = outputs.names[index]
    let labels = try InferenceCall.Output.labels(of: outputs.specs[index])
    let classification: Classification = try outputs.value(at: index)
    // A result has all classes in order.
    let values = classification.map(\.value)
    let texts = classification.topIndices(min(count, labels.count)).map {
      Data("\(values[$0]):\($0):\(labels[$0])".utf8)
    }
    return try WireTensor(
      name: name, type: .string, shape: [1, texts.count], elements: .strings(texts))
  }

  /// Makes the response: JSON, followed by the tensors that were requested in binary.
  ///
  /// The numbers are written one by one, because a tree of them would take many times the memory.
  func response() throws -> Response {
    var (json, bytes) = (ByteBuffer(), ByteBuffer())
    json.writeString("{")
    if let id = call.id { try Self.write("id", id, to: &json) }
    let manifest = model.bundle.manifest
    try Self.write("model_name", manifest.id, to: &json)
    try Self.write("model_version", manifest.version, to: &json)
    json.writeString("\"outputs\":[")
    for (index, (tensor, isBinary)) in tensors.enumerated() {
      json.writeString(index == 0 ? "{" : ",{")
      try Self.write("name", tensor.name, to: &json)
      try Self.write("datatype", tensor.type.wireName, to: &json)
      try Self.write("shape", tensor.shape, to: &json)
      if isBinary {
        let start = bytes.readableBytes
        tensor.elements.write(to: &bytes)
        let size = bytes.readableBytes - start
        json.writeString("\"parameters\":{\"binary_data_size\":\(size)}}")
      } else {
        json.writeString("\"data\":")
        try tensor.elements.writeJSON(to: &json, name: tensor.name)
        json.writeString("}")
      }
    }
    json.writeString("]}")
    guard tensors.contains(where: \.isBinary) else {
      return Response(
        status: .ok, headers: [.contentType: "application/json"],
        body: ResponseBody(byteBuffer: json))
    }
    var headers: HTTPFields = [.contentType: "application/octet-stream"]
    if let name = HTTPField.Name("Inference-Header-Content-Length") {
      headers[name] = "\(json.readableBytes)"
    }
    json.writeBuffer(&bytes)
    return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: json))
  }

  /// Writes a member and the comma after it.
  private static func write(
    _ name: String, _ value: some Encodable, to buffer: inout ByteBuffer
  ) throws {
    buffer.writeString("\"\(name)\":")
    buffer.writeBytes(try value.encoded())
    buffer.writeString(",")
  }
}
#endif
