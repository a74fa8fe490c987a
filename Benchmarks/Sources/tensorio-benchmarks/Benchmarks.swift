// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CBaseline
import Foundation
import TensorIO
import TensorIOLiteRT

/// Compares the library with the bare C calls and prints each pair's ratio.
///
/// It alternates between the two in one process; `make bench` adds the comparisons with Python.
///
///     tensorio-benchmarks ROOT
///
/// ROOT is the checkout. The C peer opens the library of the set-up, or the one that
/// TENSORIO_LITERT_LIBRARY names.
@main
struct Benchmarks {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 2 else {
      print("usage: tensorio-benchmarks ROOT")
      exit(64)
    }
    let root = arguments[1]
    if ProcessInfo.processInfo.environment["ALLOCATIONS"] != nil {
      return try runForAllocationCount(root: root)
    }
    try await compareSmallCalls(root: root, library: library)
    let model = root + "/../shared/data/models/mobilenet_v1_0.25_128_quant.tflite"
    let isShared = FileManager.default.fileExists(atPath: model)
    try await comparePictures(
      model: isShared ? model : root + "/Demo/digits-int8.tiobundle/model.tflite",
      library: library)
    if isShared {
      for photo in ["cat.jpg", "cat_720p.jpg", "phone-12mp.jpg"] {
        try await Pictures.compareDecoding(root + "/../shared/data/images/" + photo)
      }
    }
    try Pictures.measureResizing()
  }

  private static var library: String {
    let environment = ProcessInfo.processInfo.environment
    if let path = environment["TENSORIO_LITERT_LIBRARY"], !path.isEmpty { return path }
    let data = environment["XDG_DATA_HOME"] ?? (environment["HOME"] ?? "") + "/.local/share"
    return (environment["TENSORIO_HOME"] ?? data + "/tensorio") + "/lib/libLiteRt.so"
  }

  // MARK: - One float

  private static func compareSmallCalls(root: String, library: String) async throws {
    let file = root + "/Tests/Fixtures/Models/add.tflite"
    let model = try makeModel(
      file: file, quantized: false, input: #"{"name": "x", "type": "array", "shape": [1]}"#,
      output: #"{"name": "y", "type": "array", "shape": [1]}"#)
    guard let baseline = baseline_open(library, file) else {
      throw TensorIOError(.internalFault, "The C peer could not be made.")
    }
    let session = try LiteRTBackend().loadModel(at: file, for: .predict)
      .makeSession(signature: 0, options: SessionOptions())
    var input: Float = 2
    var output: Float = 0
    let count = 20_000
    await Pair("one float, native values in and out / bare C calls", count: count).run {
      for _ in 0..<count {
        let y: Float = try model.run(Float(2))["y"]
        precondition(y == 25)
      }
    } against: {
      for _ in 0..<count {
        guard baseline_run(baseline, &input, 4, &output, 4) == 0, output == 25 else { fatalError() }
      }
    }
    await Pair("one float, the runtime's own call alone / bare C calls", count: count).run {
      for _ in 0..<count { try session.run() }
    } against: {
      for _ in 0..<count {
        guard baseline_run(baseline, &input, 4, &output, 4) == 0, output == 25 else { fatalError() }
      }
    }
    await compareWays(of: model)
  }

  /// Compares the ways to run with the blocking one that has no deadline.
  private static func compareWays(of model: any Model) async {
    let count = 5000
    let input = ModelInputs(Float(2))
    let blocking = { for _ in 0..<count { _ = try model.run(input) as ModelOutputs } }
    await Pair("one float, blocking with a deadline / without", count: count).run {
      for _ in 0..<count { _ = try Self.run(model, input, .now + .seconds(60)) }
    } against: {
      try blocking()
    }
    await Pair("one float, async / blocking", count: count).run {
      for _ in 0..<count { _ = try await model.run(input) }
    } against: {
      try blocking()
    }
    await Pair("one float, async with a deadline / blocking", count: count).run {
      for _ in 0..<count { _ = try await model.run(input, deadline: .now + .seconds(60)) }
    } against: {
      try blocking()
    }
  }

  /// Runs with a deadline.
  ///
  /// In a function that is not async, this is the blocking method.
  private static func run(
    _ model: any Model, _ input: ModelInputs, _ deadline: ContinuousClock.Instant
  ) throws -> ModelOutputs {
    try model.run(input, deadline: deadline)
  }

  /// Runs one call a number of times, for a tool that counts allocations from outside.
  private static func runForAllocationCount(root: String) throws {
    let model = try makeModel(
      file: root + "/Tests/Fixtures/Models/add.tflite", quantized: false,
      input: #"{"name": "x", "type": "array", "shape": [1]}"#,
      output: #"{"name": "y", "type": "array", "shape": [1]}"#)
    let environment = ProcessInfo.processInfo.environment
    let count = Int(environment["ALLOCATIONS"] ?? "") ?? 0
    let session = try LiteRTBackend()
      .loadModel(at: root + "/Tests/Fixtures/Models/add.tflite", for: .predict)
      .makeSession(signature: 0, options: SessionOptions())
    for _ in 0..<count {
      if environment["BARE"] != nil {
        try session.run()
      } else {
        let y: Float = try model.run(Float(2))["y"]
        precondition(y == 25)
      }
    }
  }

  // MARK: - Pictures

  private static func comparePictures(model file: String, library: String) async throws {
    guard let baseline = baseline_open(library, file) else {
      throw TensorIOError(.internalFault, "The C peer could not be made.")
    }
    let described = try LiteRTBackend().loadModel(at: file, for: .predict).signatures[0]
    let shape = described.inputs[0].shape.dropFirst().map(String.init).joined(separator: ", ")
    let model = try makeModel(
      file: file, quantized: true,
      input: #"{"name": "x", "type": "image", "format": "RGB", "shape": [\#(shape)]}"#,
      output: #"{"name": "y", "type": "array", "shape": [\#(described.outputs[0].elementCount)]}"#)
    let height = described.inputs[0].shape[1]
    let width = described.inputs[0].shape[2]
    let bytes = (0..<(height * width * 3)).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let picture = PixelBuffer(width: width, height: height, format: .rgb, bytes: bytes)
    var output = [UInt8](repeating: 0, count: baseline_output_bytes(baseline))
    let count = 100
    let name = URL(filePath: file).lastPathComponent
    await Pair("\(name), run / bare C calls (write, run, read)", count: count).run {
      for _ in 0..<count { _ = try model.run(picture) }
    } against: {
      for _ in 0..<count {
        guard baseline_run(baseline, bytes, bytes.count, &output, output.count) == 0 else {
          fatalError()
        }
      }
    }
  }

  private static func makeModel(
    file: String, quantized: Bool, input: String, output: String
  ) throws -> any Model {
    let path = FileManager.default.temporaryDirectory
      .appending(path: UUID().uuidString + ".tiobundle").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: path) }
    try FileManager.default.copyItem(atPath: file, toPath: path + "/model.tflite")
    let json = """
      {"name": "n", "details": "", "id": "i", "version": "1", "author": "", "license": "",
       "model": {"file": "model.tflite", "quantized": \(quantized)},
       "inputs": [\(input)], "outputs": [\(output)]}
      """
    try Data(json.utf8).write(to: URL(filePath: path + "/model.json"))
    let model = try ModelLoader(backends: [.liteRT]).model(at: path)
    try model.load()
    return model
  }
}

/// Two ways to do the same work, measured in turn.
struct Pair {
  private let name: String
  private let count: Int
  private let rounds = 31

  init(_ name: String, count: Int) {
    self.name = name
    self.count = count
  }

  /// Runs both in turn and prints the median times and the median of the ratios.
  func run(_ ours: () async throws -> Void, against theirs: () async throws -> Void) async {
    let clock = ContinuousClock()
    do {
      try await ours()
      try await theirs()
      var times: [(Double, Double)] = []
      for _ in 0..<rounds {
        let (one, other) = (try await clock.measure(ours), try await clock.measure(theirs))
        times.append((nanoseconds(one), nanoseconds(other)))
      }
      let ratio = median(times.map { $0.0 / $0.1 })
      let one = median(times.map(\.0))
      let other = median(times.map(\.1))
      print(
        "\(name): \(String(format: "%.0f ns / %.0f ns, ratio %.3f", one, other, ratio))")
    } catch {
      print("\(name): \(error)")
    }
  }

  private func nanoseconds(_ duration: Duration) -> Double {
    let (seconds, attoseconds) = duration.components
    return (Double(seconds) * 1e9 + Double(attoseconds) / 1e9) / Double(count)
  }

  private func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
}
