// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TensorIOLiteRT
import TensorIOTesting
import Testing

@Suite struct LiteRTBackendTests {
  private let backend = LiteRTBackend()

  @Test(arguments: BackendConformance.Check.allCases)
  func `the backend conforms`(_ check: BackendConformance.Check) async throws {
    try await BackendConformance(backend, models: Fixtures.models.path()).run(check)
  }

  @Test func `a model describes its signatures, types, shapes and quantization`() throws {
    let two = try backend.liteRTModel(at: Fixtures.model("two_signatures.tflite"))
    #expect(Set(two.signatures.map(\.key)) == ["double", "square"])
    let dynamic = try backend.liteRTModel(at: Fixtures.model("dynamic_batch.tflite"))
    #expect(dynamic.signatures[0].inputs[0].shape == [-1, 3])
    let quantized = try backend.liteRTModel(at: Fixtures.model("int8_quantized.tflite"))
    let input = quantized.signatures[0].inputs[0]
    #expect(input.dataType == .int8)
    #expect(input.quantization?.zeroPoints == [-1])
    #expect(quantized.signatures[0].outputs[0].quantization?.scales == [Float(1) / 256])
    let channels = try backend.liteRTModel(at: Fixtures.model("per_channel.tflite"))
    let stored = channels.signatures[0].inputs[0].quantization
    #expect(stored?.scales == [0.5, 0.25, 0.125])
    #expect(stored?.axis == 2)
    #expect(stored?.elementsPerScale == 1)
    let unnamed = try backend.liteRTModel(at: Fixtures.model("no_signature.tflite"))
    #expect(unnamed.signatures.map(\.key) == [""])
  }

  @Test(arguments: [
    ("custom_op.tflite", "TensorIOUnknown"),
    ("edgetpu.tflite", "compiled for a Coral Edge TPU"),
    ("oversized.tflite", "2147483647"),
    ("blockwise.tflite", "block-wise"),
    ("blockwise_int8.tflite", "block-wise"),
    ("blockwise_crash.tflite", "block-wise"),
    ("blockwise_output.tflite", "block-wise"),
  ])
  func `a model that can't run is rejected with the reason when it's loaded`(
    _ file: String, _ reason: String
  ) throws {
    let error = #expect(throws: TensorIOError.self) {
      let model = try backend.liteRTModel(at: Fixtures.model(file))
      _ = try model.makeSession(signature: 0, options: SessionOptions())
    }
    #expect(error?.code == .unsupportedModel)
    #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
  }

  @Test func `an LSTM continues from the previous run, and starts over in another session`() throws
  {
    let model = try backend.liteRTModel(at: Fixtures.model("lstm_int8.tflite"))
    #expect(model.keepsState)
    #expect(try !backend.liteRTModel(at: Fixtures.model("add.tflite")).keepsState)
    func run(_ session: any Session) throws -> [UInt8] {
      try session.withInput(at: 0) { memory in
        memory.withUnsafeMutableBytes { $0.copyBytes(from: [128, 127, 0, 64, 255, 5]) }
      }
      try session.run()
      var bytes: [UInt8] = []
      try session.withOutput(at: 0) { span in bytes = span.withUnsafeBytes { Array($0) } }
      return bytes
    }
    let session = try model.makeSession(signature: 0, options: SessionOptions())
    let first = try run(session)
    #expect(try run(session) != first)
    #expect(try run(model.makeSession(signature: 0, options: SessionOptions())) == first)
  }

  @Test(arguments: ["lstm_int8", "stateful", "resource_variable"])
  func `reset begins a new sequence`(_ name: String) throws {
    let model = try backend.liteRTModel(at: Fixtures.model("\(name).tflite"))
    let session = try model.makeSession(signature: 0, options: SessionOptions())
    let tensor = model.signatures[0].inputs[0]
    func run() throws -> [UInt8] {
      try session.withInput(at: 0) { memory in
        for index in 0..<(memory.byteCount / (tensor.dataType?.byteWidth ?? 1)) {
          if tensor.dataType == .float32 {
            memory.storeBytes(of: Float(index) + 0.5, toByteOffset: index * 4, as: Float.self)
          } else {
            memory.storeBytes(of: UInt8(index * 40), toByteOffset: index, as: UInt8.self)
          }
        }
      }
      try session.run()
      var bytes: [UInt8] = []
      try session.withOutput(at: 0) { span in bytes = span.withUnsafeBytes { Array($0) } }
      return bytes
    }
    let sequence = [try run(), try run(), try run()]
    #expect(Set(sequence).count > 1)
    for _ in 1...3 {
      try session.reset()
      #expect([try run(), try run(), try run()] == sequence)
    }
  }

  @Test func `graphs that call themselves are rejected before they exhaust the stack`() throws {
    let error = #expect(throws: TensorIOError.self) {
      try backend.liteRTModel(at: Fixtures.model("endless_graphs.tflite"))
    }
    #expect(error?.code == .invalidModel)
    #expect(error?.message.contains("calls itself") == true, "\(error?.message ?? "")")
  }

  @Test func `an output whose size is only known at run time is an error that says so`() throws {
    let model = try backend.liteRTModel(at: Fixtures.model("dynamic_output.tflite"))
    let error = #expect(throws: TensorIOError.self) {
      try model.makeSession(signature: 0, options: SessionOptions()).run()
    }
    #expect(error?.message.contains("'indexes'") == true, "\(error?.message ?? "")")
  }

  @Test func `an output that is also an input has the input's values`() throws {
    let model = try backend.liteRTModel(at: Fixtures.model("passthrough.tflite"))
    let session = try model.makeSession(signature: 0, options: SessionOptions())
    for round in 1...3 {
      for index in 0..<2 {
        try session.withInput(at: index) { memory in
          for element in 0..<4 {
            memory.storeBytes(
              of: Float(round * 10 + element), toByteOffset: element * 4, as: Float.self)
          }
        }
      }
      try session.run()
      let names = model.signatures[0].outputs.map(\.name)
      for (index, factor) in names.map({ $0 == "same" ? Float(1) : 2 }).enumerated() {
        try session.withOutput(at: index) { bytes in
          let values = (0..<4).map { bytes.unsafeLoad(fromByteOffset: $0 * 4, as: Float.self) }
          #expect(values == (0..<4).map { factor * Float(round * 10 + $0) })
        }
      }
    }
  }

  @Test func `long strings get enough memory`() throws {
    let model = try backend.liteRTModel(at: Fixtures.model("string.tflite"))
    let session = try model.makeSession(signature: 0, options: SessionOptions())
    for length in [0, 10, 5_000, 200_000] {
      let strings = ["a", "b", "c"].map { Data(String(repeating: $0, count: length).utf8) }
      try session.setInput(at: 0, to: strings)
      try session.run()
      try #expect(session.strings(ofOutput: 0) == strings.reversed())
    }
  }

  @Test func `a shape that the model rejects leaves the session unchanged`() throws {
    let model = try backend.liteRTModel(at: Fixtures.model("matmul.tflite"))
    let session = try model.makeSession(signature: 0, options: SessionOptions())
    let before = session.outputShape(at: 0)
    #expect(throws: TensorIOError.self) { try session.resizeInputs(to: [[1, 3], [1, 5]]) }
    #expect(session.outputShape(at: 0) == before)
    try session.run()
  }

  @Test func `a cancelled token ends a run that would take minutes`() async throws {
    let token = CancellationToken()
    let model = try backend.liteRTModel(at: Fixtures.model("slow.tflite"))
    let session = try model.makeSession(
      signature: 0, options: SessionOptions(cancellation: token))
    try session.withInput(at: 0) { memory in
      memory.storeBytes(of: 2_000_000_000, toByteOffset: 0, as: Int32.self)
    }
    Thread.detachNewThread {
      Thread.sleep(forTimeInterval: 0.2)
      token.cancel()
    }
    let error = #expect(throws: TensorIOError.self) { try session.run() }
    #expect(error?.code == .cancelled)
  }

  @Test func `a file that is missing, empty, a folder or not a model is rejected`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    func code(_ path: String) -> TensorIOError.Code? {
      #expect(throws: TensorIOError.self) { try backend.liteRTModel(at: path) }?.code
    }
    #expect(code(folder.path + "/none.tflite") == .fileNotFound)
    #expect(code(folder.path) == .unreadableFile)
    let empty = folder.appending(path: "empty.tflite")
    try Data().write(to: empty)
    #expect(code(empty.path) == .invalidModel)
    try Data("not a model at all, only text".utf8).write(to: empty)
    #expect(code(empty.path) == .invalidModel)
  }

  @Test(arguments: [Float.nan, .infinity, -.infinity, -0.5])
  func `a model whose input has an impossible scale is rejected`(_ scale: Float) throws {
    let path = Fixtures.model("identity_image_int8.tflite")
    let good = try backend.liteRTModel(at: path).signatures[0].inputs[0].quantization
    let stored = try withUnsafeBytes(of: #require(good?.scales.first)) { Data($0) }
    var bytes = try Data(contentsOf: URL(filePath: path))
    while let range = bytes.range(of: stored) {
      bytes.replaceSubrange(range, with: withUnsafeBytes(of: scale) { Data($0) })
    }
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).tflite")
    try bytes.write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let error = #expect(throws: TensorIOError.self) { try backend.liteRTModel(at: file.path) }
    #expect(error?.code == .invalidModel)
    #expect(error?.message.contains("instead of a positive, finite number") == true)
  }
}
