// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import Testing

@Suite(.enabled(if: hasLiteRT, "The LiteRT library is missing; run 'make setup'."))
struct InspectTests {
  @Test func `a model shows its metadata and its tensors`() async throws {
    let result = try await CommandRunner.run([
      "inspect", "\(modelsFolder)/image_with_metadata.tflite",
    ])
    #expect(
      result.output == """
        image_with_metadata.tflite: a TensorFlow Lite model, 1549 bytes

          Name         Dominant colour
          Description  Tells which of the three colours is the strongest in a picture.
          Version      1
          Author       TensorIO for Swift
          License      Apache-2.0

        Signature serving_default
                  #  Name           Type     Shape         About
          input   0  image          float32  [1, 8, 6, 3]  'picture'; RGB image; \
        normalized by (v - 127.5) / 127.5; RGB, from -1 to 1.
          output  0  probabilities  float32  [1, 3]        'colour'; \
        3 labels ('red', 'green', 'blue'); A probability for each.

        """)
    #expect(result.error == "")
    #expect(result.status == 0)
  }

  @Test(arguments: [
    (
      "int8_quantized", "serving_default",
      """
                #  Name           Type  Shape   Quantization
        input   0  x              int8  [1, 4]  scale 0.007820133, zero point -1
        output  0  probabilities  int8  [1, 3]  scale 0.00390625, zero point -128
      """
    ),
    (
      "per_channel", "serving_default",
      """
                #  Name  Type  Shape      Quantization
        input   0  x     int8  [1, 2, 3]  per channel (3)
        output  0  y     int8  [1, 2, 3]  per channel (3)
      """
    ),
    (
      "reverse_uint64", "serving_default",
      """
                #  Name  Type    Shape
        input   0  x     uint64  [2, 3]
        output  0  y     uint64  [2, 3]
      """
    ),
  ])
  func `tensors are shown in a table`(name: String, key: String, table: String) async throws {
    let result = try await CommandRunner.run(["inspect", "\(modelsFolder)/\(name).tflite"])
    let title = try #require(result.output.split(separator: "\n").first)
    #expect(result.output == "\(title)\n\nSignature \(key)\n\(table)\n")
  }

  @Test func `a bundle shows its description and its model`() async throws {
    let result = try await CommandRunner.run(["inspect", "Demo/digits-int8.tiobundle"])
    #expect(
      result.output == """
        digits-int8.tiobundle: a model bundle

          Name       Digits, int8
          Details    Reads a handwritten digit, dark ink on light paper. A small convolutional \
        network; right on 356 of 360 held-out images (98.9%).
          ID         digits-int8
          Version    1
          Author     TensorIO for Swift
          License    Apache License 2.0; trained on Optical Recognition of Handwritten Digits by \
        E. Alpaydin and C. Kaynak (UCI Machine Learning Repository), CC BY 4.0
          Model      model.tflite
          Backend    tflite
          Type       image.classification.digits
          Quantized  yes
          Modes      predict

        Layers, as model.json describes them
                  #  Name            Type   Shape        About
          input   0  image           image  [32, 32, 3]  RGB; crop center; \
        pillow-bilinear; values 0...255
          output  0  classification  array  [1, 10]      10 labels ('zero', 'one', 'two', ...); \
        quantized as the model says

        model.tflite: a TensorFlow Lite model, 16144 bytes

        Signature serving_default
                  #  Name            Type  Shape           Quantization
          input   0  image           int8  [1, 32, 32, 3]  scale 0.003921569, zero point -128
          output  0  classification  int8  [1, 10]         scale 0.00390625, zero point -128

        """)
    #expect(result.error == "")
  }

  @Test func `JSON has the documented keys`() async throws {
    let result = try await CommandRunner.run([
      "inspect", "--json", "\(modelsFolder)/int8_quantized.tflite",
    ])
    #expect(
      result.output == #"""
        {"bundle":null,"kind":"model","model":{"author":null,"backend":"tflite","bytes":1232,\#
        "description":null,"file":"int8_quantized.tflite","license":null,"name":null,\#
        "saved_model":null,"signatures":[{"inputs":[{"has_default":false,"index":0,\#
        "metadata":null,"name":"x","quantization":{"axis":null,"scales":[0.007820133],\#
        "zero_points":[-1]},"shape":[1,4],"tensor":null,"type":"int8"}],"key":"serving_default",\#
        "outputs":[{"has_default":false,"index":0,"metadata":null,"name":"probabilities",\#
        "quantization":{"axis":null,"scales":[0.00390625],"zero_points":[-128]},"shape":[1,3],\#
        "tensor":null,"type":"int8"}],"placeholders":[]}],"version":null},\#
        "path":"Tests/Fixtures/Models/int8_quantized.tflite","warnings":[]}

        """#)
  }

  @Test func `the JSON contains the model's metadata`() async throws {
    let result = try await CommandRunner.run([
      "inspect", "--json", "\(modelsFolder)/image_with_metadata.tflite",
    ])
    let wanted = #"""
      "metadata":{"color_space":"rgb","content":"image","description":"RGB, from -1 to 1.",\#
      "labels":null,"maximum":[],"minimum":[],"name":"picture","normalization":{"mean":[127.5],\#
      "std":[127.5]},"score_threshold":null,"value_labels":null}
      """#
    #expect(result.output.contains(wanted))
    #expect(result.output.contains(#""labels":["red","green","blue"]"#))
  }

  @Test func `damaged metadata is reported as a warning`() async throws {
    let folder = try TemporaryFolder()
    let model = CommandRunner.packageFolder.appending(path: modelsFolder + "/with_metadata.tflite")
    var bytes = try Data(contentsOf: model)
    let identifier = try #require(bytes.firstRange(of: Data("M001".utf8)))
    bytes.replaceSubrange(identifier, with: Data("X001".utf8))
    try bytes.write(to: URL(filePath: folder.path + "/damaged.tflite"))
    let result = try await CommandRunner.run(["inspect", folder.path + "/damaged.tflite"])
    #expect(
      result.output == """
        damaged.tflite: a TensorFlow Lite model, 1753 bytes

        Signature serving_default
                  #  Name           Type     Shape
          input   0  x              float32  [1, 4]
          output  0  probabilities  float32  [1, 3]

        Warnings
          warning: The model's metadata is damaged: its first bytes don't contain the identifier 'M001'.

        """)
    #expect(result.status == 0)
  }

  @Test func `a mismatch between a bundle and its model is reported with its path`() async throws {
    let folder = try TemporaryFolder()
    let bundle = folder.path + "/add.tiobundle"
    let made = try await CommandRunner.run(["init", "\(modelsFolder)/add.tflite", "-o", bundle])
    #expect(made.status == 0)
    let manifest = URL(filePath: bundle + "/model.json")
    let text = try String(contentsOf: manifest, encoding: .utf8)
    try text.replacing("[1]", with: "[7]", maxReplacements: 1)
      .write(to: manifest, atomically: true, encoding: .utf8)
    let result = try await CommandRunner.run(["inspect", bundle])
    #expect(
      result.output.hasSuffix(
        """

        Warnings
          error: inputs[0].shape: expected 1 value, because the tensor's shape is [1], \
        found 7 in the shape [7] [element-count-mismatch]. Write the shape of the tensor 'x'.

        """))
    #expect(result.status == 0)
  }

  @Test func `paths that aren't models are errors`() async throws {
    let folder = try TemporaryFolder()
    let missing = folder.path + "/missing.tflite"
    #expect(
      try await CommandRunner.run(["inspect", missing])
        == (66, "", "error: There is no file '\(missing)'.\n"))
    let empty = try await CommandRunner.run(["inspect", folder.path])
    #expect(
      empty == (
        65, "",
        "error: '\(folder.path)' is a folder, but neither a bundle (it has no model.json) nor a "
          + "SavedModel (it has no saved_model.pb).\n"
      ))
    #expect(try await CommandRunner.run(["inspect", "Package.swift"]).status == 65)
  }

  @Test func `a missing library exits with 69 and names the variable`() async throws {
    let result = try await CommandRunner.run(
      ["inspect", "\(modelsFolder)/add.tflite"],
      environment: ["TENSORIO_LITERT_LIBRARY": "/nowhere/libLiteRt.so"])
    #expect(result.status == 69)
    #expect(result.output == "")
    #expect(result.error.contains("TENSORIO_LITERT_LIBRARY"))
  }
}
