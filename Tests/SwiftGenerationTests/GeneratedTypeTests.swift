// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TensorIOEncoding
import TensorIOImageCodecs
import TensorIOLiteRT
import TestSupport
import Testing

/// The types in the folder Generated, on real models and values.
@Suite struct GeneratedTypeTests {
  private static let demo = Python.root.appending(path: "Demo")
  private static let seven = demo.appending(path: "images/digit-7-01.png").path

  private static let hasLiteRT: Bool = {
    let model = demo.appending(path: "digits.tiobundle/model.tflite").path
    return (try? LiteRTBackend().liteRTModel(at: model)) != nil
  }()

  private static func digits() throws -> Digits {
    try Digits(at: demo.appending(path: "digits.tiobundle").path)
  }

  @Test(.enabled(if: hasLiteRT, "The LiteRT library is missing; run 'make setup'."))
  func `a photo gets the same typed answer from every kind of run`() async throws {
    let digits = try Self.digits()
    let photo = ImageFile(Self.seven)
    let untyped = try await digits.model.run(photo)["classification", as: Classification.self]
    let buffer = try ImageDecoder().decode(contentsOf: Self.seven)
    func blocking() throws -> [Digits.Outputs] {
      let inputs = Digits.Inputs(image: photo)
      let measured = try digits.measure(inputs)
      #expect(measured.latency.inference > .zero)
      let timely = try digits.run(inputs, deadline: .now + .seconds(600))
      return try [digits(image: photo), digits.run(inputs), digits(image: buffer)]
        + [measured.outputs, timely]
        + digits.run(batch: [inputs, Digits.Inputs(image: buffer)])
    }
    var answers = try blocking()
    answers.append(try await digits(image: photo))
    answers.append(try await digits.run(Digits.Inputs(image: photo)))
    answers += try await digits.run(batch: [Digits.Inputs(image: photo)])
    let inputs = Digits.Inputs(image: photo)
    answers.append(try await digits.run(inputs, deadline: .now + .seconds(600)))
    answers.append(try await digits.measure(inputs).outputs)
    #expect(answers.count == 12)
    for answer in answers {
      #expect(answer.classification.best == .seven)
      #expect(answer.classification[.seven] == untyped[label: "seven"])
      #expect(answer.classification.map(\.label.rawValue) == untyped.map(\.label))
      #expect(answer.classification.map(\.value) == untyped.map(\.value))
    }
  }

  @Test(.enabled(if: hasLiteRT, "The LiteRT library is missing; run 'make setup'."))
  func `a run whose deadline has passed is an error`() async throws {
    let digits = try Self.digits()
    let inputs = Digits.Inputs(image: ImageFile(Self.seven))
    let late = ContinuousClock.now - .seconds(1)
    func block() throws -> Digits.Outputs { try digits.run(inputs, deadline: late) }
    let blocked = #expect(throws: TensorIOError.self) { try block() }
    let waited = await #expect(throws: TensorIOError.self) {
      try await digits.run(inputs, deadline: late)
    }
    #expect(blocked?.code == .deadlineExceeded && waited?.code == .deadlineExceeded)
  }

  @Test(.enabled(if: hasLiteRT, "The LiteRT library is missing; run 'make setup'."))
  func `a loader's options are used`() async throws {
    let path = Self.demo.appending(path: "digits.tiobundle").path
    let loader = ModelLoader(backends: [.liteRT], sessions: 2)
    let digits = try Digits(bundle: ModelBundle(path), loader: loader)
    try await withThrowingTaskGroup(of: Digits.ClassificationLabel.self) { group in
      for _ in 0..<8 {
        group.addTask { try await digits(image: ImageFile(Self.seven)).classification.best }
      }
      for try await best in group { #expect(best == .seven) }
    }
  }

  // MARK: - Training

  private static func trained() throws -> DigitsTrain {
    try DigitsTrain(at: demo.appending(path: "digits-train.tiobundle").path)
  }

  private static let hasTensorFlow: Bool = {
    do {
      try trained().model.load()
      return true
    } catch {
      return false
    }
  }()

  @Test(.enabled(if: hasTensorFlow, "TensorFlow's library is missing; run 'make tensorflow'."))
  func `typed items train a model`() throws {
    let trained = try Self.trained()
    let items = (0..<10).flatMap { digit in
      (1...4).map { number in
        let name = "digits-training/\(digit)/digit-\(digit)-00\(number).png"
        let image = ImageFile(Self.demo.appending(path: name).path)
        return DigitsTrain.Inputs(image: image, label: Int32(digit))
      }
    }
    func meanLoss() throws -> Float {
      try items.map { try trained.run($0).loss }.reduce(0, +) / Float(items.count)
    }
    let before = try meanLoss()
    var options = TrainingOptions(epochs: 10, placeholders: ["learning_rate": 0.005])
    options.batchSize = 8
    try Trainer(trained.model, data: items.map(\.batchItem), options: options).train()
    #expect(try meanLoss() < before / 2)
    let answer = try trained(image: ImageFile(Self.seven), label: 7, learningRate: 0.1)
    #expect(answer.probabilities.count == 10)
    #expect(answer.loss.isFinite)
  }

  @Test(.enabled(if: hasTensorFlow, "TensorFlow's library is missing; run 'make tensorflow'."))
  func `nil for an input that the model needs is an error that names it`() throws {
    let error = #expect(throws: TensorIOError.self) {
      try Self.trained()(image: ImageFile(Self.seven), label: nil)
    }
    #expect(error?.code == .missingInput)
    #expect(error?.message.contains("'label'") == true)
  }

  // MARK: - Interfaces and inputs

  @Test func `a bundle of another interface is refused before its model is loaded`() throws {
    let error = #expect(throws: TensorIOError.self) {
      try Digits(at: Self.demo.appending(path: "digits-train.tiobundle").path)
    }
    #expect(error?.code == .changedInterface)
    #expect(error?.message.contains("doesn't fit the type Digits") == true)
  }

  @Test func `a bundle with the same interface fits, although its model differs`() throws {
    let digits = try Digits(at: Self.demo.appending(path: "digits-int8.tiobundle").path)
    #expect(digits.model.bundle.manifest.id == "digits-int8")
  }

  @Test func `a wrong count of values is an error that names the input`() throws {
    let values = try Tensor([Float](repeating: 0, count: 7))
    guard Self.hasLiteRT else { return }
    let error = #expect(throws: TensorIOError.self) {
      try Self.digits()(image: values)
    }
    #expect(error?.message == "'image' takes 3072 values (shape [32, 32, 3]), got 7.")
  }

  @Test func `optional inputs and placeholders are left out if they are nil`() throws {
    let image = PixelBuffer(width: 1, height: 1, format: .rgb, bytes: [1, 2, 3])
    var inputs = DigitsTrain.Inputs(image: image)
    #expect(Set(inputs.batchItem.keys) == ["image"])
    #expect(inputs.modelInputs.placeholders.isEmpty)
    inputs.label = 7
    inputs.learningRate = 0.5
    #expect(Set(inputs.batchItem.keys) == ["image", "label"])
    #expect(inputs.batchItem["label"] as? Int32 == 7)
    #expect(inputs.modelInputs.placeholders["learning_rate"] as? Float == 0.5)
  }

  @Test func `a row has the columns that are given`() {
    var row = Features.RowRow(income: 5000, rooms: 3, city: "Bern", balcony: .true)
    #expect(
      row.row.columns == [
        "income": .number(5000), "rooms": .number(3), "city": .string("Bern"),
        "balcony": .string("true"),
      ])
    (row.age, row.heating) = (39, "oil")
    #expect(row.row.columns["age"] == .number(39) && row.row.columns["heating"] == .string("oil"))
  }
}
