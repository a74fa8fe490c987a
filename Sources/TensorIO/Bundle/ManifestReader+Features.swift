// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

extension ManifestReader {
  /// Reads the fields of an input of the type `features`.
  mutating func readFeatures(_ layer: [String: JSONValue], at path: String) -> LayerCoding? {
    let path = "\(path).columns"
    guard let value = required("columns", in: layer, at: String(path.dropLast(8))),
      let columns = array(value, at: path)
    else { return nil }
    let before = issues.count
    var names: Set<String> = []
    for (index, column) in columns.enumerated() {
      let path = "\(path)[\(index)]"
      guard let members = object(column, at: path) else { continue }
      _ = check(members, FeatureKeys.ofColumns, at: path, form: FeatureKeys.form)
      for (first, second) in FeatureKeys.pairs
      where (members[first] == nil) != (members[second] == nil) {
        let missing = members[first] == nil ? first : second
        report(
          .missingKey, at: "\(path).\(missing)", expected: "\"\(first)\" and \"\(second)\"",
          found: "only one of them", suggestion: "Add \"\(missing)\".")
      }
      for (first, second) in FeatureKeys.alternatives
      where members[first] != nil && members[second] != nil {
        report(
          .conflictingKeys, at: "\(path).\(second)",
          expected: "\"\(first)\" or \"\(second)\"", found: "both",
          suggestion: "Remove one of them.")
      }
      if case .string(let name)? = members["name"], !names.insert(name).inserted {
        report(
          .duplicateName, at: "\(path).name", expected: "a column that isn't listed yet",
          found: "'\(name)'", suggestion: "Remove the column, or correct its name.")
      }
    }
    return issues.count == before
      ? LayerCoding(type: "features", options: ["columns": value]) : nil
  }
}

extension ManifestReader {
  /// Reads the fields of an input of the type `text`.
  mutating func readText(_ layer: [String: JSONValue], at path: String) -> LayerCoding? {
    let own = layer.filter { TextKeys.ofLayers.keyNames.contains($0.key) }
    guard check(own, TextKeys.ofLayers, at: path, form: TextKeys.form) else { return nil }
    let tokenizer = own.filter { TextKeys.ofTokenizer.contains($0.key) }
    let sharing = tokenizers[tokenizer] ?? SharedPreparation()
    tokenizers[tokenizer] = sharing
    return LayerCoding(type: "text", options: own, sharing: sharing)
  }
}

/// The keys of an input of the type `text` that other layers don't have.
enum TextKeys {
  static let ofLayers = "tokenizer! part lowercase special_tokens pad"
  /// The keys that determine the tokenizer, which layers with the same values share.
  static let ofTokenizer = ["tokenizer", "lowercase"]

  static func form(of key: String) -> KeyForm {
    switch key {
    case "tokenizer": .file
    case "part": .word(["ids", "mask", "types"])
    case "pad": .count(from: 0)
    default: .flag
    }
  }
}

/// The keys of a column of an input of the type `features`, and which values they take.
enum FeatureKeys {
  static let ofColumns =
    "name! mean std min max missing values vocabulary encoding unknown ignore_unknown"
  /// Keys that have a meaning only together.
  static let pairs = [("mean", "std"), ("min", "max")]
  /// Keys that exclude each other.
  static let alternatives = [
    ("mean", "min"), ("values", "vocabulary"), ("values", "mean"), ("values", "min"),
    ("vocabulary", "mean"), ("vocabulary", "min"), ("unknown", "ignore_unknown"),
  ]

  static func form(of key: String) -> KeyForm {
    switch key {
    case "mean", "std", "min", "max": .number
    case "values": .texts
    case "vocabulary": .file
    case "encoding": .word(["one-hot", "index"])
    case "ignore_unknown": .flag
    case "missing": .value
    default: .text
    }
  }
}
