// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension BackendConformance {
  /// Makes a bundle of a model, and loads it; nil if the backend doesn't have the model.
  func open(
    _ name: String?, sessions: Int = 1, describe: ((inout [String: JSONValue]) -> Void)? = nil
  ) throws -> (bundle: ConformanceBundle, model: InferenceModel, specs: [TensorSpec])? {
    guard let name else { return nil }
    let bundle = try ConformanceBundle(name, in: folder, of: backend, describe: describe)
    do {
      let model = try bundle.model(of: backend, sessions: sessions)
      return (bundle, model, try model.loadSignature().inputs)
    } catch {
      bundle.remove()
      throw error
    }
  }

  private func with(
    _ name: String?, describe: ((inout [String: JSONValue]) -> Void)? = nil,
    _ body: (InferenceModel, [TensorSpec]) throws -> Void
  ) throws {
    guard let (bundle, model, specs) = try open(name, describe: describe) else { return }
    defer { bundle.remove() }
    try body(model, specs)
  }

  func checkInputNames() throws {
    try with(models.twoInputs) { model, specs in
      let values = ConformanceValues.named(specs, seed: 1)
      for spec in specs {
        var missing = values
        missing[spec.name] = nil
        try expect([.missingInput], naming: ["'\(spec.name)'"], "a missing input") {
          _ = try model.run(ModelInputs(missing))
        }
      }
      var unknown = values
      unknown["no such input"] = 1
      let names = ["'no such input'"] + specs.map { "'\($0.name)'" }
      try expect([.unknownInput], naming: names, "an unknown input") {
        _ = try model.run(ModelInputs(unknown))
      }
    }
  }

  func checkInputCount() throws {
    try with(models.twoInputs) { model, specs in
      let values = specs.map { ConformanceValues.value($0, 1) }
      for list in [[], Array(values.dropLast()), values + values.prefix(1)] {
        let names = specs.map { "'\($0.name)'" } + ["\(specs.count)", "\(list.count)"]
        try expect([.wrongInputCount], naming: names, "\(list.count) inputs") {
          _ = try model.run(ModelInputs(list: list))
        }
      }
      try expect([.wrongInputCount], naming: ["\(specs.count)"], "one value for many inputs") {
        _ = try model.run(1.5)
      }
      let listed = try model.run(ModelInputs(list: values))
      let named = ModelInputs(
        Dictionary(zip(specs.map(\.name), values)) { first, _ in first })
      try require(
        try listed.agrees(with: model.run(named)),
        "Values by index and by name give different results.")
    }
  }

  func checkElementCounts() throws {
    for name in [models.twoInputs, models.vector, models.bytes, models.integers] {
      try with(name) { model, specs in
        for spec in specs {
          for count in [0, spec.elementCount - 1, spec.elementCount + 1, spec.elementCount * 2] {
            var values = ConformanceValues.named(specs, seed: 1)
            values[spec.name] = ConformanceValues.value(spec, 1, count: count)
            let parts = ["'\(spec.name)'", "\(spec.elementCount)", "\(count)"]
            try expect([.wrongElementCount], naming: parts, "\(count) values") {
              _ = try model.run(ModelInputs(values))
            }
            let size = count * spec.dataType.byteWidth
            values[spec.name] = Data(count: size)
            let sizes = ["'\(spec.name)'", "\(spec.byteCount)", "\(size)"]
            try expect([.wrongElementCount], naming: sizes, "\(size) bytes") {
              _ = try model.run(ModelInputs(values))
            }
          }
        }
      }
    }
  }

  func checkKinds() throws {
    let image = PixelBuffer(width: 1, height: 1, format: .rgb, bytes: [1, 2, 3])
    for name in [models.twoInputs, models.vector, models.bytes, models.integers] {
      try with(name) { model, specs in
        var values = ConformanceValues.named(specs, seed: 1)
        let wrong: [(any TensorEncodable, String)] = [
          (image, "an image"), ("text", "text"), (true, "a boolean"),
          (TensorValue.image(image), "an image"),
        ]
        for (value, kind) in wrong {
          values[specs[0].name] = value
          let parts = ["'\(specs[0].name)'", "\(specs[0].dataType)", kind]
          try expect([.wrongKind], naming: parts, "\(kind) for numbers") {
            _ = try model.run(ModelInputs(values))
          }
        }
      }
    }
    try with(models.image, describe: Self.describeImage) { model, specs in
      let parts = ["'\(specs[0].name)'", "an image"]
      let count = specs[0].elementCount
      let wrong: [any TensorEncodable] = [
        1.5, [1, 2, 3], [Float](repeating: 0, count: count), [Int](repeating: 0, count: count),
        "text",
      ]
      for value in wrong {
        try expect([.wrongKind], naming: parts, "a value that isn't an image for an image") {
          _ = try model.run(ModelInputs(value))
        }
      }
    }
    try with(models.strings) { model, specs in
      try expect([.wrongKind], naming: ["'\(specs[0].name)'", "text"], "numbers for text") {
        _ = try model.run([Int](repeating: 0, count: specs[0].elementCount))
      }
    }
  }

  /// Changes the description of an array of [1, height, width, 3] to that of an image.
  private static func describeImage(_ layer: inout [String: JSONValue]) {
    guard case .array(let shape)? = layer["shape"] else { return }
    layer["type"] = .string("image")
    layer["shape"] = .array(Array(shape.suffix(3)))
    layer["format"] = .string("RGB")
    layer["dtype"] = nil
  }

  func checkExactness() throws {
    try with(models.bytes) { model, specs in
      try refuse([300, -1, 256, .nan, .infinity], for: specs[0], by: model)
    }
    try with(models.integers) { model, specs in
      try refuse([0.5, .nan, -.infinity, 2_147_483_648, 1e300], for: specs[0], by: model)
    }
    try with(models.vector) { model, specs in
      try refuse([1e300], for: specs[0], by: model)
      let count = specs[0].elementCount
      try expect([.unrepresentableValue], naming: ["'\(specs[0].name)'"], "an inexact integer") {
        _ = try model.run([Int](repeating: 16_777_217, count: count))
      }
    }
  }

  private func refuse(_ numbers: [Double], for spec: TensorSpec, by model: InferenceModel) throws {
    for number in numbers {
      var values = [Double](repeating: 1, count: spec.elementCount)
      values[spec.elementCount - 1] = number
      let parts = ["'\(spec.name)'", "index \(spec.elementCount - 1)", "\(spec.dataType)"]
      try expect([.unrepresentableValue], naming: parts, "\(number) into \(spec.dataType)") {
        _ = try model.run(values)
      }
    }
  }

  func checkRecovery() throws {
    try with(models.twoInputs) { model, specs in
      let inputs = ConformanceValues.inputs(specs, seed: 3)
      let before = try model.run(inputs)
      var wrong = ConformanceValues.named(specs, seed: 4)
      wrong[specs[specs.count - 1].name] = "text"
      try expect([.wrongKind], naming: [], "text for numbers") {
        _ = try model.run(ModelInputs(wrong))
      }
      try require(
        try model.run(inputs).agrees(with: before), "The results differ after a value was rejected."
      )
    }
  }

  func checkStrings() throws {
    try with(models.strings) { model, specs in
      let count = specs[0].elementCount
      for wrong in [0, count - 1, count + 1] {
        let parts = ["'\(specs[0].name)'", "\(count)", "\(wrong)"]
        try expect([.wrongElementCount], naming: parts, "\(wrong) strings") {
          _ = try model.run([String](repeating: "a", count: wrong))
        }
      }
      let long = String(repeating: "long ", count: 2000)
      let texts = (0..<count).map { ["", "größer", long, "\u{0}"][$0 % 4] }
      let outputs = try model.run(texts)
      try require(
        try outputs.value(at: 0, as: [String].self).sorted() == texts.sorted(),
        "The output strings aren't the same as the input strings.")
      let bytes = [Data](repeating: Data([0xFF, 0, 0xFE]), count: count)
      try require(
        try model.run(bytes).value(at: 0, as: [Data].self) == bytes,
        "Bytes that aren't text came out differently.")
    }
  }
}
