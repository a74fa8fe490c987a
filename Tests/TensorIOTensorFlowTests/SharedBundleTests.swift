// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TensorIOImageCodecs
import TensorIOTensorFlow
import TestSupport
import Testing

/// Runs bundles of the original project, if they are next to the checkout.
@Suite(.enabled(if: SavedModels.sharedData != nil, "There is no folder shared/data."))
struct SharedBundleTests {
  private let data = SavedModels.sharedData ?? ""

  private func path(_ name: String) -> String {
    "\(data)/bundles/tensorflow/\(name).tiobundle"
  }

  private func model(_ name: String) throws -> any Model {
    try SavedModels.loader.model(at: path(name))
  }

  @Test func `numbers, bytes and integers give the documented values`() throws {
    try #expect(model("1_in_1_out_number_test").run(2 as Float)["output"] == 25 as Float)
    try #expect(model("int32io_test").run(2)["output"] == 25 as Int32)
    let bytes = withUnsafeBytes(of: Float(2)) { Data($0) }
    let output: Data = try model("1_in_1_out_string_test").run(bytes)["output"]
    #expect(output.withUnsafeBytes { $0.loadUnaligned(as: Float.self) } == 25)
  }

  @Test func `vectors give the documented values, also with a placeholder`() throws {
    let (one, two): ([Float], [Float]) = ([1, 2, 3, 4], [10, 20, 30, 40])
    let both = try model("2_in_2_out_vectors_test").run(["input1": one, "input2": two])
    try #expect(both["output1"] == 240 as Float)
    try #expect(both["output2"] == 64 as Float)
    let fed = try model("1_in_1_placeholder_2_out_vectors_test")
      .run(["input1": one], placeholders: ["input2": two])
    try #expect(fed["output1"] == 240 as Float)
    try #expect(fed["output2"] == 64 as Float)
  }

  @Test func `an image passes through a model unchanged`() throws {
    let random = (0..<(224 * 224 * 3)).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) }
    let image = PixelBuffer(width: 224, height: 224, format: .rgb, bytes: random)
    let output: PixelBuffer = try model("1_in_1_out_pixelbuffer_identity_test").run(image)[
      "output"]
    #expect(output.width == 224 && output.height == 224)
    let found = output.withBytes { bytes in bytes.withUnsafeBytes { [UInt8]($0) } }
    // The output has four bytes per pixel; the last one is an opaque alpha.
    let channels = found.indices.filter { $0 % 4 != 3 }.map { found[$0] }
    #expect(zip(channels, random).allSatisfy { abs(Int($0) - Int($1)) <= 1 })
  }

  @Test(.enabled(if: Python.path != nil, "TENSORIO_PYTHON isn't set; the test needs TensorFlow."))
  func `cats and dogs train as in Python`() async throws {
    let model = try TrainableModel(at: path("cats-vs-dogs-train"), loader: SavedModels.loader)
    var batch = Batch(keys: ["image", "labels"])
    let images = [data + "/images/cat.jpg", data + "/images/dog.jpg"]
    for (label, image) in images.enumerated() {
      try batch.addItem(["image": ImageFile(image), "labels": label])
    }
    func loss(_ outputs: ModelOutputs) throws -> Float {
      try outputs["sigmoid_cross_entropy_loss/value"]
    }
    var losses = [try loss(await model.evaluate(batch))]
    for _ in 0..<20 { losses.append(try loss(await model.train(batch))) }
    let expected = try await pythonLosses(steps: 20, images)
    #expect(losses.count == expected.count)
    for (step, (found, wanted)) in zip(losses, expected).enumerated() {
      #expect(abs(found - wanted) < 1e-4, "step \(step)")
    }
    #expect(zip(losses, losses.dropFirst()).allSatisfy { $0 > $1 })
    // The checkpoint has TensorFlow's format, so Python can continue from it.
    let folder = FileManager.default.temporaryDirectory.appending(path: "cats-\(UUID())").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try model.export(to: folder)
    let restored = try await pythonLosses(steps: 0, images, from: folder + "/checkpoint")
    #expect(abs(restored[0] - losses[20]) < 1e-4)
    let other = try TrainableModel(at: path("cats-vs-dogs-train"), loader: SavedModels.loader)
    try other.restore(from: folder)
    #expect(try await loss(other.evaluate(batch)) == losses[20])
    // So can the bundle, which has no other outputs.
    let bundle = folder + "/trained.tiobundle"
    try model.exportBundle(to: bundle)
    let exported = try SavedModels.loader.model(at: bundle)
    for item in batch.items {
      let (found, wanted) = try await (
        exported.run(ModelInputs(item)), model.run(ModelInputs(item))
      )
      #expect(try loss(found) == loss(wanted))
    }
  }

  private func pythonLosses(
    steps: Int, _ images: [String], from checkpoint: String? = nil
  ) async throws -> [Float] {
    let output = try await Python.compute(
      ["Tools/peers/train_steps.py", path("cats-vs-dogs-train") + "/train", "\(steps)"]
        + images.enumerated().map { "\($1)=\($0)" }
        + (checkpoint.map { ["--restore", $0] } ?? []))
    return try JSONDecoder().decode([Float].self, from: Data(output.utf8))
  }
}
