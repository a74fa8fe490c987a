// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO

extension ResizeMethod {
  /// The methods that equal Pillow's, so that Python needs no other library for them.
  static let pillowMethods = allCases.filter {
    $0.rawValue.hasPrefix("pillow-") || $0 == .nearest
  }
}

/// A placeholder bundle without a model.
struct PlaceholderBundle {
  let path: String
  private let folder: TemporaryFolder

  /// Writes the bundle.
  ///
  /// - Parameters:
  ///   - quantized: Whether the input is uint8 instead of float32.
  ///   - shape: The input's shape, as JSON.
  ///   - members: Further members of the input's object, as JSON.
  /// - Throws: An error if the files can't be written.
  init(quantized: Bool = false, shape: String = "[96, 96, 3]", _ members: String = "") throws {
    let image = #""type": "image", "shape": \#(shape), "format": "RGB""#
    try self.init(
      quantized: quantized,
      inputs: [#"{"name": "image", \#(image)\#(members.isEmpty ? "" : ", " + members)}"#])
  }

  /// Writes a bundle with these inputs, as JSON.
  init(quantized: Bool = false, inputs: [String]) throws {
    folder = try TemporaryFolder()
    path = folder.path + "/test.tiobundle"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    try """
    {"name": "Test", "details": "", "id": "test", "version": "1", "author": "", "license": "",
     "placeholder": true, "model": {"file": "", "quantized": \(quantized)},
     "inputs": [\(inputs.joined(separator: ", "))],
     "outputs": [{"name": "y", "type": "array", "shape": [1]}]}
    """.write(toFile: path + "/model.json", atomically: true, encoding: .utf8)
  }

  /// A path beside the bundle.
  func pathBeside(_ name: String) -> String { folder.path + "/" + name }
}

/// The part of the output of `tensorio parity --json` that tests read.
struct ParityAnswer: Decodable {
  struct Stage: Decodable {
    let stage: String
    let result: String
    let looksLike: String?
    let suggestion: String?
    let cannotBeToldFrom: [String]

    private enum CodingKeys: String, CodingKey {
      case stage, result, looksLike, cannotBeToldFrom
      case suggestion = "mending"
    }
  }
  let equal: Bool
  let explained: Bool
  let firstDifference: String?
  let residualBytes: Double?
  let message: String?
  let stages: [Stage]

  /// What each differing stage looks like, by stage.
  var differences: [String: String] {
    let found = stages.filter { $0.result == "differs" }.map { ($0.stage, $0.looksLike ?? "") }
    return Dictionary(uniqueKeysWithValues: found)
  }

  /// Runs `tensorio parity`.
  static func of(
    _ bundle: PlaceholderBundle, _ image: String, against array: String, _ words: String...
  ) async throws -> (status: Int32, answer: ParityAnswer) {
    let result = try await CommandRunner.run(
      ["parity", bundle.path, image, "--against", array, "--json"] + words)
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return (
      result.status, try decoder.decode(ParityAnswer.self, from: Data(result.output.utf8))
    )
  }
}
