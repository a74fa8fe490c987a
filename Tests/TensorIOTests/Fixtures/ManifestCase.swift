// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import TensorIO

/// A document and the issues that the reader finds in it: a line of `manifests.json`, or a document
/// with one of the resize methods.
struct ManifestCase: Decodable, Sendable, CustomTestStringConvertible {
  let name: String
  let base: String
  let changes: [String: JSONValue]
  let removals: [String]
  let issues: [String]

  static let all: [ManifestCase] = {
    do {
      let resizes = ResizeMethod.allCases.map {
        ManifestCase(
          name: "resize \($0.rawValue)", base: "every-field",
          changes: ["/inputs/5/resize": .string($0.rawValue)], removals: [], issues: [])
      }
      return try Fixtures.decode([ManifestCase].self, from: "manifests.json") + resizes
    } catch {
      fatalError("manifests.json cannot be read: \(error)")
    }
  }()

  enum CodingKeys: String, CodingKey {
    case name = "case"
    case base
    case changes = "set"
    case removals = "remove"
    case issues
  }

  var testDescription: String { name }
  var isAccepted: Bool { issues.allSatisfy { $0.hasPrefix("warning ") } }

  /// The document of the case.
  func document() throws -> JSONValue {
    let text = try Fixtures.text("good/\(base).json")
    var document = try JSONValue(parsing: Data(text.utf8))
    for pointer in removals { try document.set(pointer, to: nil) }
    for (pointer, value) in changes { try document.set(pointer, to: value) }
    return document
  }
}

extension ManifestCase {
  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    name = try container.decode(String.self, forKey: .name)
    base = try container.decode(String.self, forKey: .base)
    changes = try container.decodeIfPresent([String: JSONValue].self, forKey: .changes) ?? [:]
    removals = try container.decodeIfPresent([String].self, forKey: .removals) ?? []
    issues = try container.decode([String].self, forKey: .issues)
  }
}

extension JSONValue {
  /// Sets or removes the value that a JSON pointer names.
  mutating func set(_ pointer: String, to value: JSONValue?) throws {
    let parts = pointer.split(separator: "/").map {
      $0.replacingOccurrences(of: "~1", with: "/").replacingOccurrences(of: "~0", with: "~")
    }
    try set(parts[...], to: value)
  }

  private mutating func set(_ path: ArraySlice<String>, to value: JSONValue?) throws {
    guard let key = path.first else {
      self = value ?? .null
      return
    }
    let rest = path.dropFirst()
    switch self {
    case .object(var members):
      if rest.isEmpty {
        members[key] = value
      } else {
        var member = try #require(members[key], "no member '\(key)'")
        try member.set(rest, to: value)
        members[key] = member
      }
      self = .object(members)
    case .array(var elements):
      let index = try #require(Int(key), "'\(key)' is no index")
      if index == elements.count, rest.isEmpty, let value {
        elements.append(value)
      } else {
        var element = try #require(elements.indices.contains(index) ? elements[index] : nil)
        try element.set(rest, to: value)
        elements[index] = element
      }
      self = .array(elements)
    default: Issue.record("'\(key)' leads into \(typeName)")
    }
  }
}

extension BundleIssue {
  /// The form in which the tables write an issue.
  var summary: String {
    (severity == .warning ? "warning " : "") + "\(code.rawValue) \(path)"
  }
}
