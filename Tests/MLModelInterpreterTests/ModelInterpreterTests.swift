// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import MLModelInterpreter
import Testing

@Suite struct ModelInterpreterTests {
  private let matmul = ModelInterpreter.modelInterpreter(localModel: Interpreting.model("matmul"))

  private static func vectors(
    _ type: ModelElementType = .float32, _ input: [NSNumber] = [1, 4], output: [NSNumber] = [1, 1]
  ) throws -> ModelInputOutputOptions {
    try Interpreting.options(
      inputs: [(type, input), (type, input)], outputs: [(type, output), (type, output)])
  }

  @Test func `inputs and outputs can be nested arrays`() async throws {
    let outputs = try await Interpreting.run(
      matmul, Interpreting.inputs([[[1, 2, 3, 4]], [[5.0, 6.0, 7.0, 8.0]]]), Self.vectors())
    #expect(try outputs.output(index: 0) as? [[NSNumber]] == [[70]])
    #expect(try outputs.output(index: 1) as? [[NSNumber]] == [[56]])
    #expect(await Interpreting.code { _ = try outputs.output(index: 2) } == .invalidArgument)
  }

  @Test func `bytes, rows and numbers of every kind can encode the same input`() async throws {
    let bytes = [Float](arrayLiteral: 1, 2, 3, 4).withUnsafeBytes { Data($0) }
    let kinds: [Any] = [
      bytes, [1, 2, 3, 4], [[1, 2, 3, 4]], [[1.0, 2, 3, 4]], [[Float(1), 2, 3, 4]],
      [[NSNumber(value: 1), 2, 3, 4]], [[UInt8(1), 2, 3, 4]] as [[UInt8]],
    ]
    for kind in kinds {
      let outputs = try await Interpreting.run(
        matmul, Interpreting.inputs([kind, kind]), Self.vectors())
      #expect(try outputs.output(index: 0) as? [[NSNumber]] == [[30]], "\(kind)")
    }
  }

  @Test(arguments: [
    ("reverse_int32", ModelElementType.int32), ("reverse_int64", .int64), ("reverse_uint8", .uInt8),
    ("reverse_float32", .float32),
  ])
  func `elements of every type keep their values`(
    model: String, type: ModelElementType
  ) async throws {
    let interpreter = ModelInterpreter.modelInterpreter(localModel: Interpreting.model(model))
    let options = try Interpreting.options(inputs: [(type, [2, 3])], outputs: [(type, [2, 3])])
    let rows = [[0, 1, 2], [100, 200, 255]]
    let outputs = try await Interpreting.run(interpreter, Interpreting.inputs([rows]), options)
    let values = try #require(try outputs.output(index: 0) as? [[NSNumber]])
    #expect(values.map { $0.map(\.intValue) } == rows.map { $0.reversed() })
  }

  @Test func `a number that the type can't represent is rejected`() async throws {
    for (model, type, number) in [
      ("reverse_uint8", ModelElementType.uInt8, 256 as Any), ("reverse_uint8", .uInt8, -1),
      ("reverse_uint8", .uInt8, 0.5), ("reverse_int32", .int32, 3_000_000_000),
      ("reverse_int32", .int32, Double.nan), ("reverse_int64", .int64, 1e19),
    ] {
      let interpreter = ModelInterpreter.modelInterpreter(localModel: Interpreting.model(model))
      let options = try Interpreting.options(inputs: [(type, [2, 3])], outputs: [(type, [2, 3])])
      let zeros = [Any](repeating: 0, count: 5)
      _ = try await Interpreting.run(interpreter, Interpreting.inputs([zeros + [0]]), options)
      let code = await Interpreting.code {
        _ = try await Interpreting.run(
          interpreter, Interpreting.inputs([zeros + [number]]), options)
      }
      #expect(code == .invalidArgument, "\(number)")
    }
  }

  @Test func `a tensor without axes has one element`() async throws {
    let scalar = ModelInterpreter.modelInterpreter(localModel: Interpreting.model("scalar"))
    let good = try Interpreting.options(inputs: [(.float32, [1])], outputs: [(.float32, [1])])
    _ = try await Interpreting.run(scalar, Interpreting.inputs([[2.0]]), good)
    let wrong = try Interpreting.options(inputs: [(.float32, [5])], outputs: [(.float32, [1])])
    let code = await Interpreting.code {
      _ = try await Interpreting.run(
        scalar, Interpreting.inputs([[1.0, 2.0, 3.0, 4.0, 5.0]]), wrong)
    }
    #expect(code == .invalidArgument)
  }

  @Test func `formats that differ from the model's are rejected`() async throws {
    let good: [Any] = [[[1, 2, 3, 4]], [[5, 6, 7, 8]]]
    let wrong: [(ModelInputOutputOptions, [Any])] = [
      (try Self.vectors(.int32), good), (try Self.vectors(.float32, [1, 5]), good),
      (try Self.vectors(.float32, [4]), good), (try Self.vectors(output: [1, 2]), good),
      (try Self.vectors(output: [1]), good), (ModelInputOutputOptions(), good),
      (try Self.vectors(), [good[0]]), (try Self.vectors(), good + [good[0]]),
      (try Self.vectors(), [[[1, 2, 3]], [[5, 6, 7, 8]]]),
      (try Self.vectors(), [Data(count: 15), Data(count: 16)]),
      (
        try Interpreting.options(
          inputs: [(.float32, [1, 4]), (.float32, [1, 4]), (.float32, [1])], outputs: []), good
      ),
    ]
    for (place, (options, values)) in wrong.enumerated() {
      let code = await Interpreting.code {
        _ = try await Interpreting.run(matmul, Interpreting.inputs(values), options)
      }
      #expect(code == .invalidArgument, "case \(place)")
    }
    // The model still runs.
    let outputs = try await Interpreting.run(matmul, Interpreting.inputs(good), Self.vectors())
    #expect(try outputs.output(index: 0) as? [[NSNumber]] == [[70]])
  }

  @Test func `values that can't be tensors are rejected at once`() async throws {
    let options = ModelInputOutputOptions()
    let impossible: [(ModelElementType, [NSNumber])] = [
      (.unknown, [1]), (.float32, []), (.float32, [0]), (.float32, [1, -1]), (.float32, [1.5]),
      (.float32, [1_000_000_000_000, 1_000_000_000_000]),
    ]
    for (type, dimensions) in impossible {
      let code = await Interpreting.code {
        try options.setInputFormat(index: 0, type: type, dimensions: dimensions)
      }
      #expect(code == .invalidArgument)
      let other = await Interpreting.code {
        try options.setOutputFormat(index: 0, type: type, dimensions: dimensions)
      }
      #expect(other == .invalidArgument)
    }
    let inputs = ModelInputs()
    for value: Any in [
      Data(), [Int](), "text", 1, ["a"], [[1, 2], [3]], [[1], 2] as [Any], [1, [2]] as [Any],
      [UInt64.max],
    ] {
      #expect(
        await Interpreting.code { try inputs.addInput(value) } == .invalidArgument, "\(value)")
    }
  }

  @Test func `another batch size is accepted if the model supports it`() async throws {
    let interpreter = ModelInterpreter.modelInterpreter(
      localModel: Interpreting.model("dynamic_batch"))
    for count in [1, 3, 2] {
      let options = try Interpreting.options(
        inputs: [(.float32, [NSNumber(value: count), 3])],
        outputs: [(.float32, [NSNumber(value: count), 2])])
      let rows = (0..<count).map { row in [Double(row), 1, 2] }
      let outputs = try await Interpreting.run(interpreter, Interpreting.inputs([rows]), options)
      let values = try #require(try outputs.output(index: 0) as? [[NSNumber]])
      #expect(values.count == count)
      // An item's result doesn't depend on the others'.
      let one = try Interpreting.options(
        inputs: [(.float32, [1, 3])], outputs: [(.float32, [1, 2])])
      let alone = try await Interpreting.run(
        interpreter, Interpreting.inputs([[[0.0, 1, 2]]]), one)
      #expect(try (alone.output(index: 0) as? [[NSNumber]])?.first == values.first)
    }
  }

  @Test func `each of many threads gets its own results`() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<200 {
        group.addTask {
          let outputs = try await Interpreting.run(
            matmul, Interpreting.inputs([[[number, 0, 0, 0]], [[1, 0, 0, 0]]]), Self.vectors())
          #expect(try outputs.output(index: 0) as? [[NSNumber]] == [[NSNumber(value: number)]])
        }
      }
      try await group.waitForAll()
    }
  }

  @Test func `a missing or invalid model file is an error`() async throws {
    let options = try Self.vectors()
    for (path, expected) in [
      ("/nowhere/model.tflite", MLErrorCode.notFound), (#filePath, .failedPrecondition),
    ] {
      let interpreter = ModelInterpreter.modelInterpreter(
        localModel: CustomLocalModel(modelPath: path))
      let code = await Interpreting.code {
        _ = try await Interpreting.run(
          interpreter, Interpreting.inputs([[[1, 2, 3, 4]], [[5, 6, 7, 8]]]), options)
      }
      #expect(code == expected, "\(path)")
    }
  }
}
#endif
