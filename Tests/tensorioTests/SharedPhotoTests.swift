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

/// A real classifier on real photos, with the preprocessing of model.json, compared with Python.
@Suite(.enabled(if: SharedData.folder != nil, "The folder shared/data is missing."))
struct SharedPhotoTests {
  private static let layers: [String] = {
    let crops = [
      #""center""#, #""stretch""#, #"{"mode": "pad", "color": {"r": 114, "g": 114, "b": 114}}"#,
      #"{"mode": "center", "fraction": 0.875}"#,
    ]
    return ResizeMethod.pillowMethods.flatMap { method in
      crops.map { crop in
        """
        {"name": "image", "type": "image", "shape": [128, 128, 3], "format": "RGB",
         "resize": "\(method.rawValue)", "crop": \(crop)}
        """
      }
    }
  }()

  private static var photos: [String] {
    let folder = SharedData.folder?.appending(path: "images")
    let names = folder.flatMap { try? FileManager.default.contentsOfDirectory(atPath: $0.path) }
    return (names ?? []).sorted().compactMap { folder?.appending(path: $0).path }
  }

  @Test(.enabled(if: Python.path != nil, "TENSORIO_PYTHON isn't set to a Python with Pillow."))
  func `each combination of resize and crop gives Python's scores within 1`() async throws {
    let data = try #require(SharedData.folder)
    let model = data.appending(path: "models/mobilenet_v1_0.25_128_quant.tflite").path
    try #require(!Self.photos.isEmpty)
    let python = try await pythonScores(model)
    for (index, layer) in Self.layers.enumerated() {
      let exact = try classifier(model, layer)
      for (photo, path) in Self.photos.enumerated() {
        let theirs = python[photo][index]
        let ours: [UInt8] = try await exact.run(ImageFile(path))["scores"]
        let difference = zip(ours, theirs).map { abs(Int($0) - Int($1)) }.max()
        #expect(difference.map { $0 <= 1 } == true, "\(path) \(layer)")
      }
    }
  }

  @Test func `scaled decoding keeps the top class`() throws {
    let data = try #require(SharedData.folder)
    let model = data.appending(path: "models/mobilenet_v1_0.25_128_quant.tflite").path
    let classifier = try classifier(model, Self.layers[0])
    try #require(!Self.photos.isEmpty)
    for path in Self.photos {
      let exact = try scores(classifier, path, .exact)
      for scaling in [DecodeScaling.high, .fast] {
        let scaled = try scores(classifier, path, scaling)
        // Two classes may tie for first place.
        let top = try #require(scaled.max())
        let first = exact.indices.filter { exact[$0] == exact.max() }
        #expect(first.contains { scaled[$0] == top }, "\(path) \(scaling)")
      }
    }
  }

  @Test func `an image file gives the same tensor as its decoded image`() throws {
    try #require(!Self.photos.isEmpty)
    for path in Self.photos {
      let image = try ImageDecoder().decode(contentsOf: path)
      for method in ResizeMethod.allCases {
        for crop in [ImageCrop(), ImageCrop(.pad, fraction: 0.875)] {
          let spec = TensorSpec(
            name: "image", shape: [224, 160, 3],
            kind: .imageInput(
              ImageShape(height: 224, width: 160), ImagePreprocessing(resize: method, crop: crop)))
          let isEqual = try tensor(ImageFile(path), spec) == tensor(image, spec)
          #expect(isEqual, "\(path) \(method) \(crop)")
        }
      }
    }
  }

  private func tensor(_ value: some TensorEncodable, _ spec: TensorSpec) throws -> [UInt8] {
    var tensor = [UInt8](repeating: 0, count: spec.byteCount)
    var span = tensor.mutableSpan
    var memory = span.mutableBytes
    try value.encode(into: &memory, as: spec)
    return tensor
  }

  private func scores(
    _ model: any Model, _ path: String, _ scaling: DecodeScaling
  ) throws -> [UInt8] {
    var decoder = ImageDecoder()
    decoder.scaling = scaling
    return try model.run(ImageFile(path, decoder: decoder))["scores"]
  }

  private func classifier(_ model: String, _ layer: String) throws -> any Model {
    let bundle = try TemporaryBundle(
      model, quantized: true, inputs: [layer],
      outputs: [#"{"name": "scores", "type": "array", "shape": [1001]}"#])
    let loaded = try ModelLoader(backends: [.liteRT]).model(at: bundle.path)
    try loaded.load()
    return loaded
  }

  private func pythonScores(_ model: String) async throws -> [[[UInt8]]] {
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString + ".json")
    try Data("[\(Self.layers.joined(separator: ","))]".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let output = try await Python.run(["Tools/peers/scores.py", model, file.path] + Self.photos)
    return try JSONDecoder().decode([[[UInt8]]].self, from: Data(output.utf8))
  }
}
