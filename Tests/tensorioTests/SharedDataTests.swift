// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TensorIOImageCodecs
import TensorIOLiteRT
import TestSupport
import Testing

/// The bundles, models and photos of public projects, if they are beside the checkout.
///
/// A fresh clone has none, so these tests do nothing there. They loop over the data, since a
/// test with an empty list of arguments counts as skipped.
@Suite struct SharedDataTests {
  /// A bundle and its known outputs.
  struct Known: CustomStringConvertible, Sendable {
    let name: String
    let inputs: [String: [Float]]
    let outputs: [String: Float]

    var description: String { name }
  }

  /// A bundle that must be refused, and the code of its issue.
  struct Refused: CustomStringConvertible, Sendable {
    let name: String
    let code: BundleIssue.Code

    var description: String { name }
  }

  static let known = found([
    Known(name: "1_in_1_out_number_test", inputs: ["input": [2]], outputs: ["output": 25]),
    Known(name: "1_in_1_out_string_test", inputs: ["input": [2]], outputs: ["output": 25]),
    Known(name: "no-backend", inputs: ["input": [2]], outputs: ["output": 25]),
    Known(name: "no-modes", inputs: ["input": [2]], outputs: ["output": 25]),
    Known(
      name: "2_in_2_out_vectors_test",
      inputs: ["input1": [1, 2, 3, 4], "input2": [10, 20, 30, 40]],
      outputs: ["output1": 240, "output2": 64]),
  ])
  static let refused = found([
    Refused(name: "invalid-model-bad-json", code: .malformedJSON),
    Refused(name: "invalid-model-incorrect-model-file", code: .missingModelFile),
    Refused(name: "invalid-model-no-json", code: .noManifest),
  ])
  static let placeholders = found(["placeholder.tiobundle", "deprecated.tfbundle"])
  static let identity = found(["1_in_1_out_pixelbuffer_identity_test.tiobundle"])
  static let photos: [String] = {
    guard let folder = SharedData.folder?.appending(path: "images").path else { return [] }
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return files.sorted().map { folder + "/" + $0 }
  }()

  private static func found<Case>(_ cases: [Case]) -> [Case] {
    SharedData.folder == nil ? [] : cases
  }

  // MARK: - Bundles

  @Test func `each bundle gives the documented values`() async throws {
    for known in Self.known { try await checkValues(known) }
  }

  private func checkValues(_ known: Known) async throws {
    let path = try SharedData.bundle(known.name + ".tiobundle")
    let model = try ModelLoader(backends: [.liteRT]).model(at: path)
    let outputs = try await model.run(ModelInputs(known.inputs))
    for (name, value) in known.outputs {
      if known.name.contains("string") {
        let data = try outputs[name, as: Data.self]
        #expect(data == withUnsafeBytes(of: value) { Data($0) })
      } else {
        #expect(try outputs[name, as: Float.self] == value)
      }
    }
    let json = String(decoding: try JSONEncoder().encode(known.inputs), as: UTF8.self)
    let result = try await CommandRunner.runWithoutTimes(["run", path, json, "--json"])
    let wanted = known.outputs.sorted { $0.key < $1.key }
      .map { #""\#($0.key)":\#(Int($0.value))"# }.joined(separator: ",")
    #expect(result == (0, Latencies.json(around: "{\(wanted)}"), ""))
    let validation = try await CommandRunner.run(["validate", path])
    #expect(validation == (0, "\(path): valid\n", ""))
  }

  @Test func `each invalid bundle is refused with its own code`() async throws {
    for refused in Self.refused { try await checkRefusal(refused) }
  }

  private func checkRefusal(_ refused: Refused) async throws {
    let path = try SharedData.bundle(refused.name + ".tiobundle")
    let result = try await CommandRunner.run(["validate", path, "--json"])
    #expect(result.status == 65 && result.error == "")
    #expect(result.output.contains(#""valid":false"#))
    #expect(result.output.components(separatedBy: #""code":"#).count == 2)
    #expect(result.output.contains(#""code":"\#(refused.code.rawValue)""#), "\(result.output)")
    let error = #expect(throws: TensorIOError.self) { try ModelBundle(path) }
    #expect(error?.issues.map(\.code) == [refused.code])
    let run = try await CommandRunner.run(["run", path, "2"])
    #expect(run.status == 65 && run.output == "")
    #expect(run.error.contains("[\(refused.code.rawValue)]"))
  }

  @Test func `a placeholder bundle has no outputs`() async throws {
    for name in Self.placeholders { try await checkPlaceholder(name) }
  }

  private func checkPlaceholder(_ name: String) async throws {
    let path = try SharedData.bundle(name)
    let outputs = try await ModelLoader(backends: [.liteRT]).model(at: path).run(2)
    #expect(outputs.names.isEmpty)
    let result = try await CommandRunner.runWithoutTimes(["run", path, "2", "--json"])
    #expect(result.status == 0)
    #expect(result.output == Latencies.json(around: "{}"))
    #expect(result.error.contains("deprecated-extension") == name.hasSuffix(".tfbundle"))
  }

  @Test func `an identity model returns its input image within 1`() async throws {
    for name in Self.identity { try await checkIdentity(name) }
  }

  private func checkIdentity(_ name: String) async throws {
    let path = try SharedData.bundle(name)
    let bytes = (0..<(224 * 224 * 3)).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    let image = PixelBuffer(width: 224, height: 224, format: .rgb, bytes: bytes)
    let model = try ModelLoader(backends: [.liteRT]).model(at: path)
    let same = try await model.run(image).value(at: 0, as: PixelBuffer.self)
    #expect(zip(same.rgbBytes, bytes).allSatisfy { abs(Int($0) - Int($1)) <= 1 })
    let folder = try TemporaryFolder()
    let source = folder.path + "/in.png"
    let written = folder.path + "/out.png"
    try ImageEncoder().write(image, to: source)
    let result = try await CommandRunner.runWithoutTimes([
      "run", path, source, "--json", "--output-image", "output=" + written,
    ])
    #expect(
      result == (
        0,
        Latencies.json(around: #"{"output":{"height":224,"path":"\#(written)","width":224}}"#), ""
      ))
    let decoded = try ImageDecoder().decode(contentsOf: written).rgbBytes
    #expect(zip(decoded, bytes).allSatisfy { abs(Int($0) - Int($1)) <= 1 })
    #expect(decoded.count == bytes.count)
  }

  // MARK: - Photos

  @Test(.enabled(if: Python.path != nil, "TENSORIO_PYTHON isn't set to a Python with Pillow."))
  func `MobileNet classifies each photo as it does in Python`() async throws {
    for photo in Self.photos { try await checkPhoto(photo) }
  }

  private func checkPhoto(_ photo: String) async throws {
    let data = try #require(SharedData.folder)
    let model = data.appending(path: "models/mobilenet_v1_0.25_128_quant.tflite").path
    let labels = data.appending(path: "models/imagenet_labels.txt").path
    let python = try await classify(model, photo, labels)
    let names = try String(contentsOfFile: labels, encoding: .utf8)
    for standard in ["[0,1]", "model"] {
      let layer = """
        {"name": "classification", "type": "array", "shape": [1, 1001], "labels": "labels.txt",
         "dequantize": {"standard": "\(standard)"}},
        """
      let bundle = try TemporaryBundle(
        model, quantized: true,
        inputs: [#"{"name": "image", "type": "image", "shape": [128,128,3], "format": "RGB"},"#],
        outputs: [layer], assets: ["labels.txt": names])
      let result = try await CommandRunner.run(
        ["run", bundle.path, photo, "--top", "1001", "--json"])
      try #require(result.status == 0, "\(result.error)")
      let report = try JSONDecoder().decode(Report.self, from: Data(result.output.utf8))
      let ours = report.outputs.classification
      for (index, entry) in python.top.enumerated() {
        let value = ours.first { $0.label == entry.label }?.value
        #expect(value.map { abs($0 - entry.value) <= 0.05 } == true, "\(entry) \(value ?? -1)")
        if index == 0 {
          // Two labels may tie for first place.
          #expect(ours[0].label == entry.label || ours[0].value == value, "\(ours[0]) \(entry)")
        }
      }
    }
  }

  @Test(.enabled(if: Python.path != nil, "TENSORIO_PYTHON isn't set to a Python with Pillow."))
  func `the documentation's example classifies each photo and warns`() async throws {
    for photo in Self.photos { try await checkExample(photo) }
  }

  private func checkExample(_ photo: String) async throws {
    let data = try #require(SharedData.folder)
    let model = data.appending(path: "models/mobilenet_v1_0.25_128_quant.tflite").path
    let labels = data.appending(path: "models/imagenet_labels.txt").path
    let python = try await classify(model, photo, labels)
    let image = #"{"name": "image", "type": "image", "shape": [128,128,3], "format": "RGB", "#
    let bundle = try TemporaryBundle(
      model, quantized: true, inputs: [image + #""normalize": {"standard": "[-1,1]"}},"#],
      outputs: [
        #"{"name": "classification", "type": "array", "shape": [1,1000], "labels": "labels.txt"},"#
      ], assets: ["labels.txt": String(contentsOfFile: labels, encoding: .utf8)])
    let result = try await CommandRunner.run(["run", bundle.path, photo, "--top", "1", "--json"])
    try #require(result.status == 0, "\(result.error)")
    let report = try JSONDecoder().decode(Report.self, from: Data(result.output.utf8))
    // The outputs are raw bytes, since nothing says how to dequantize them.
    let best = try #require(report.outputs.classification.first)
    #expect(best.label == python.top[0].label)
    #expect(abs(best.value / 256 - python.top[0].value) <= 0.05)
    for code in ["ignored-field", "partial-output", "too-many-labels"] {
      #expect(result.error.contains("[\(code)]"))
    }
    let lines = result.error.split(separator: "\n")
    #expect(lines.allSatisfy { $0.hasPrefix("warning: ") })
  }

  // MARK: - Class maps

  @Test(.enabled(if: Python.path != nil, "TENSORIO_PYTHON isn't set to a Python with Pillow."))
  func `DeepLab segments each photo as it does in Python`() async throws {
    let wanted = ["cat.jpg": "cat", "dog.jpg": "dog", "parrot.jpg": "bird"]
    for photo in Self.photos {
      guard let name = photo.split(separator: "/").last, let label = wanted[String(name)] else {
        continue
      }
      try await checkSegmentation(photo, label)
    }
  }

  private func checkSegmentation(_ photo: String, _ label: String) async throws {
    let data = try #require(SharedData.folder)
    let model = data.appending(path: "models/deeplabv3_mnv2_dm05_pascal_quant.tflite").path
    let names = try String(
      contentsOf: data.appending(path: "models/pascal_voc_segmentation_labels.txt"),
      encoding: .utf8)
    // The 21 classes are followed by some lines of remarks.
    let labels = names.split(separator: "\n").prefix(21).joined(separator: "\n")
    let folder = try TemporaryFolder()
    let drafted = folder.path + "/deeplab.tiobundle"
    let made = try await CommandRunner.run(["init", model, "-o", drafted])
    let manifest = try String(contentsOfFile: drafted + "/model.json", encoding: .utf8)
    #expect(made.status == 0 && manifest.contains(#""format": "CLASSES""#))
    let bundle = try TemporaryBundle(
      model, quantized: true,
      inputs: [
        #"{"name": "photo", "type": "image", "shape": [513, 513, 3], "format": "RGB", "#
          + #""crop": {"mode": "pad", "color": {"r": 127, "g": 127, "b": 127}}}"#
      ],
      outputs: [
        #"{"name": "map", "type": "image", "shape": [513, 513, 1], "format": "CLASSES", "#
          + #""labels": "labels.txt"}"#
      ], assets: ["labels.txt": labels])
    let ours = folder.path + "/ours.png"
    let result = try await CommandRunner.run([
      "run", bundle.path, photo, "--json", "--preview", folder.path, "--output-image",
      "map=" + ours,
    ])
    try #require(result.status == 0, "\(result.error)")
    let report = try JSONDecoder().decode(Segmentation.self, from: Data(result.output.utf8))
    let found = report.outputs.map.classes
    #expect(
      found.filter { $0.share > 0.05 }.map(\.label).sorted() == ["background", label].sorted())

    // Python gets the image that the model saw, and must find the same class for every pixel.
    let theirs = folder.path + "/theirs.png"
    let python = try await Python.run(
      ["Tools/peers/segment.py", model, folder.path + "/photo.png", theirs])
    let decoder = ImageDecoder()
    #expect(
      try decoder.decode(contentsOf: ours).rgbBytes == decoder.decode(contentsOf: theirs).rgbBytes)
    let counts = try JSONDecoder().decode([String: Int].self, from: Data(python.utf8))
    let shares = counts.map { "\($0.key) \(Double($0.value) / (513 * 513))" }
    #expect(found.map { "\($0.index) \($0.share)" }.sorted() == shares.sorted())
  }

  private struct Segmentation: Decodable {
    struct Class: Decodable { let index: Int, label: String, share: Double }
    struct Map: Decodable { let classes: [Class] }
    struct Outputs: Decodable { let map: Map }
    let outputs: Outputs
  }

  private struct Entry: Decodable { let label: String, value: Double }
  private struct Answer: Decodable { let top: [Entry] }
  private struct Report: Decodable {
    struct Outputs: Decodable { let classification: [Entry] }
    let outputs: Outputs
  }

  private func classify(_ model: String, _ photo: String, _ labels: String) async throws -> Answer {
    let output = try await Python.run(["Tools/peers/classify.py", model, photo, labels])
    return try JSONDecoder().decode(Answer.self, from: Data(output.utf8))
  }
}

/// The data of public projects, which isn't part of the repository.
enum SharedData {
  /// The folder that `TENSORIO_SHARED_DATA` names, or the one beside the checkout.
  static let folder: URL? = {
    let variable = ProcessInfo.processInfo.environment["TENSORIO_SHARED_DATA"]
    let folder =
      variable.map { URL(filePath: $0) }
      ?? CommandRunner.packageFolder.appending(path: "../shared/data")
    let isThere = FileManager.default.fileExists(atPath: folder.appending(path: "bundles").path)
    return isThere ? folder.standardizedFileURL : nil
  }()

  static func bundle(_ name: String) throws -> String {
    try #require(folder).appending(path: "bundles/tflite/" + name).path
  }
}
