// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TestSupport
import Testing

/// `tensorio metadata`, and bundles that `tensorio init` makes of what it wrote.
@Suite(.enabled(if: hasLiteRT, "The LiteRT library is missing; run 'make setup'."))
struct MetadataCommandTests {
  private static let photo = "Demo/images/digit-7-01.png"

  private func write(
    _ bundle: String, to file: String, _ arguments: [String] = []
  ) async throws -> CommandRunner.Result {
    try await CommandRunner.run(["metadata", "--from", bundle, "-o", file] + arguments)
  }

  /// Makes the bundle of a fixture with `tensorio init`.
  private func bundle(of model: String, in folder: TemporaryFolder) async throws -> String {
    let bundle = folder.path + "/first.tiobundle"
    let result = try await CommandRunner.run(["init", "Tests/Fixtures/\(model)", "-o", bundle])
    try #require(result.status == 0, "\(result.error)")
    return bundle
  }

  private func edit(_ bundle: String, _ old: String, _ new: String) throws {
    let file = bundle + "/model.json"
    let text = try String(contentsOfFile: file, encoding: .utf8)
    try #require(text.contains(old))
    try text.replacing(old, with: new).write(toFile: file, atomically: true, encoding: .utf8)
  }

  // MARK: - There and back

  @Test(arguments: [
    "Demo/digits.tiobundle", "Demo/digits-int8.tiobundle", "Models/image_with_metadata.tflite",
    "Recognized/postprocessed.tflite", "Recognized/anchored.tflite",
  ])
  func `init makes an equal bundle of the file`(_ source: String) async throws {
    let folder = try TemporaryFolder()
    let isBundle = source.hasSuffix(".tiobundle")
    let first = isBundle ? source : try await bundle(of: source, in: folder)
    if source.hasSuffix("postprocessed.tflite") { try edit(first, "0.125", "0.3") }
    let (file, second) = (folder.path + "/m.tflite", folder.path + "/second.tiobundle")
    let written = try await write(first, to: file)
    #expect(written.status == 0, "\(written.error)")
    let made = try await CommandRunner.run(["init", file, "-o", second])
    #expect(made.status == 0 && !made.error.contains("fill in"), "\(made.error)")

    let (old, new) = (try ModelBundle(first), try ModelBundle(second))
    #expect(new.manifest.name == old.manifest.name)
    #expect(new.manifest.details == old.manifest.details)
    #expect(new.manifest.author == old.manifest.author)
    #expect(new.manifest.license == old.manifest.license)
    #expect(new.manifest.model.isQuantized == old.manifest.model.isQuantized)
    #expect(new.manifest.inputs.map(\.shape) == old.manifest.inputs.map(\.shape))
    // The normalization of the int8 image is written out.
    if !source.contains("int8") {
      #expect(new.manifest.inputs.map(\.kind) == old.manifest.inputs.map(\.kind))
    }
    #expect(new.manifest.outputs.map(\.coding) == old.manifest.outputs.map(\.coding))
    #expect(new.manifest.outputs.map(new.labels) == old.manifest.outputs.map(old.labels))
    let values = try await outputs(of: first)
    #expect(try await outputs(of: second) == values && !values.isEmpty)
  }

  /// Returns what a bundle gives for the photo, as JSON without the times.
  private func outputs(of bundle: String) async throws -> Substring {
    let result = try await CommandRunner.run(["run", bundle, Self.photo, "--json"])
    let start = try #require(result.output.range(of: "\"outputs\""), "\(result.error)")
    return result.output[start.lowerBound...]
  }

  // MARK: - Output

  @Test func `what the file says and what it can't say are printed`() async throws {
    let folder = try TemporaryFolder()
    let bundle = try await bundle(of: "Models/image_with_metadata.tflite", in: folder)
    try "rot\ngrün\nblau\n".write(
      toFile: bundle + "/assets/labels.txt", atomically: true, encoding: .utf8)
    let file = folder.path + "/m.tflite"
    #expect(
      try await write(bundle, to: file) == (
        0,
        """
        m.tflite: a TensorFlow Lite model, 2381 bytes

          Name         Dominant colour
          Description  Tells which of the three colours is the strongest in a picture.
          Version      1
          Author       TensorIO for Swift
          License      Apache-2.0

        Signature serving_default
                  #  Name           Type     Shape         About
          input   0  image          float32  [1, 8, 6, 3]  RGB image; normalized by (v - 127.5) / 127.5; -1...1
          output  0  probabilities  float32  [1, 3]        features; 3 labels ('rot', 'grün', 'blau')

        """,
        """
        note: 'image': the metadata has no crop; the Task Library and MediaPipe stretch the whole \
        image unless a program passes a region

        """
      ))
    #expect(try folder.contents == ["first.tiobundle", "m.tflite"])
    // Only the model without a bundle is run.
    let result = try await CommandRunner.run(["run", file, Self.photo])
    #expect(result.status == 0 && result.output.contains("grün"), "\(result.error)")
  }

  @Test func `JSON has the file's report and the notes`() async throws {
    let folder = try TemporaryFolder()
    let file = folder.path + "/m.tflite"
    let result = try await write("Demo/digits-int8.tiobundle", to: file, ["--json"])
    #expect(result.status == 0 && result.error == "")
    let json = try JSONSerialization.jsonObject(with: Data(result.output.utf8))
    let object = try #require(json as? [String: Any])
    #expect(object["path"] as? String == file)
    #expect((object["model"] as? [String: Any])?["name"] as? String == "Digits, int8")
    #expect((object["notes"] as? [String])?.count == 2)
  }

  @Test(
    .enabled(if: Python.path != nil, "TENSORIO_PYTHON isn't set; the test needs ai-edge-litert."))
  func `Python reads the file, and it computes the same`() async throws {
    let folder = try TemporaryFolder()
    let file = folder.path + "/m.tflite"
    let digits = "Demo/digits.tiobundle"
    #expect(try await write(digits, to: file).status == 0)
    let model = CommandRunner.packageFolder.appending(path: digits + "/model.tflite").path
    let contents = try [model, file].map {
      try Data(contentsOf: URL(filePath: $0)).base64EncodedString()
    }
    let cases = [Case(before: contents[0], after: contents[1], runs: true)]
    let output = try await Python.run(
      ["Tools/peers/read_metadata.py"], input: JSONEncoder().encode(cases))
    let json = try JSONSerialization.jsonObject(with: Data(output.utf8))
    let answer = try #require((json as? [[String: Any]])?.first)
    #expect(answer["isOtherwiseEqual"] as? Bool == true)
    #expect(answer["computesTheSame"] as? Bool == true)
    let labels = "zero\none\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n"
    #expect(answer["files"] as? [String: String] == ["labels.txt": labels])
    let found = try #require(answer["model"] as? [String: Any])
    let image: NSDictionary = [
      "name": "image", "content": 2, "color": 1, "size": [32, 32], "mean": [0], "std": [255],
      "min": [0], "max": [1], "files": [NSString](),
    ]
    #expect(found["inputs"] as? [NSDictionary] == [image])
    let scores: NSDictionary = [
      "name": "classification", "content": 1, "files": [["labels.txt", 2]] as [NSArray],
    ]
    #expect(found["outputs"] as? [NSDictionary] == [scores])
  }

  private struct Case: Encodable {
    var before: String
    var after: String
    var runs: Bool
  }

  // MARK: - Errors

  @Test func `an existing file is only replaced with --force`() async throws {
    let folder = try TemporaryFolder()
    let file = folder.path + "/m.tflite"
    try "old".write(toFile: file, atomically: true, encoding: .utf8)
    let refused = try await write("Demo/digits.tiobundle", to: file)
    #expect(refused.status == 64 && refused.output == "")
    #expect(refused.error.hasPrefix("Error: '\(file)' already exists. Pass --force to replace it."))
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "old")
    #expect(try await write("Demo/digits.tiobundle", to: file, ["--force"]).status == 0)
    // Writing again, into the file itself, changes nothing.
    let once = try Data(contentsOf: URL(filePath: file))
    #expect(try await write("Demo/digits.tiobundle", to: file, [file, "--force"]).status == 0)
    #expect(try Data(contentsOf: URL(filePath: file)) == once)
    let isFolder = try await write("Demo/digits.tiobundle", to: folder.path, ["--force"])
    #expect(isFolder.status == 64 && isFolder.error.contains("is a folder"))
    #expect(try folder.contents == ["m.tflite"])
  }

  @Test func `a model that the bundle doesn't fit is an error`() async throws {
    let folder = try TemporaryFolder()
    let file = folder.path + "/m.tflite"
    for (bundle, arguments, reason) in [
      ("Demo/digits.tiobundle", ["\(modelsFolder)/add.tflite"], "disagree"),
      ("Demo/digits.tiobundle", ["Tests/Fixtures/SavedModels/assign_fed"], "Only .tflite files"),
      ("Demo/digits-train.tiobundle", [], "Only .tflite files"),
    ] {
      let result = try await write(bundle, to: file, arguments)
      #expect(result.status == 65 && result.output == "", "\(result.error)")
      #expect(result.error.contains(reason), "\(result.error)")
    }
    let missing = try await write("Demo/digits.tiobundle", to: folder.path + "/none/m.tflite")
    #expect(missing.status == 65 && missing.error.contains("cannot be written"), "\(missing.error)")
    #expect(try folder.contents.isEmpty)
  }

  @Test func `a damaged model gives an error or a file`() async throws {
    let folder = try TemporaryFolder()
    let model = CommandRunner.packageFolder.appending(path: "Demo/digits.tiobundle/model.tflite")
    let content = [UInt8](try Data(contentsOf: model))
    let (damaged, file) = (folder.path + "/d.tflite", folder.path + "/m.tflite")
    for step in 0..<16 {
      var bytes = content
      if step.isMultiple(of: 2) {
        bytes.removeLast(step * content.count / 16)
      } else {
        bytes[step * 7919 % 1200] ^= 0x5A
      }
      try Data(bytes).write(to: URL(filePath: damaged))
      let result = try await write(
        "Demo/digits.tiobundle", to: file, [damaged, "--force"])
      #expect(result.status == 0 || result.status == 65, "\(step): \(result)")
      #expect(result.status == 0 || result.error.hasPrefix("error: "), "\(step): \(result)")
    }
  }
}
