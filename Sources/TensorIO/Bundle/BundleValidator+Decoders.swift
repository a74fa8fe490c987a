// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

extension BundleValidator {
  /// Checks that the outputs and files that decoders and columns name exist.
  mutating func checkDecoders(_ manifest: ModelManifest) {
    let names = manifest.outputs.map(\.name)
    for (index, layer) in manifest.outputs.enumerated() {
      guard let decoding = layer.coding else { continue }
      let path = "outputs[\(index)].decode"
      let inputs = manifest.inputs.map(\.name)
      if let name = decoding.text("input"), !inputs.contains(name) {
        report(
          .unknownTensor, at: "\(path).input", expected: "one of \(quotedList(inputs))",
          found: "'\(name)'",
          suggestion: Spelling.suggestion(for: name, among: inputs).map { "Did you mean '\($0)'?" }
            ?? "Write the name of an input.")
      }
      for (role, name) in decoding.outputs.sorted(by: { $0.key < $1.key })
      where !names.contains(name) || name == layer.name {
        let others = names.filter { $0 != layer.name }
        report(
          .unknownTensor, at: "\(path).\(role)",
          expected: others.isEmpty ? "another output" : "one of \(quotedList(others))",
          found: "'\(name)'",
          suggestion: Spelling.suggestion(for: name, among: others).map { "Did you mean '\($0)'?" }
            ?? "Write the name of another output.")
      }
      for key in ["anchors", "gallery"] {
        if let file = decoding.text(key) { checkAsset(file, at: "\(path).\(key)") }
      }
    }
    for (index, layer) in manifest.inputs.enumerated() {
      if let file = layer.coding?.text("tokenizer") {
        checkAsset(file, at: "inputs[\(index)].tokenizer")
      }
      guard case .array(let columns)? = layer.coding?["columns"] else { continue }
      for (column, members) in columns.enumerated() {
        guard case .object(let members) = members, case .string(let file)? = members["vocabulary"]
        else { continue }
        checkAsset(file, at: "inputs[\(index)].columns[\(column)].vocabulary")
      }
    }
  }

  private mutating func checkAsset(_ file: String, at path: String) {
    guard FileSystem.staysInside(file), !file.isEmpty else {
      return report(
        .pathOutsideBundle, at: path, expected: "the name of a file in assets/",
        found: "\"\(file)\"", suggestion: "Put the file into assets/, and write its name.")
    }
    if FileSystem.isFile(self.path + "/assets/" + file) { return }
    report(
      .missingFile, at: path, expected: "a file assets/\(file)", found: "nothing",
      suggestion: "Add the file, or correct the name.")
  }
}
