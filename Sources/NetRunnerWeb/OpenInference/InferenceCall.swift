// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import NIOCore
import TensorIO

/// A request to run a model with the Open Inference Protocol.
///
/// With the binary tensor extension, the tensors' bytes follow the JSON document, in the order of
/// the inputs.
struct InferenceCall: Sendable {
  /// The client's identifier for the request, which the response repeats.
  let id: String?
  let inputs: [WireTensor]
  /// The requested outputs, or an empty array for all outputs.
  let outputs: [Output]
  /// Whether to return outputs in binary if they don't say otherwise.
  let wantsBinary: Bool

  struct Output: Sendable {
    let name: String
    let isBinary: Bool?
    /// The number of best classes to return as strings instead of the values, or 0 for the values.
    let classes: Int
  }

  /// Makes a request, in which every name must be there once.
  init(id: String?, inputs: [WireTensor], outputs: [Output], wantsBinary: Bool) throws {
    (self.id, self.inputs, self.outputs) = (id, inputs, outputs)
    self.wantsBinary = wantsBinary
    try Self.requireOnce(inputs.map(\.name), "input")
    try Self.requireOnce(outputs.map(\.name), "output")
  }

  /// Reads a request, in which the header length is nil if the whole body is JSON.
  init(_ body: ByteBuffer, headerLength: Int?) throws {
    var rest = body
    guard let header = rest.readSlice(length: headerLength ?? body.readableBytes) else {
      throw WebError.badRequest(
        "The header announces \(headerLength ?? 0) bytes of JSON, but the body has "
          + "\(body.readableBytes).")
    }
    let (members, inputs) = try header.withUnsafeReadableBytes {
      try Self.read(JSONScanner($0), &rest)
    }
    let request = try JSONObjectReader(.object(members), "The request")
    let parameters = try request.object("parameters")
    let id = try request.text("id")
    let wantsBinary = try parameters?.bool("binary_data_output") ?? false
    let outputs = try request.array("outputs").map { try Output(JSONObjectReader($0, "An output")) }
    guard rest.readableBytes == 0 else {
      throw WebError.badRequest(
        "\(rest.readableBytes) bytes of the body are left after the last binary tensor.")
    }
    try self.init(id: id, inputs: inputs, outputs: outputs, wantsBinary: wantsBinary)
  }

  /// Reads the inputs, whose binary tensors are in the rest of the body, and the other members.
  private static func read(
    _ scanner: consuming JSONScanner, _ rest: inout ByteBuffer
  ) throws -> (members: [String: JSONValue], inputs: [WireTensor]) {
    var members: [String: JSONValue] = [:]
    var inputs: [Input]?
    try scanner.object("The request") { scanner, key in
      if key == "inputs" {
        inputs = []
        try scanner.array("'inputs'") { inputs?.append(try Input(&$0)) }
      } else {
        members[key] = try scanner.value()
      }
    }
    try scanner.end()
    guard let inputs else { throw WebError.badRequest("The request is missing 'inputs'.") }
    return (members, try inputs.map { try $0.tensor(&scanner, &rest) })
  }

  private static func requireOnce(_ names: [String], _ what: String) throws {
    var seen: Set<String> = []
    for name in names where !seen.insert(name).inserted {
      throw WebError.badRequest("The \(what) '\(name)' is given more than once.")
    }
  }

  /// An input of the document, whose elements may not have been read yet.
  private struct Input {
    private let members: JSONObjectReader
    private var elements: WireElements?
    /// The index of the data if it comes before the input's name, type or shape, so it is read
    /// later.
    private var dataPosition: Int?

    init(_ scanner: inout JSONScanner) throws {
      var members: [String: JSONValue] = [:]
      var (elements, position) = (WireElements?.none, Int?.none)
      try scanner.object("An input") { scanner, key in
        guard key == "data" else {
          members[key] = try scanner.value()
          return
        }
        if members["name"] != nil, members["datatype"] != nil, members["shape"] != nil {
          elements = try Self.elements(JSONObjectReader(.object(members), "An input"), &scanner)
        } else {
          position = scanner.position
          try scanner.skip()
        }
      }
      self.members = try JSONObjectReader(.object(members), "An input")
      self.elements = elements
      dataPosition = position
    }

    private static func description(
      _ members: JSONObjectReader
    ) throws -> (name: String, type: DataType, shape: [Int]) {
      guard let name = try members.text("name"), let typeName = try members.text("datatype") else {
        throw WebError.badRequest("Every input needs 'name', 'datatype', 'shape' and 'data'.")
      }
      guard let type = DataType(wireName: typeName) else {
        throw WebError.badRequest(
          "'\(name)' has the unknown type '\(typeName.prefix(40))'.")
      }
      return (name, type, try members.integers("shape"))
    }

    private static func elements(
      _ members: JSONObjectReader, _ scanner: inout JSONScanner
    ) throws -> WireElements {
      let (name, type, shape) = try description(members)
      return try WireElements(
        &scanner, type: type, count: WireTensor.elementCount(of: shape, name), name: name)
    }

    /// Returns the whole tensor, reading its elements if they haven't been read yet.
    func tensor(_ scanner: inout JSONScanner, _ rest: inout ByteBuffer) throws -> WireTensor {
      let (name, type, shape) = try Self.description(members)
      let size = try members.object("parameters")?.integer("binary_data_size")
      let elements: WireElements
      switch (size, self.elements, dataPosition) {
      case (let size?, nil, nil):
        guard size >= 0, let bytes = rest.readSlice(length: size) else {
          throw WebError.badRequest(
            "'\(name)' has a 'binary_data_size' of \(size) bytes, but \(rest.readableBytes) bytes "
              + "are left in the body.")
        }
        elements = try WireElements(bytes.readableBytesView, type: type)
      case (nil, let read?, _): elements = read
      case (nil, nil, let position?):
        scanner.position = position
        elements = try Self.elements(members, &scanner)
      case (_?, _, _):
        throw WebError.badRequest(
          "'\(name)' has both 'data' and 'binary_data_size'. Send only one of them.")
      case (nil, nil, nil):
        throw WebError.badRequest(
          "'\(name)' has neither 'data' nor 'binary_data_size'. Send one of them.")
      }
      return try WireTensor(name: name, type: type, shape: shape, elements: elements)
    }
  }
}

extension InferenceCall.Output {
  fileprivate init(_ members: JSONObjectReader) throws {
    guard let name = try members.text("name") else {
      throw WebError.badRequest("Every requested output needs a 'name'.")
    }
    let parameters = try members.object("parameters")
    self.name = name
    isBinary = try parameters?.bool("binary_data")
    classes = max(0, try parameters?.integer("classification") ?? 0)
  }
}
#endif
