// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension EvaluationReport {
  /// Reads a report from a file.
  ///
  /// - Parameter path: A JSON file written by ``write(to:)``.
  /// - Throws: `TensorIOError` that names the file and the position of the problem.
  public init(contentsOf path: String) throws {
    self = try Self(json: FileSystem.read(path), "'\(path)'")
  }

  /// Reads a report.
  ///
  /// Reports of older versions can be read. Newer versions are rejected, because their values may
  /// have another meaning.
  ///
  /// - Parameters:
  ///   - text: A document returned by ``json()``.
  ///   - name: The report's name in errors.
  /// - Throws: `TensorIOError` that names the position of the problem, such as `results[12].index`.
  public init(json text: String, named name: String = "The report") throws {
    self = try Self(json: Data(text.utf8), name)
  }

  private init(json data: Data, _ name: String) throws {
    let decoder = StableJSON.makeDecoder()
    do {
      try decoder.decode(Kind.self, from: data).check(name)
      self = try decoder.decode(Self.self, from: data)
    } catch let error as DecodingError {
      throw TensorIOError(.unreadableFile, "\(name): \(error.location(in: data))", cause: error)
    }
    if let fault = firstFault {
      throw TensorIOError(.unreadableFile, "\(name): \(fault)")
    }
  }

  /// The members that distinguish a report from other documents.
  private struct Kind: Decodable {
    var schema: String?
    var version: Int?

    private enum CodingKeys: String, CodingKey {
      case schema
      case version = "schema_version"
    }

    func check(_ name: String) throws {
      guard let schema, schema == EvaluationReport.schema else {
        throw TensorIOError(
          .unreadableFile,
          "\(name) is not a report of 'tensorio evaluate --report FILE.json': its 'schema' must be "
            + "'\(EvaluationReport.schema)', "
            + (schema.map { "found '\($0)'." } ?? "but it has none."))
      }
      guard let version else {
        throw TensorIOError(.unreadableFile, "\(name): 'schema_version' is missing.")
      }
      let known = EvaluationReport.schemaVersion
      guard version >= 1 else {
        throw TensorIOError(
          .unreadableFile, "\(name): 'schema_version' must be 1 or more, found \(version).")
      }
      guard version <= known else {
        throw TensorIOError(
          .unreadableFile,
          "\(name) has 'schema_version' \(version), but this program reads versions up to "
            + "\(known). A newer tensorio wrote it; read it with that version.")
      }
    }
  }
}

extension DecodingError {
  /// Describes what is wrong and where, as a sentence.
  fileprivate func location(in data: Data) -> String {
    switch self {
    case .keyNotFound(let key, let context):
      "'\((context.codingPath + [key]).jsonPath)' is missing."
    case .valueNotFound(let type, let context):
      "'\(context.codingPath.jsonPath)' must be \(Self.name(of: type)), found null."
    case .typeMismatch(let type, let context) where context.codingPath.isEmpty:
      "The document must be \(Self.name(of: type))."
    case .typeMismatch(let type, let context):
      "'\(context.codingPath.jsonPath)' must be \(Self.name(of: type)), found "
        + Self.found(at: context.codingPath, in: data) + "."
    case .dataCorrupted(let context) where !context.codingPath.isEmpty:
      "'\(context.codingPath.jsonPath)' cannot be read: \(context.debugDescription)"
    default: Self.syntaxFault(in: data) ?? "The document is not valid JSON (\(self))."
    }
  }

  private static func syntaxFault(in data: Data) -> String? {
    do {
      _ = try JSONValue(parsing: data)
      return nil
    } catch {
      return "\(error)."
    }
  }

  private static func found(at path: [any CodingKey], in data: Data) -> String {
    guard var value = try? JSONValue(parsing: data) else { return "something else" }
    for key in path {
      switch value {
      case .object(let members): value = members[key.stringValue] ?? .null
      case .array(let elements):
        guard let index = key.intValue, elements.indices.contains(index) else { return "nothing" }
        value = elements[index]
      default: return value.typeName
      }
    }
    return value.typeName
  }

  private static func name(of type: any Any.Type) -> String {
    switch type {
    case is String.Type: "a string"
    case is Bool.Type: "a boolean"
    case is Double.Type: "a number"
    case is Int.Type, is UInt64.Type: "a whole number"
    case is [String: Any].Type: "an object"
    case is [Any].Type: "an array"
    default: "of the type \(type)"
    }
  }
}

extension [any CodingKey] {
  /// The keys in human-readable form, such as `results[12].index`.
  var jsonPath: String {
    reduce(into: "") { path, key in
      if let index = key.intValue {
        path += "[\(index)]"
      } else {
        path += (path.isEmpty ? "" : ".") + key.stringValue
      }
    }
  }
}

extension EvaluationReport {
  /// The first contradiction in a report that was read from a file, as a sentence, or nil.
  ///
  /// A file that was truncated or edited by hand must not produce numbers that look right.
  var firstFault: String? {
    if let part, part.index < 1 || part.index > part.count {
      return "'part' must count from 1 to \(part.count), found \(part.index)."
    }
    var rows: [String: [ResultRow]] = [:]
    for (position, row) in results.enumerated() {
      guard row.index >= 0 else {
        return "'results[\(position)].index' must be 0 or more, found \(row.index)."
      }
      rows[row.model, default: []].append(row)
    }
    var known: Set<String> = []
    for (position, result) in models.enumerated() {
      let id = result.model.id
      guard known.insert(id).inserted else {
        return "'models[\(position)].model.id': the model '\(id)' occurs twice."
      }
      if let fault = result.firstFault(rows[id] ?? []) { return "'models[\(position)]\(fault)" }
    }
    if let stranger = results.firstIndex(where: { !known.contains($0.model) }) {
      return "'results[\(stranger)].model': there is no model '\(results[stranger].model)' among "
        + "the models (\(known.sorted().joined(separator: ", ")))."
    }
    return nil
  }
}

extension ModelResult {
  /// Returns the rest of a sentence that begins with the path to this result.
  fileprivate func firstFault(_ rows: [ResultRow]) -> String? {
    guard images == rows.count else {
      return ".pictures' says \(images), but 'results' has \(rows.count) rows of '\(model.id)'."
    }
    let failures = rows.count(where: \.error)
    guard failed == failures else {
      return ".failed' says \(failed), but 'results' has \(failures) failed rows of '\(model.id)'."
    }
    guard labelled >= 0, labelled <= images else {
      return ".labelled' must lie between 0 and \(images), found \(labelled)."
    }
    guard Set(rows.map(\.index)).count == rows.count else {
      return "': an index occurs twice among the results of '\(model.id)'."
    }
    for (name, items) in (items ?? [:]).sorted(by: { $0.key < $1.key })
    where items.count != rows.count {
      return ".items.\(name)' must have an entry for each of the \(rows.count) images, but it has "
        + "\(items.count)."
    }
    for (name, report) in metrics.sorted(by: { $0.key < $1.key }) {
      if let matrix = report.confusion, let fault = matrix.firstFault {
        return ".metrics.\(name).confusion\(fault)"
      }
    }
    return nil
  }
}

extension ConfusionMatrix {
  fileprivate var firstFault: String? {
    guard counts.count == labels.count, failed.count == labels.count else {
      return "' has \(labels.count) labels, \(counts.count) rows and \(failed.count) numbers of "
        + "failed images: they must be equal."
    }
    let range = 0...(1 << 40)
    if let row = failed.firstIndex(where: { !range.contains($0) }) {
      return ".failed[\(row)]' must lie between 0 and 2^40, found \(failed[row])."
    }
    for (row, numbers) in counts.enumerated() {
      guard numbers.count == labels.count else {
        return ".counts[\(row)]' must have \(labels.count) numbers, but it has \(numbers.count)."
      }
      if let negative = numbers.first(where: { $0 < 0 }) {
        return ".counts[\(row)]' has the negative number \(negative)."
      }
    }
    return nil
  }
}
