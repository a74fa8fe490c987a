// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

extension ManifestReader {
  /// Reads the fields of an input of the type `audio`.
  mutating func readAudio(_ layer: [String: JSONValue], at path: String) -> LayerCoding? {
    let names = AudioKeys.ofLayers.keyNames
    let own = layer.filter { names.contains($0.key) }
    let isValid = check(own.filter { $0.key != "features" }, AudioKeys.ofLayers, at: path) {
      AudioKeys.form(of: $0)
    }
    if own["frames"] != nil, own["features"] == nil {
      report(
        .missingKey, at: "\(path).features", expected: "\"features\", whose frames are meant",
        found: "nothing", suggestion: "Add \"features\", or remove \"frames\".")
      return nil
    }
    if let value = own["features"] {
      let path = "\(path).features"
      guard let members = object(value, at: path),
        let type = requiredString("type", in: members, at: path)
      else { return nil }
      guard let features = AudioKeys.ofFeatures.first(where: { $0.type == type }) else {
        let known = AudioKeys.ofFeatures.map(\.type)
        reject(
          type, at: "\(path).type", expected: "one of \(known.joined(separator: ", "))",
          known: known, orSuggest: "Use a type from the list.")
        return nil
      }
      let areValid = check(members, features.keys, at: path) { AudioKeys.form(of: $0) }
      guard areValid else { return nil }
    }
    return isValid ? LayerCoding(type: "audio", options: own) : nil
  }
}

extension String {
  /// The names in a list of keys, where an exclamation mark follows a required key.
  var keyNames: [String] {
    split(separator: " ").map { String($0.last == "!" ? $0.dropLast() : $0) }
  }
}
