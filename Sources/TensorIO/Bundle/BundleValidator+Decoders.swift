// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

extension BundleValidator {
  /// Checks that the outputs and files that decoders name exist.
  mutating func checkDecoders(_ manifest: ModelManifest) {
    let names = manifest.outputs.map(\.name)
    for (index, layer) in manifest.outputs.enumerated() {
      guard let decoding = layer.coding else { continue }
      let path = "outputs[\(index)].decode"
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
        guard let file = decoding.text(key) else { continue }
        guard FileSystem.staysInside(file), !file.isEmpty else {
          report(
            .pathOutsideBundle, at: "\(path).\(key)", expected: "the name of a file in assets/",
            found: "\"\(file)\"", suggestion: "Put the file into assets/, and write its name.")
          continue
        }
        if FileSystem.isFile(self.path + "/assets/" + file) { continue }
        report(
          .missingFile, at: "\(path).\(key)", expected: "a file assets/\(file)", found: "nothing",
          suggestion: "Add the file, or correct the name.")
      }
    }
  }
}
