// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Files
import Foundation
import TensorIO

/// A description that a client sends for a model: its model.json, and the files of labels that change.
struct ModelDescription: Sendable {
  /// The text of model.json.
  let text: String
  /// The labels by the names of their files in `assets/`.
  let labels: [String: [String]]

  /// The maximum size of a request with a description, in bytes.
  static let maximumBytes = 8 << 20
  private static let maximumTextBytes = 1 << 20
  private static let maximumFiles = 16
  private static let maximumLabelBytes = 1000
  private static let maximumNameBytes = 100

  /// Reads a request's body.
  ///
  /// The bundle's validation checks the text itself.
  init(_ body: JSONValue) throws {
    let members = try JSONObjectReader(body, "The body")
    guard let text = try members.text("text") else {
      throw WebError.badRequest("The body is missing 'text', the text of model.json.")
    }
    guard text.utf8.count <= Self.maximumTextBytes else {
      throw WebError.badRequest(
        "'text' can have at most \(ByteCount(Self.maximumTextBytes)), got "
          + "\(ByteCount(text.utf8.count)).")
    }
    self.text = text
    switch members["labels"] {
    case nil, .null?: labels = [:]
    case .object(let files)?:
      guard files.count <= Self.maximumFiles else {
        throw WebError.badRequest("'labels' can have at most \(Self.maximumFiles) files.")
      }
      labels = try files.reduce(into: [:]) { labels, file in
        try Self.check(fileName: file.key)
        labels[file.key] = try Self.names(file.value, of: file.key)
      }
    case let value?:
      throw WebError.badRequest("'labels' must be an object, not \(value.typeName).")
    }
  }

  private static func check(fileName name: String) throws {
    let isPlain = name.unicodeScalars.allSatisfy { scalar in
      scalar.isASCII
        && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
          || "-_.".unicodeScalars.contains(scalar))
    }
    guard isPlain, !name.isEmpty, !name.hasPrefix("."), name.utf8.count <= maximumNameBytes else {
      throw WebError.badRequest(
        "'\(name.prefix(40))' can't be the name of a file of labels. Use letters, digits, '-', '_' "
          + "and '.', such as 'labels.txt'.")
    }
  }

  private static func names(_ value: JSONValue, of file: String) throws -> [String] {
    guard case .array(let elements) = value else {
      throw WebError.badRequest("The labels of '\(file)' must be an array, not \(value.typeName).")
    }
    return try elements.enumerated().map { index, element in
      guard case .string(let label) = element else {
        throw WebError.badRequest(
          "Label \(index) of '\(file)' must be a string, not \(element.typeName).")
      }
      guard label.utf8.count <= maximumLabelBytes, !label.utf8.contains(where: { $0 < 0x20 }) else {
        throw WebError.badRequest(
          "Label \(index) of '\(file)' has a line break, another control character or more than "
            + "\(maximumLabelBytes) bytes.")
      }
      return label
    }
  }

  /// Writes a bundle that has this description and the files of another bundle.
  ///
  /// - Parameters:
  ///   - path: The folder of the new bundle, which doesn't exist yet.
  ///   - bundle: The other bundle.
  /// - Throws: ``ImportError`` if a file can't be read or written.
  func write(to path: String, filesOf bundle: ModelBundle) throws {
    let name = FileSystem.name(of: path)
    let changed = Set(["model.json"] + labels.keys.map { "assets/" + $0 })
    try BundleFolder(bundle.path, as: name, limits: ArchiveLimits()).link(to: path, except: changed)
    try ImportError.writing(name) {
      if !labels.isEmpty, !FileSystem.isFolder(path + "/assets") {
        try FileOperations.makeFolder(path + "/assets", permissions: 0o755)
      }
      try Self.write(text, to: path + "/model.json")
      for (file, names) in labels {
        try Self.write(names.map { $0 + "\n" }.joined(), to: path + "/assets/" + file)
      }
    }
  }

  private static func write(_ text: String, to path: String) throws {
    let file = try OpenFile(creating: path)
    try file.write(Array(text.utf8))
    try file.flush()
  }
}

extension ModelDescription {
  /// The description of a bundle as JSON.
  static func json(of bundle: ModelBundle) throws -> JSONObject {
    let text = try FileSystem.read(bundle.path + "/model.json")
    let files = Set(
      bundle.manifest.outputs.compactMap { $0.labelsFile ?? $0.coding?.text("labels") })
    var labels: [String: [String]] = [:]
    for file in files {
      let content = try FileSystem.read(bundle.assetPath(file))
      labels[file] = Labels(text: String(decoding: content, as: UTF8.self)).names
    }
    return ["text": String(decoding: text, as: UTF8.self), "labels": labels]
  }

  /// Checks that a changed bundle still has the model's identifier, under which its labels and evaluations
  /// are kept.
  static func requireID(_ id: String, of bundle: ModelBundle) throws {
    guard bundle.manifest.id != id else { return }
    let issue = BundleIssue(
      .unknownValue, path: "id", expected: "\"\(id)\", the model's identifier",
      found: "\"\(bundle.manifest.id)\"",
      suggestion: "Keep the identifier. To make another model, import it as one.")
    throw TensorIOError(.invalidBundle, "\(issue)", issues: [issue])
  }
}
#endif
