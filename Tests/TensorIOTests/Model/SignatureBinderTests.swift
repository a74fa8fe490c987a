// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIOTesting
import Testing

@testable import TensorIO

@Suite struct SignatureBinderTests {
  private let stored = StoredQuantization(scales: [0.5], zeroPoints: [3])

  /// The issues of a description and a model of one input and one output.
  private func issues(
    input: JSONValue = .layer("x", [4]), _ tensor: TensorDescription = .float("x", [1, 4]),
    output: JSONValue = .layer("y", [4]), _ result: TensorDescription = .float("y", [1, 4]),
    isQuantized: Bool = false, matchesByName: Bool = false, files: [String: String] = [:]
  ) throws -> [BundleIssue] {
    let files = files.merging(["model.tflite": ""]) { old, _ in old }
    let bundle = try TestBundle(
      inputs: [input], outputs: [output], isQuantized: isQuantized, files: files)
    let echo = EchoBackend(
      [SignatureDescription(key: "", inputs: [tensor], outputs: [result])],
      matchesLayersByName: matchesByName)
    return try issues(of: bundle, echo)
  }

  /// The issues of loading: those of its error, or the warnings.
  private func issues(of bundle: TestBundle, _ echo: EchoBackend) throws -> [BundleIssue] {
    let model = try InferenceModel(bundle: bundle.open(), loader: ModelLoader(backends: [echo]))
    do {
      return try model.loadWarnings()
    } catch let error as TensorIOError {
      #expect(error.code == .invalidBundle)
      #expect(!model.isLoaded)
      #expect(error.issues.contains { $0.severity == .error })
      return error.issues
    }
  }

  @Test func `a description that agrees with the model has no issues`() throws {
    #expect(try issues().isEmpty)
    #expect(try issues(of: TestBundle(), EchoBackend([.vectors])).isEmpty)
  }

  // MARK: - Count, order, names

  @Test func `a different number of layers and tensors is an error`() throws {
    let bundle = try TestBundle(set: ["/inputs": [.layer("temperatures", [4])], "/outputs": []])
    let found = try issues(of: bundle, EchoBackend([.vectors]))
    #expect(found.map(\.summary) == ["layer-count inputs", "layer-count outputs"])
    #expect(
      found[0].expected
        == "2 layers, one for each of the model's inputs: 'temperatures', 'pressures'")
    #expect(found[0].found == "1")
    #expect(found[0].suggestion == "Describe every input of the model.")
  }

  @Test func `the model's names in another order are a warning if the shapes fit`() throws {
    let bundle = try TestBundle(set: [
      "/inputs": [.layer("pressures", [4]), .layer("temperatures", [8])]
    ])
    let found = try issues(of: bundle, EchoBackend([.vectors]))
    #expect(found.map(\.summary) == ["warning layer-order inputs"])
    #expect(found[0].expected == "the model's order: 'temperatures', 'pressures'")
    #expect(found[0].found == "'pressures', 'temperatures'")
  }

  @Test func `for layers in another order, the suggestion is to reorder them`() throws {
    let bundle = try TestBundle(set: [
      "/inputs": [.layer("pressures", [8]), .layer("temperatures", [4])]
    ])
    let found = try issues(of: bundle, EchoBackend([.vectors]))
    #expect(found.map(\.summary) == ["layer-order inputs"])
    #expect(found[0].suggestion.contains("put the layers in the model's order"))
  }

  @Test func `different names aren't an issue if layers are matched by order`() throws {
    #expect(try issues(input: .layer("another", [4])).isEmpty)
  }

  @Test func `if layers are matched by name, order doesn't matter and each name must exist`() throws
  {
    let swapped = try TestBundle(set: [
      "/inputs": [.layer("pressures", [8]), .layer("temperatures", [4])]
    ])
    let byName = EchoBackend([.vectors], matchesLayersByName: true)
    #expect(try issues(of: swapped, byName).isEmpty)
    let found = try issues(input: .layer("another", [4]), matchesByName: true)
    #expect(found.map(\.summary) == ["layer-count inputs", "unknown-tensor inputs[0].name"])
    #expect(found[1].expected == "'x'")
    #expect(found[1].found == "'another'")
  }

  @Test func `if layers are matched by name, outputs may be omitted, but not inputs`() throws {
    let byName = EchoBackend([.vectors], matchesLayersByName: true)
    let inputs = try TestBundle(set: ["/inputs": [.layer("pressures", [8])]])
    let found = try issues(of: inputs, byName)
    #expect(found.map(\.summary) == ["layer-count inputs"])
    #expect(found[0].found == "none for 'temperatures'")
    let outputs = try TestBundle(set: ["/outputs": [.layer("clouds", [6])]])
    #expect(try issues(of: outputs, byName).isEmpty)
  }

  // MARK: - Types

  @Test func `a dtype that differs from the tensor's is ignored with a warning, except text`()
    throws
  {
    let found = try issues(input: .layer("x", [4], ["dtype": "int32"]))
    #expect(found.map(\.summary) == ["warning data-type-mismatch inputs[0].dtype"])
    #expect(found[0].expected == "float32, the tensor's own type")
    #expect(found[0].found == "int32")
    let text = try issues(input: .layer("x", [4], ["dtype": "string"]))
    #expect(text.map(\.summary) == ["data-type-mismatch inputs[0].dtype"])
    #expect(try issues(input: .layer("x", [4], ["dtype": "float32"])).isEmpty)
  }

  @Test(arguments: [DataType.int32, .int64, .bool, .float64, .float16, .uint8, .int16])
  func `without dtype, the tensor decides`(_ dataType: DataType) throws {
    #expect(try issues(.tensor("x", dataType, [1, 4])).isEmpty)
  }

  @Test func `an unknown type is an error`() throws {
    let tensor = TensorDescription(name: "x", dataType: nil, typeName: "complex64", shape: [4])
    let found = try issues(tensor)
    #expect(found.map(\.summary) == ["data-type-mismatch inputs[0]"])
    #expect(found[0].found == "complex64 in the model")
  }

  @Test func `a quantized bundle with a float model is an error`() throws {
    let found = try issues(isQuantized: true)
    #expect(
      found.map(\.summary) == [
        "quantization-mismatch inputs[0]", "quantization-mismatch outputs[0]",
      ])
    #expect(found[0].found == "float32 in the tensor 'x'")
    let named = try issues(
      input: .layer("x", [4], ["dtype": "float32"]), output: .layer("y", [4]),
      .tensor("y", .uint8, [1, 4]), isQuantized: true)
    #expect(named.isEmpty)
  }

  @Test(arguments: [DataType.uint8, .int8])
  func `a bundle that isn't quantized with a quantized tensor is an error`(_ type: DataType) throws
  {
    let found = try issues(.tensor("x", type, [1, 4], stored))
    #expect(found.map(\.summary) == ["quantization-mismatch inputs[0]"])
    #expect(found[0].found == "quantized \(type) in the tensor 'x'")
    #expect(try issues(.tensor("x", type, [1, 4])).isEmpty)
  }

  // MARK: - Quantization

  @Test func `quantize is ignored if the model isn't quantized`() throws {
    let found = try issues(
      input: .layer("x", [4], ["quantize": ["standard": "[0,1]"]]),
      output: .layer("y", [4], ["dequantize": ["standard": "[0,1]"]]))
    #expect(
      found.map(\.summary) == [
        "warning ignored-field inputs[0].quantize", "warning ignored-field outputs[0].dequantize",
      ])
  }

  @Test func `quantize is ignored on a float layer of a quantized model`() throws {
    let found = try issues(
      input: .layer("x", [4], ["quantize": ["standard": "[0,1]"], "dtype": "float32"]),
      output: .layer("y", [4], ["dequantize": ["standard": "[0,1]"], "dtype": "float32"]),
      isQuantized: true)
    #expect(
      found.map(\.summary) == [
        "warning ignored-field inputs[0].quantize", "warning ignored-field outputs[0].dequantize",
      ])
  }

  @Test func `the model's own scale must exist`() throws {
    let layer = JSONValue.layer("x", [4], ["quantize": ["standard": "model"]])
    let found = try issues(
      input: layer, .tensor("x", .int8, [1, 4]), .tensor("y", .int8, [1, 4]), isQuantized: true)
    #expect(found.map(\.summary) == ["quantization-mismatch inputs[0].quantize"])
    let good = try issues(
      input: layer, .tensor("x", .int8, [1, 4], stored), .tensor("y", .int8, [1, 4]),
      isQuantized: true)
    #expect(good.isEmpty)
  }

  // MARK: - Element counts

  @Test(
    arguments: [
      ([4], [1, 4], true), ([1, 4], [4], true), ([2, 2], [4], true), ([4, 1], [1, 4], true),
      ([-1, 4], [1, 4], true), ([-1, 4], [-1, 4], true), ([4], [-1, 4], true), ([4], [-1], true),
      ([2, 4], [-1, 4], true), ([2, 5, 3], [-1, -1, 3], true), ([-1, 5, 3], [-1, -1, 3], true),
      ([], [], true), ([], [1], true), ([1], [], true), ([1], [1, 1], true), ([4], [2, -1], true),
      ([4], [-1, -1, 2], true), ([8], [-1, 4], true),
      ([3], [1, 4], false), ([5], [1, 4], false), ([], [2], false), ([2], [], false),
      ([3], [2, -1], false), ([2, 5, 4], [-1, -1, 3], false),
      ([-1, 3], [-1, 4], false), ([7], [-1, 0], false),
    ] as [([Int], [Int], Bool)])
  func `an input must have as many elements as its tensor`(
    _ shape: [Int], _ tensor: [Int], _ isRight: Bool
  ) throws {
    let found = try issues(input: .layer("x", shape), .float("x", tensor)).map(\.summary)
    #expect(
      found.filter { $0.contains("inputs") }
        == (isRight ? [] : ["element-count-mismatch inputs[0].shape"]))
  }

  @Test func `an output may read fewer values, with a warning`() throws {
    let found = try issues(output: .layer("y", [3]))
    #expect(found.map(\.summary) == ["warning partial-output outputs[0].shape"])
    #expect(found[0].expected == "all 4 values of the tensor")
    #expect(found[0].found == "3 in the shape [3]")
    #expect(found[0].suggestion.hasPrefix("Only the first 3 are read"))
  }

  @Test func `1000 labels for 1001 classes are reported as such`() throws {
    let labels = (0..<1000).map { "\($0)\n" }.joined()
    let found = try issues(
      output: .layer("y", [1, 1000], ["labels": "labels.txt"]), .float("y", [1, 1001]),
      files: ["assets/labels.txt": labels])
    #expect(found.map(\.summary) == ["warning partial-output outputs[0].shape"])
    #expect(found[0].found == "1000 labels for 1001 classes")
    #expect(found[0].suggestion.contains("background"))
  }

  @Test func `with labels for all values, a partial output is reported by its shape`() throws {
    let labels = (0..<1001).map { "\($0)\n" }.joined()
    let found = try issues(
      output: .layer("y", [1, 1000], ["labels": "labels.txt"]), .float("y", [1, 1001]),
      files: ["assets/labels.txt": labels])
    let partial = found.filter { $0.code == .partialOutput }
    #expect(partial.map(\.found) == ["1000 in the shape [1, 1000]"])
  }

  @Test func `an output can't read more values than the tensor has`() throws {
    let found = try issues(output: .layer("y", [5]))
    #expect(found.map(\.summary) == ["element-count-mismatch outputs[0].shape"])
    #expect(found[0].expected == "at most 4 values, because the tensor's shape is [1, 4]")
    #expect(found[0].found == "5 in the shape [5]")
  }

  @Test func `an output whose size is only known at run time isn't checked`() throws {
    let bundle = try TestBundle(inputs: [.layer("x", [4])], outputs: [.layer("y", [6])]).open()
    var binder = SignatureBinder(bundle: bundle, matchesByName: false)
    let signature = SignatureDescription(
      key: "", inputs: [.float("x", [4])], outputs: [.float("y", [-1, 1])])
    let bound = binder.bind(signature)
    let outputs = try #require(bound).outputs
    binder.checkOutputs(outputs, shapes: [[-1, 1]])
    #expect(binder.issues.isEmpty)
  }

  @Test(arguments: [
    [1 << 62], [-1, 1 << 62, 1 << 20], [-1, -1, 1 << 62, 1 << 62], [1 << 40, 1 << 40, 1 << 40],
  ])
  func `shapes whose element count overflows are a mismatch, not a crash`(_ shape: [Int]) throws {
    let bundle = try TestBundle(inputs: [.layer("x", [4])], outputs: [.layer("y", [4])]).open()
    var binder = SignatureBinder(bundle: bundle, matchesByName: false)
    let signature = SignatureDescription(
      key: "", inputs: [.float("x", shape)], outputs: [.float("y", shape)])
    #expect(binder.bind(signature) == nil)
    let issue = try #require(binder.issues.first)
    #expect(issue.summary == "element-count-mismatch inputs[0].shape")
    #expect(!issue.expected.contains("9223372036854775807"))
  }

  @Test func `inputs that share a name can't be matched by name`() throws {
    let bundle = try TestBundle(inputs: [.layer("x", [4])], outputs: [.layer("y", [4])]).open()
    var binder = SignatureBinder(bundle: bundle, matchesByName: true)
    let signature = SignatureDescription(
      key: "", inputs: [.float("x", [4]), .float("x", [4])], outputs: [.float("y", [4])])
    #expect(binder.bind(signature) == nil)
    #expect(binder.issues.map(\.summary) == ["layer-count inputs"])
    #expect(binder.issues.first?.found == "several that are named 'x'")
  }

  @Test func `all disagreements are reported at once`() throws {
    let bundle = try TestBundle(set: [
      "/inputs/0/dtype": "int32", "/inputs/1/shape": [7], "/outputs/0/dtype": "uint8",
    ])
    #expect(
      try issues(of: bundle, EchoBackend([.vectors])).map(\.summary) == [
        "warning data-type-mismatch inputs[0].dtype", "element-count-mismatch inputs[1].shape",
        "warning data-type-mismatch outputs[0].dtype",
      ])
  }

  // MARK: - Images

  private static func image(_ shape: [Int], _ more: [String: JSONValue]) -> JSONValue {
    .layer("y", shape, more.merging(["type": "image"]) { old, _ in old })
  }

  @Test func `the tensor of a gray image may lack the channel axis`() throws {
    let gray: [String: JSONValue] = ["format": "GRAY"]
    let first = gray.merging(["layout": "channels-first"]) { old, _ in old }
    let classes: [String: JSONValue] = ["format": "CLASSES"]
    for (layer, tensor) in [
      (Self.image([8, 6, 1], gray), [1, 8, 6]), (Self.image([8, 6, 1], gray), [8, 6]),
      (Self.image([8, 6, 1], gray), [1, 1, 8, 6]), (Self.image([1, 8, 6], first), [1, 8, 6, 1]),
      (Self.image([8, 6, 1], classes), [1, 8, 6]), (Self.image([8, 6, 1], classes), [1, 8, 6, 1]),
      (Self.image([8, 6, 4], classes), [1, 8, 6, 4]), (Self.image([1, 6, 1], gray), [1, 6]),
    ] {
      #expect(try issues(output: layer, .float("y", tensor)).isEmpty, "\(layer) \(tensor)")
    }
    for (layer, tensor) in [
      (Self.image([6, 8, 1], gray), [1, 8, 6]), (Self.image([6, 8, 1], classes), [1, 8, 6, 1]),
      (Self.image([8, 6, 4], classes), [1, 4, 8, 6]), (Self.image([6, 8, 1], gray), [2, 4, 6]),
    ] {
      let found = try issues(output: layer, .float("y", tensor))
      #expect(found.map(\.summary) == ["element-count-mismatch outputs[0].shape"], "\(tensor)")
    }
  }

  private static let normalized = JSONValue.layer(
    "x", [8, 6, 3],
    ["type": "image", "format": "RGB", "normalize": ["standard": "[0,1]"]])

  @Test(arguments: [DataType.int16, .uint16, .int32, .uint32, .int64])
  func `an image of integers can't be normalized`(_ type: DataType) throws {
    let found = try issues(input: Self.normalized, .tensor("pixels", type, [1, 8, 6, 3]))
    #expect(found.map(\.summary) == ["data-type-mismatch inputs[0].normalize"])
    #expect(
      found.first?.expected == "no normalization, since the tensor 'pixels' is \(type), which "
        + "cannot hold normalized pixels")
    #expect(found.first?.suggestion == "Remove \"normalize\".")
    let plain = JSONValue.layer("x", [8, 6, 3], ["type": "image", "format": "RGB"])
    #expect(try issues(input: plain, .tensor("pixels", type, [1, 8, 6, 3])).isEmpty)
  }

  @Test(arguments: [DataType.bool, .string])
  func `an image can't consist of Booleans or text`(_ type: DataType) throws {
    let plain = JSONValue.layer("x", [8, 6, 3], ["type": "image", "format": "RGB"])
    for layer in [plain, Self.normalized] {
      let found = try issues(input: layer, .tensor("pixels", type, [1, 8, 6, 3]))
      #expect(found.map(\.summary) == ["data-type-mismatch inputs[0].type"])
      #expect(found.first?.expected == "\(type) values, since the tensor 'pixels' is \(type)")
      #expect(found.first?.found == "an image")
    }
  }

  @Test(arguments: [false, true])
  func `an image of bytes needs no normalization`(_ isQuantized: Bool) throws {
    let found = try issues(
      input: Self.normalized, .tensor("pixels", .uint8, [1, 8, 6, 3]),
      .tensor("y", .uint8, [1, 4]), isQuantized: isQuantized)
    #expect(found.map(\.summary) == ["warning ignored-field inputs[0].normalize"])
    #expect(found.first?.expected == "no normalization, since the tensor 'pixels' is uint8")
  }

  @Test func `an image of bytes needs no denormalization`() throws {
    let layer = Self.image(
      [8, 6, 3], ["format": "RGB", "denormalize": ["standard": "[0,1]"]])
    func found(_ type: DataType, _ stored: StoredQuantization?) throws -> [BundleIssue] {
      try issues(
        output: layer, .tensor("y", type, [1, 8, 6, 3], stored), isQuantized: stored != nil
      ).filter { $0.path.hasPrefix("outputs") }
    }
    #expect(
      try found(.uint8, nil).map(\.summary) == ["warning ignored-field outputs[0].denormalize"])
    #expect(
      try found(.uint8, stored).first?.expected
        == "no denormalization, since the tensor 'y' is uint8")
    let unscaled = try found(.int8, nil)
    #expect(unscaled.map(\.summary) == ["quantization-mismatch outputs[0].denormalize"])
    #expect(unscaled.first?.expected == "a scale and zero point in the model for dequantizing")
    #expect(try found(.int8, stored).isEmpty)
    #expect(try found(.float32, nil).isEmpty)
  }
}
