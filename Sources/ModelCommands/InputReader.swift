// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ModelTools
package import TensorIO
import TensorIODecoding
import TensorIOEncoding
package import TensorIOImageCodecs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads the values on the command line, which are JSON, images or other files.
package struct InputReader {
  private let decoder: ImageDecoder
  /// The folder that relative paths in JSON start from; nil means the current folder.
  private let folder: String?

  package init(scaling: DecodeScaling = .exact, folder: String? = nil) {
    self.folder = folder
    var decoder = ImageDecoder()
    decoder.scaling = scaling
    self.decoder = decoder
  }

  /// Reads VALUE, which is the value of one input, or an object or list with several.
  func readInputs(_ text: String, for signature: ModelSignature) throws -> ModelInputs {
    let only = signature.inputs.count == 1 ? signature.inputs[0] : nil
    if !text.hasPrefix("{"), signature.inputs.allSatisfy(\.isText), !signature.inputs.isEmpty {
      return ModelInputs(try textInput(text))
    }
    switch try read(text, for: only) {
    case .value(let value): return ModelInputs(value)
    case .json(let json): return try inputs(of: json, for: signature)
    }
  }

  /// Returns the inputs that JSON holds: the value of one input, or an object or list with several.
  ///
  /// - Throws: `TensorIOError` if the JSON or a file that it names doesn't fit the inputs.
  package func inputs(of json: JSONValue, for signature: ModelSignature) throws -> ModelInputs {
    let only = signature.inputs.count == 1 ? signature.inputs[0] : nil
    if !signature.inputs.isEmpty, signature.inputs.allSatisfy(\.isText), !json.isObject {
      return ModelInputs(try textInput(json))
    }
    switch json {
    case .object(let row)
    where only?.isFeatures == true && !(row.count == 1 && row[only?.name ?? ""] != nil):
      return ModelInputs(FeatureRow(row))
    case .object(let members):
      var values: [String: any TensorEncodable] = [:]
      for (name, member) in members {
        values[name] = try value(of: member, for: signature.input(named: name), named: name)
      }
      return ModelInputs(values)
    case .array(let elements)
    where only == nil && elements.count == signature.inputs.count:
      return ModelInputs(
        list: try zip(elements, signature.inputs).map { element, spec in
          try value(of: element, for: spec, named: spec.name)
        })
    default: return ModelInputs(try value(of: json, for: only, named: only?.name ?? "VALUE"))
    }
  }

  func readValue(_ text: String, for spec: TensorSpec?) throws -> any TensorEncodable {
    switch try read(text, for: spec) {
    case .value(let value): return value
    case .json(let json):
      let name = text.hasPrefix("@") ? String(text.dropFirst()) : spec?.name ?? "VALUE"
      return try value(of: json, for: spec, named: name)
    }
  }

  /// Reads a text: JSON, a pair of texts in JSON, the content of a file (@FILE), or the text itself.
  private func textInput(_ text: String) throws -> TextInput {
    if text.hasPrefix("@") || text == "-" {
      let path = text == "-" ? Self.standardInput : String(text.dropFirst())
      guard let content = String(validating: try FileSystem.read(path), as: UTF8.self) else {
        throw TensorIOError(.wrongKind, "'\(path)' is not UTF-8; save it as UTF-8.")
      }
      return TextInput(content)
    }
    // Most texts aren't JSON, which isn't an error: they are taken as they are.
    guard let json = try? JSONValue(parsing: Data(text.utf8)), json.isText else {
      return TextInput(text)
    }
    return try textInput(json)
  }

  private func textInput(_ json: JSONValue) throws -> TextInput {
    switch json {
    case .string(let text): return TextInput(text)
    case .array(let elements) where json.isText && elements.count == 2:
      guard case .string(let first) = elements[0], case .string(let second) = elements[1] else {
        break
      }
      return TextInput(first, second)
    default: break
    }
    throw TensorIOError(.wrongKind, "A text or a pair of texts was expected, got \(json.typeName).")
  }

  /// What an argument holds: JSON, or the value itself.
  private enum Content {
    case json(JSONValue)
    case value(any TensorEncodable)
  }

  /// The file that a pipe's bytes are read from.
  private static let standardInput = "/dev/stdin"

  /// Reads JSON, an image, a recording, a NumPy file or text from standard input.
  private func readStandardInput(for spec: TensorSpec?) throws -> Content {
    let data = try FileSystem.read(Self.standardInput)
    let isFile =
      data.starts(with: NumPyFile.magic) || spec?.isAudio == true
      || spec?.isImage == true && ImageDecoder.recognizes(data.bytes)
    if isFile {
      return .value(try value(of: [UInt8](data)[...], for: spec, named: "Standard input"))
    }
    do {
      return .json(try JSONValue(parsing: data))
    } catch let error as JSONSyntaxError {
      if spec?.takesBytes == true { return .value(data) }
      throw TensorIOError(
        .wrongKind,
        "Standard input is neither JSON (\(error)) nor a NumPy file"
          + (spec?.isImage == true ? " or an image." : "."), cause: error)
    }
  }

  private func read(_ text: String, for spec: TensorSpec?) throws -> Content {
    if text == "-" { return try readStandardInput(for: spec) }
    guard text.hasPrefix("@") else {
      do {
        return .json(try JSONValue(parsing: Data(text.utf8)))
      } catch let error as JSONSyntaxError {
        if spec?.dataType == .string { return .value(text) }
        return .value(try readBarePath(text, for: spec, notJSONBecause: error))
      }
    }
    let path = String(text.dropFirst())
    guard path.hasSuffix(".json") else { return .value(try readFile(path, for: spec)) }
    do {
      return .json(try JSONValue(parsing: FileSystem.read(path)))
    } catch let error as JSONSyntaxError {
      throw TensorIOError(.wrongKind, "'\(path)' is not JSON: \(error).", cause: error)
    }
  }

  // MARK: - Files

  private func readFile(_ path: String, for spec: TensorSpec?) throws -> any TensorEncodable {
    switch path.split(separator: ".").last?.lowercased() {
    case "npy": return try NumPyFile(path).value(for: spec)
    case "jpg", "jpeg", "png", "bmp", "webp": return try image(path, for: spec)
    default:
      // An image without a file extension still goes into an image layer. Other files are raw
      // bytes. The file is read only once, because it may be a pipe.
      let data = try FileSystem.read(path)
      guard spec?.isImage == true, ImageDecoder.recognizes(data.bytes) else {
        // A layer of strings takes any bytes, because its model may decode the format itself.
        if spec?.kind != .bytes, let format = UnreadFormat(of: data.bytes, named: path) {
          guard spec?.isAudio == true, format == .sound else { throw format.error(path) }
          return try AudioClip(bytes: [UInt8](data), named: "'\(path)'")
        }
        return data
      }
      return ImageFile(bytes: data, named: "'\(path)'", decoder: decoder)
    }
  }

  /// Returns the value in the bytes of a NumPy file, or of a photo, a recording or a string.
  ///
  /// - Throws: `TensorIOError` if the input doesn't take such bytes.
  package func value(
    of bytes: ArraySlice<UInt8>, for spec: TensorSpec?, named name: String
  ) throws -> any TensorEncodable {
    if bytes.starts(with: NumPyFile.magic) {
      return try NumPyFile(Array(bytes), named: name).value(for: spec)
    }
    if spec?.isAudio == true { return try AudioClip(bytes: Array(bytes), named: "'\(name)'") }
    if spec?.takesBytes == true { return Data(bytes) }
    guard spec?.isImage == true else {
      throw TensorIOError(
        .wrongKind,
        "'\(name)' takes a NumPy file, but its \(bytes.count) bytes don't begin with '\\x93NUMPY'.")
    }
    return ImageFile(bytes: bytes, named: "'\(name)'", decoder: decoder)
  }

  /// Returns an image, which an image layer decodes only when it is written to the tensor.
  private func image(_ path: String, for spec: TensorSpec?) throws -> any TensorEncodable {
    spec?.isImage == true
      ? ImageFile(path, decoder: decoder) : try decoder.decode(contentsOf: path)
  }

  /// Reads a file whose path has no `@` before it.
  private func readBarePath(
    _ path: String, for spec: TensorSpec?, notJSONBecause error: JSONSyntaxError
  ) throws -> any TensorEncodable {
    if FileSystem.isFile(path) {
      if path.lowercased().hasSuffix(".npy") { return try readFile(path, for: spec) }
      return spec?.isAudio == true
        ? try AudioClip(contentsOf: path) : try image(path, for: spec)
    }
    let looksLikePath = path.contains("/") || path.split(separator: ".").count == 2
    let looksLikeJSON = path.first.map { "{[\"-0123456789".contains($0) } ?? false
    if looksLikePath && !looksLikeJSON {
      throw TensorIOError(.fileNotFound, "There is no file '\(path)'.")
    }
    throw TensorIOError(
      .wrongKind,
      "'\(path)' is neither JSON (\(error)) nor the path of "
        + "\(spec?.isAudio == true ? "a recording" : "an image"). Use @FILE for other files.",
      cause: error)
  }

  // MARK: - JSON

  package func value(
    of json: JSONValue, for spec: TensorSpec?, named name: String
  ) throws -> any TensorEncodable {
    let json = spec?.takesNumbers == true ? json.readingNumbersThatAreNotFinite : json
    if case .string(let text) = json, spec?.isText != true {
      if text.hasPrefix("@") { return try readFile(path(String(text.dropFirst())), for: spec) }
      if spec?.isAudio == true { return try AudioClip(contentsOf: path(text)) }
      return spec?.isImage == true ? try image(path(text), for: spec) : text
    }
    if spec?.isText == true { return try textInput(json) }
    if spec?.isFeatures == true, case .object(let row) = json { return FeatureRow(row) }
    return try tensorValue(of: json, named: name)
  }

  /// Returns the path of a file that JSON names.
  package func path(_ text: String) -> String {
    guard let folder, !text.hasPrefix("/") else { return text }
    return folder + "/" + text
  }

  private func tensorValue(of json: JSONValue, named name: String) throws -> TensorValue {
    switch json {
    case .number(let number): return .number(.double(number))
    case .integer(let integer): return .number(.integer(integer))
    case .bool(let bool): return .number(.bool(bool))
    case .string(let text): return .strings([Data(text.utf8)])
    case .array(let elements):
      let values = try elements.map { try tensorValue(of: $0, named: name) }
      let numbers = values.compactMap { value -> TensorValue.Number? in
        if case .number(let number) = value { number } else { nil }
      }
      return numbers.count == values.count ? .numbers(numbers) : .list(values)
    case .null, .object:
      throw TensorIOError(
        .wrongKind, "'\(name)' takes a number, an array or text, got \(json.typeName).")
    }
  }
}

extension TensorSpec {
  /// Whether an input takes numbers, and no strings, files or columns.
  package var takesNumbers: Bool {
    !takesBytes && !isImage && !isAudio && !isText && !isFeatures
  }

  /// Whether an input takes bytes as they are: its elements, or a string.
  package var takesBytes: Bool { kind == .bytes || (dataType == .string && !isText) }
}

extension JSONValue {
  fileprivate var isObject: Bool { if case .object = self { true } else { false } }

  /// Whether this is a string or an array of strings.
  fileprivate var isText: Bool {
    switch self {
    case .string: true
    case .array(let elements):
      elements.allSatisfy { if case .string = $0 { true } else { false } }
    default: false
    }
  }
}
