// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

extension BackendConformance {
  var allModels: [String] {
    [
      models.twoInputs, models.vector, models.bytes, models.integers, models.twoSignatures,
      models.openBatch, models.fixedBatch, models.strings, models.image,
    ].compactMap(\.self)
  }

  func checkDescriptions() throws {
    for model in allModels {
      let signatures = try backend.loadModel(at: folder + "/" + model, for: .predict).signatures
      try require(!signatures.isEmpty, "'\(model)' has no signature.")
      let keys = signatures.map(\.key)
      try require(Set(keys).count == keys.count, "'\(model)' has a signature twice: \(keys).")
      for signature in signatures {
        for tensors in [signature.inputs, signature.outputs] {
          let names = tensors.map(\.name)
          try require(Set(names).count == names.count, "'\(model)' has a name twice: \(names).")
          for tensor in tensors {
            try require(
              tensor.dataType != nil,
              "'\(tensor.name)' of '\(model)' has the unknown data type \(tensor.typeName).")
            try require(
              tensor.shape.allSatisfy { $0 > 0 || $0 == -1 },
              "'\(tensor.name)' of '\(model)' has the invalid shape \(tensor.shape).")
          }
        }
      }
    }
  }

  func checkMissingFile() throws {
    let path = folder + "/no such model"
    try expect([.fileNotFound, .invalidModel], naming: ["no such model"], "a missing model") {
      _ = try backend.loadModel(at: path, for: .predict)
    }
  }

  func checkLoading() throws {
    guard let name = models.twoInputs ?? models.vector else { return }
    let bundle = try ConformanceBundle(name, in: folder, of: backend)
    defer { bundle.remove() }
    let model = try bundle.model(of: backend)
    try require(!model.isLoaded, "A new model is loaded before it is used.")
    let inputs = ConformanceValues.inputs(try model.loadSignature().inputs, seed: 1)
    try require(model.isLoaded, "A model isn't loaded although its signature was read.")
    let first = try model.run(inputs)
    try model.load()
    for _ in 0..<3 {
      model.unload()
      model.unload()
      try require(!model.isLoaded, "A model is loaded after it was unloaded.")
      let again = try model.run(inputs)
      try require(model.isLoaded, "A model is not loaded after it ran.")
      try require(try again.agrees(with: first), "A reloaded model gives different results.")
    }
  }

  func checkSeparation() throws {
    guard let (bundle, one, specs) = try open(models.vector ?? models.twoInputs) else { return }
    defer { bundle.remove() }
    let two = try bundle.model(of: backend)
    let first = try one.run(ConformanceValues.inputs(specs, seed: 1))
    let other = try two.run(ConformanceValues.inputs(specs, seed: 2))
    one.unload()
    let again = try two.run(ConformanceValues.inputs(specs, seed: 2))
    try require(try again.agrees(with: other), "Unloading one model changes another.")
    let back = try one.run(ConformanceValues.inputs(specs, seed: 1))
    try require(try back.agrees(with: first), "Two models of one file share their memory.")
  }

  func checkSignatures() throws {
    guard let name = models.twoSignatures else { return }
    let count = try backend.loadModel(at: folder + "/" + name, for: .predict).signatures.count
    try require(count >= 2, "'\(name)' has \(count) signatures, expected two or more.")
    var keys: [String] = []
    for index in 0..<count {
      let bundle = try ConformanceBundle(name, in: folder, of: backend, signature: index)
      defer { bundle.remove() }
      let key = bundle.signature.key
      keys.append(key)
      let model = try bundle.model(of: backend, signatureKey: key)
      let specs = try model.loadSignature().inputs
      let outputs = try model.run(ConformanceValues.inputs(specs, seed: index))
      try require(
        outputs.names == bundle.signature.outputs.map(\.name),
        "The signature '\(key)' returned the outputs \(outputs.names).")
      if index == 0 {
        let first = try bundle.model(of: backend).run(ConformanceValues.inputs(specs, seed: 0))
        try require(try first.agrees(with: outputs), "Without a key the first signature must run.")
      }
    }
    let bundle = try ConformanceBundle(name, in: folder, of: backend)
    defer { bundle.remove() }
    let model = try bundle.model(of: backend, signatureKey: "no such key")
    try expect([.invalidModel], naming: ["no such key"] + keys, "an unknown signature") {
      try model.load()
    }
  }

  /// Checks that a closure throws an error with one of the codes, and that its message contains the
  /// parts.
  func expect(
    _ codes: [TensorIOError.Code], naming parts: [String], _ what: String, _ body: () throws -> Void
  ) throws {
    let expected = codes.map(\.description).joined(separator: " or ")
    do {
      try body()
    } catch let error as TensorIOError {
      try require(
        codes.contains(error.code),
        "\(what): expected the error \(expected), got \(error.code): \(error.message)")
      for part in parts where !error.message.contains(part) {
        throw ConformanceError(
          description: "\(what): the error doesn't mention \(part): \(error.message)")
      }
      return
    }
    throw ConformanceError(
      description: "\(what): expected the error \(expected), but nothing was thrown.")
  }
}
