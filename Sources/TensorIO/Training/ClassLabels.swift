// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The names of the classes that a model was trained on, for the labels of an exported bundle.
struct ClassLabels {
  private let names: [String]
  private let file: String
  /// Whether an output has these labels.
  private var isUsed = false

  /// Makes labels, in the order of the classes; none leave the outputs as they are.
  init(_ names: [String], for bundle: ModelBundle) {
    // A line of the file is a label, so a name with a line break can't be one.
    self.names = names.contains { $0.contains(where: \.isNewline) } ? [] : names
    let candidates = (1...).lazy.map { $0 == 1 ? "labels.txt" : "labels-\($0).txt" }
    file =
      candidates.first { !FileManager.default.fileExists(atPath: bundle.path + "/assets/" + $0) }
      ?? "labels.txt"
  }

  /// Names the file in outputs of one number for each class that have no labels yet.
  mutating func add(to root: inout [String: JSONValue]) {
    guard names.count > 1, case .array(let outputs) = root["outputs"] else { return }
    root["outputs"] = .array(
      outputs.map { output in
        guard case .object(var members) = output, fits(members) else { return output }
        members["labels"] = .string(file)
        isUsed = true
        return .object(members)
      })
  }

  private func fits(_ output: [String: JSONValue]) -> Bool {
    guard output["type"] == .string("array"), output["labels"] == nil, output["decode"] == nil,
      output["dtype"].map({ $0 == .string("float32") }) ?? true,
      case .array(let axes) = output["shape"]
    else { return false }
    return axes.compactMap(\.asNumber).filter { $0 != -1 && $0 != 1 } == [Double(names.count)]
  }

  /// Writes the file, if an output names it, into the assets of a bundle.
  ///
  /// - Throws: The system's error.
  func write(toBundle folder: String) throws {
    guard isUsed else { return }
    try FileManager.default.createDirectory(
      atPath: folder + "/assets", withIntermediateDirectories: true)
    let text = names.map { $0 + "\n" }.joined()
    try Data(text.utf8).write(to: URL(filePath: folder + "/assets/" + file))
  }
}
