// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIOTesting
import Testing

@testable import TensorIO

@Suite struct ModelLoaderTests {
  /// A model class that a program adds.
  private final class OwnModel: Model {
    let bundle: ModelBundle
    init(bundle: ModelBundle, loader: ModelLoader) { self.bundle = bundle }
    var isLoaded: Bool { true }
    func load() {}
    func loadSignature() -> ModelSignature { ModelSignature(inputs: [], outputs: []) }
    func unload() {}
    func run(_ inputs: ModelInputs) throws -> ModelOutputs { throw CancellationError() }
    func run(_ inputs: ModelInputs) async throws -> ModelOutputs { throw CancellationError() }
  }

  private let tflite = EchoBackend([.vectors], name: "tflite")
  private let tensorflow = EchoBackend([.vectors], name: "tensorflow")

  private func bundle(_ name: String?, _ base: String = "vectors") throws -> TestBundle {
    try TestBundle(
      base, set: name.map { ["/model/class": .string($0)] } ?? [:],
      remove: base == "placeholder" && name == nil ? ["/model/class"] : [])
  }

  @Test func `without a class in model.json, the backend's class is used`() throws {
    let loader = ModelLoader(backends: [tflite])
    #expect(try loader.model(at: bundle(nil).path) is InferenceModel)
  }

  @Test func `a registered class is used`() throws {
    let loader = ModelLoader(backends: [tflite], classes: ["Mine": OwnModel.self])
    #expect(try loader.model(at: bundle("Mine").path) is OwnModel)
    // The class may use its own runtime.
    #expect(
      try ModelLoader(backends: [], classes: ["Mine": OwnModel.self])
        .model(at: bundle("Mine").path) is OwnModel)
  }

  @Test func `an unknown class lists the known ones`() throws {
    let loader = ModelLoader(backends: [tflite], classes: ["B": OwnModel.self, "A": OwnModel.self])
    let bundle = try bundle("Theirs")
    let error = #expect(throws: TensorIOError.self) { try loader.model(at: bundle.path) }
    #expect(error?.code == .unknownModelClass)
    #expect(
      error?.message == "model.class in '\(bundle.path)' names 'Theirs', which isn't a registered "
        + "class. The registered classes are A, B, TIOTFLiteModel, TIOTensorFlowModel, "
        + "TIOPlaceholderModel. Register the class with the loader, or remove the key.")
  }

  @Test(arguments: [("TIOTFLiteModel", "tflite"), ("TIOTensorFlowModel", "tensorflow")])
  func `class names of the original TensorIO select a backend`(_ name: String, _ backend: String)
    throws
  {
    let loader = ModelLoader(backends: [tensorflow, tflite])
    let bundle = try bundle(name).open()
    #expect(try loader.makeModel(from: bundle) is InferenceModel)
    #expect(try loader.backend(for: bundle).name == backend)
  }

  @Test func `the original TensorIO's placeholder class makes a placeholder`() throws {
    let model = try ModelLoader(backends: []).model(at: bundle("TIOPlaceholderModel").path)
    #expect(model is PlaceholderModel)
  }

  @Test func `a placeholder needs no backend, whatever its class`() throws {
    let loader = ModelLoader(backends: [], classes: ["Mine": OwnModel.self])
    #expect(try loader.model(at: bundle("Mine", "placeholder").path) is PlaceholderModel)
    #expect(try loader.model(at: bundle("Unknown", "placeholder").path) is PlaceholderModel)
  }

  @Test func `a class can be registered under a name of the original TensorIO`() throws {
    let loader = ModelLoader(backends: [tflite], classes: ["TIOTFLiteModel": OwnModel.self])
    #expect(try loader.model(at: bundle("TIOTFLiteModel").path) is OwnModel)
  }

  @Test func `the backend is the named one, or the one that fits the file`() throws {
    let loader = ModelLoader(backends: [tensorflow, tflite])
    #expect(try loader.backend(for: bundle(nil).open()).name == "tflite")
    let saved = try TestBundle(set: ["/model/file": "m"], files: ["m/saved_model.pb": ""])
    #expect(try loader.backend(for: saved.open()).name == "tensorflow")
    let named = try TestBundle(
      set: ["/model/file": "m.bin", "/model/backend": "tensorflow"], files: ["m.bin": ""])
    #expect(try loader.backend(for: named.open()).name == "tensorflow")
  }

  @Test func `a backend that the loader lacks is an error that lists the others`() throws {
    let bundle = try bundle(nil)
    for (backends, end) in [
      ([tensorflow], "but the loader has only 'tensorflow'."), ([], "but the loader has none."),
    ] {
      let error = #expect(throws: TensorIOError.self) {
        try ModelLoader(backends: backends).model(at: bundle.path)
      }
      #expect(error?.code == .unknownBackend)
      #expect(error?.message == "'\(bundle.path)' needs the backend 'tflite', \(end)")
    }
  }

  @Test func `each model of a bundle is a new object`() throws {
    let loader = ModelLoader(backends: [tflite])
    let bundle = try bundle(nil).open()
    let one = try loader.makeModel(from: bundle)
    let two = try loader.makeModel(from: bundle)
    #expect(one !== two)
    try one.load()
    #expect(!two.isLoaded)
    #expect(one.bundle.manifest == bundle.manifest)
  }

  @Test func `an invalid bundle gives the bundle's error`() throws {
    let error = #expect(throws: TensorIOError.self) {
      try ModelLoader(backends: [tflite]).model(at: "/nowhere.tiobundle")
    }
    #expect(error?.code == .fileNotFound)
  }
}
