// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TensorIOLiteRT
import TestSupport
import Testing

/// Runs bundles through the whole library, with the real runtime.
@Suite struct BundleRunTests {
  private let loader = ModelLoader(backends: [.liteRT])

  /// A bundle in a temporary folder with a fixture model.
  private func withModel<Result>(
    _ file: String, quantized: Bool = false, inputs: String, outputs: String,
    loader: ModelLoader? = nil, labels: [String]? = nil,
    _ body: (InferenceModel) throws -> Result
  ) throws -> Result {
    let path = FileManager.default.temporaryDirectory
      .appending(path: UUID().uuidString + ".tiobundle").path
    let assets = path + "/assets"
    try FileManager.default.createDirectory(atPath: assets, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: path) }
    try FileManager.default.copyItem(
      atPath: Fixtures.model(file), toPath: path + "/model.tflite")
    if let labels {
      try labels.joined(separator: "\n").write(
        toFile: assets + "/labels.txt", atomically: true, encoding: .utf8)
    }
    let json = """
      {"name": "n", "details": "", "id": "i", "version": "1", "author": "", "license": "",
       "model": {"file": "model.tflite", "quantized": \(quantized)},
       "inputs": [\(inputs)], "outputs": [\(outputs)]}
      """
    try json.write(toFile: path + "/model.json", atomically: true, encoding: .utf8)
    return try body(InferenceModel(at: path, loader: loader ?? self.loader))
  }

  @Test func `inputs and outputs can be numbers in every form`() throws {
    try withModel(
      "add.tflite", inputs: #"{"name": "x", "type": "array", "shape": [1]}"#,
      outputs: #"{"name": "y", "type": "array", "shape": [1]}"#
    ) { model in
      try #expect(model.run(2)["y"] == Float(25))
      try #expect(model.run(Float(2))["y"] == Float(25))
      try #expect(model.run([2.0])["y"] == 25)
      try #expect(model.run(["x": UInt8(2)])["y"] == Double(25))
      try #expect(model.run(Float16(2))["y", as: [Float].self] == [25])
      let bytes = withUnsafeBytes(of: Float(2)) { Data($0) }
      try #expect(model.run(bytes)["y", as: Data.self].count == 4)
      try #expect(model.run(Tensor([Float(2)]))["y"] == Float(25))
    }
  }

  @Test func `the model's own scale and zero point quantize int8 models`() throws {
    let quantize = #""quantize": {"standard": "model"}"#
    let dequantize = #""dequantize": {"standard": "model"}"#
    try withModel(
      "int8_quantized.tflite", quantized: true,
      inputs: #"{"name": "x", "type": "array", "shape": [4], \#(quantize)}"#,
      outputs: #"{"name": "p", "type": "array", "shape": [3], \#(dequantize)}"#
    ) { model in
      let golden = try #require(GoldenCase.all.first { $0.file == "int8_quantized.tflite" })
      let scale: Float = 0.0078201
      let values = [UInt8](golden.inputs[0].bytes).map { (Float(Int8(bitPattern: $0)) + 1) * scale }
      let probabilities: [Float] = try model.run(values)["p"]
      let expected = [UInt8](golden.outputs[0].bytes).map {
        (Float(Int8(bitPattern: $0)) + 128) / 256
      }
      #expect(zip(probabilities, expected).allSatisfy { abs($0 - $1) <= 1.0 / 256 })
    }
  }

  @Test(arguments: ["dynamic_batch.tflite", "fixed_batch.tflite"])
  func `a batch gives the same results as its single items`(_ file: String) throws {
    try withModel(
      file, inputs: #"{"name": "x", "type": "array", "shape": [-1, 3]}"#,
      outputs: #"{"name": "y", "type": "array", "shape": [-1, 2]}"#
    ) { model in
      for count in [1, 2, 5, 100] {
        let items = (0..<count).map { index in
          ModelInputs([Float(index), Float(index) * 0.5 - 1, 0.25])
        }
        let alone = try items.map { try model.run($0)["y", as: [Float].self] }
        for _ in 0..<2 {
          let together = try model.run(batch: items).map { try $0["y", as: [Float].self] }
          #expect(together == alone)
        }
      }
    }
  }

  @Test func `a signature is chosen by its key`() throws {
    for (key, input, expected) in [("double", "value", [2, 4, 6]), ("square", "number", [1, 4])] {
      let count = expected.count
      try withModel(
        "two_signatures.tflite",
        inputs: #"{"name": "\#(input)", "type": "array", "shape": [\#(count)]}"#,
        outputs: #"{"name": "result", "type": "array", "shape": [\#(count)]}"#,
        loader: ModelLoader(backends: [.liteRT], signatureKey: key)
      ) { model in
        let values = (1...count).map(Float.init)
        try #expect(model.run(values)["result"] == expected.map(Float.init))
      }
    }
  }

  @Test func `inputs and outputs can be text`() throws {
    try withModel(
      "string.tflite", inputs: #"{"name": "x", "type": "string", "dtype": "string", "shape": [3]}"#,
      outputs: #"{"name": "y", "type": "string", "dtype": "string", "shape": [3]}"#
    ) { model in
      let words = ["one", "", "drei \u{1F600}"]
      try #expect(model.run(words)["y", as: [String].self] == words.reversed())
      let error = #expect(throws: TensorIOError.self) { try model.run(["a", "b"]) }
      #expect(error?.code == .wrongElementCount)
    }
  }

  @Test func `for types that the library doesn't support, the error names them`() throws {
    for file in ["reverse_uint64", "reverse_bfloat16"] {
      try withModel(
        file + ".tflite", inputs: #"{"name": "x", "type": "array", "shape": [2, 3]}"#,
        outputs: #"{"name": "y", "type": "array", "shape": [2, 3]}"#
      ) { model in
        let error = #expect(throws: TensorIOError.self) { try model.load() }
        #expect(error?.issues.first?.code == .dataTypeMismatch)
        #expect(error?.message.contains(String(file.dropFirst(8))) == true)
      }
    }
  }

  @Test func `sixteen tasks on a model with four sessions give the same results as serial runs`()
    async throws
  {
    for sessions in [1, 4] {
      let loader = ModelLoader(backends: [.liteRT], sessions: sessions)
      let bundle = Fixtures.root.appending(path: "Demo/digits.tiobundle").path
      let model = try loader.model(at: bundle)
      let shape = try #require(try model.loadSignature().inputs.first).itemShape
      @Sendable func image(_ seed: Int) -> PixelBuffer {
        let count = shape[0] * shape[1] * 3
        return PixelBuffer(
          width: shape[1], height: shape[0], format: .rgb,
          bytes: (0..<count).map { UInt8(truncatingIfNeeded: $0 &* (seed &+ 3)) })
      }
      let serial = try (0..<16).map { seed -> [Float] in
        try model.run(image(seed)).value(at: 0, as: Classification.self).map(\.value)
      }
      try await withThrowingTaskGroup(of: (Int, [Float]).self) { group in
        for seed in 0..<16 {
          group.addTask {
            var values: [Float] = []
            for _ in 0..<25 {
              let outputs = try await model.run(image(seed))
              values = try outputs.value(at: 0, as: Classification.self).map(\.value)
              #expect(values == serial[seed])
            }
            return (seed, values)
          }
        }
        for try await (seed, values) in group { #expect(values == serial[seed]) }
      }
    }
  }

  @Test func `loading, running and unloading a thousand times keeps memory constant`() async {
    // This runs in its own process, so that other tests' memory doesn't count.
    await #expect(processExitsWith: .success) {
      let bundle = Fixtures.root.appending(path: "Demo/digits-int8.tiobundle").path
      let model = try ModelLoader(backends: [.liteRT]).model(at: bundle)
      let pixels = [UInt8](repeating: 7, count: 32 * 32 * 3)
      let image = PixelBuffer(width: 32, height: 32, format: .rgb, bytes: pixels)
      func cycle(_ count: Int) throws {
        for _ in 0..<count {
          try model.load()
          _ = try model.run(ModelInputs(image)) as ModelOutputs
          model.unload()
        }
      }
      try cycle(200)
      let before = try residentKilobytes()
      try cycle(800)
      let growth = try residentKilobytes() - before
      // Each loaded model takes over 100 kB, so even one leak in ten runs would show.
      guard growth < 4_000 else { throw TensorIOError(.internalFault, "grew by \(growth) kB") }
    }
  }
}
