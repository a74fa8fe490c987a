// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import NIOCore
import TensorIO

/// A request to run a model, by the Open Inference Protocol.
///
/// With the binary tensor extension, tensors' bytes follow the JSON document, in the order of the
/// inputs.
struct InferenceCall: Sendable {
  /// The client's own name for the request, which the answer repeats.
  let id: String?
  let inputs: [WireTensor]
  /// What is wanted; empty wants all outputs.
  let outputs: [Output]
  /// Whether outputs that say nothing else are wanted in binary.
  let wantsBinary: Bool

  /// An output that is wanted.
  struct Output: Sendable {
    let name: String
    let isBinary: Bool?
    /// How many of the best classes are wanted, as texts, in place of the values; 0 for the values.
    let classes: Int
  }

  /// Reads a request.
  ///
  /// - Parameters:
  ///   - body: The body.
  ///   - headerLength: The length of its JSON part, as the header field says; nil where all is JSON.
  /// - Throws: ``WebError`` that names what is wrong.
  init(_ body: ByteBuffer, headerLength: Int?) throws {
    var rest = body
    guard let header = rest.readSlice(length: headerLength ?? body.readableBytes) else {
      throw WebError.badRequest(
        "The header says \(headerLength ?? 0) bytes of JSON, but the body has "
          + "\(body.readableBytes).")
    }
    let document: JSONValue
    do {
      document = try JSONValue(parsing: Data(header.readableBytesView))
    } catch {
      throw WebError.badRequest("The request is no JSON: \(error).")
    }
    let request = try Members(document, "The request")
    let parameters = try request.object("parameters")
    id = try request.text("id")
    wantsBinary = try parameters?.bool("binary_data_output") ?? false
    inputs = try request.array("inputs", isRequired: true).map {
      try Self.input(Members($0, "An input"), &rest)
    }
    outputs = try request.array("outputs").map { try Output(Members($0, "An output")) }
    guard rest.readableBytes == 0 else {
      throw WebError.badRequest("\(rest.readableBytes) bytes follow the last binary tensor.")
    }
  }

  private static func input(_ input: Members, _ rest: inout ByteBuffer) throws -> WireTensor {
    guard let name = try input.text("name"), let typeName = try input.text("datatype") else {
      throw WebError.badRequest("Every input needs 'name', 'datatype', 'shape' and 'data'.")
    }
    guard let type = WireType(rawValue: typeName) else {
      throw WebError.badRequest("'\(name)' is of the type '\(typeName)', which is not known.")
    }
    let shape = try input.integers("shape")
    if let size = try input.object("parameters")?.integer("binary_data_size") {
      guard size >= 0, let bytes = rest.readSlice(length: size) else {
        throw WebError.badRequest(
          "'\(name)' has \(size) bytes, but \(rest.readableBytes) are left of the body.")
      }
      return try WireTensor(
        name: name, type: type, shape: shape, elements: WireTensor.elements(bytes, of: type))
    }
    guard let data = input["data"] else {
      throw WebError.badRequest("'\(name)' has neither 'data' nor 'binary_data_size'.")
    }
    return try WireTensor(
      name: name, type: type, shape: shape, elements: WireTensor.elements(data, of: type, name))
  }
}

extension InferenceCall.Output {
  fileprivate init(_ members: Members) throws {
    guard let name = try members.text("name") else {
      throw WebError.badRequest("Every output that is asked for needs a 'name'.")
    }
    let parameters = try members.object("parameters")
    self.name = name
    isBinary = try parameters?.bool("binary_data")
    classes = max(0, try parameters?.integer("classification") ?? 0)
  }
}

/// An object's members, read with errors that name them.
struct Members {
  private let members: [String: JSONValue]
  private let owner: String

  /// Reads an object.
  ///
  /// - Parameters:
  ///   - value: The object.
  ///   - owner: What it is, at the start of a sentence.
  /// - Throws: ``WebError`` for anything else.
  init(_ value: JSONValue, _ owner: String) throws {
    guard case .object(let members) = value else {
      throw WebError.badRequest("\(owner) must be an object, not \(value.typeName).")
    }
    self.members = members
    self.owner = owner
  }

  subscript(name: String) -> JSONValue? { members[name] }

  func text(_ name: String) throws -> String? {
    switch members[name] {
    case nil, .null?: nil
    case .string(let text)?: text
    case let value?: throw wrong(name, "a text", value)
    }
  }

  func bool(_ name: String) throws -> Bool? {
    switch members[name] {
    case nil, .null?: nil
    case .bool(let bool)?: bool
    case let value?: throw wrong(name, "true or false", value)
    }
  }

  func integer(_ name: String) throws -> Int? {
    guard let value = members[name], value != .null else { return nil }
    guard let integer = Self.integer(value) else { throw wrong(name, "a whole number", value) }
    return integer
  }

  func integers(_ name: String) throws -> [Int] {
    try array(name, isRequired: true).map { value in
      guard let integer = Self.integer(value) else { throw wrong(name, "whole numbers", value) }
      return integer
    }
  }

  func object(_ name: String) throws -> Members? {
    guard let value = members[name], value != .null else { return nil }
    return try Members(value, "'\(name)'")
  }

  func array(_ name: String, isRequired: Bool = false) throws -> [JSONValue] {
    switch members[name] {
    case .array(let values)?: return values
    case nil where !isRequired: return []
    case nil: throw WebError.badRequest("\(owner) lacks '\(name)'.")
    case let value?: throw wrong(name, "an array", value)
    }
  }

  private static func integer(_ value: JSONValue) -> Int? {
    switch value {
    case .number(let number): Int(exactly: number)
    case .integer(let integer): Int(exactly: integer)
    default: nil
    }
  }

  private func wrong(_ name: String, _ expected: String, _ value: JSONValue) -> WebError {
    .badRequest("'\(name)' must be \(expected), not \(value.typeName).")
  }
}
