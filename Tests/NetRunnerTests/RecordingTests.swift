// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Synchronization
import TensorIO
import TensorIOLiteRT
import Testing

@testable import NetRunner

/// Evaluates a model that returns the samples of a recording as the scores of 144 classes.
struct RecordingTests {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "sounds-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private func bundle(_ fields: String, labels: Bool = true) throws -> ModelBundle {
    let bundle = folder.appending(path: "echo.tiobundle")
    let assets = bundle.appending(path: "assets")
    try FileManager.default.createDirectory(at: assets, withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      atPath: FileManager.default.currentDirectoryPath
        + "/Tests/Fixtures/Models/identity_image.tflite", toPath: bundle.path + "/model.tflite")
    let names = (0..<144).map { "class \($0)" }.joined(separator: "\n")
    try Data(names.utf8).write(to: assets.appending(path: "labels.txt"))
    let field = labels ? #", "labels": "labels.txt""# : ""
    let document = """
      {"name": "Echo", "details": "", "id": "echo", "version": "1", "author": "", "license": "",
       "model": {"file": "model.tflite", "quantized": false},
       "inputs": [{"name": "sound", "type": "audio", "shape": [1, 144], \(fields)}],
       "outputs": [{"name": "echo", "type": "array", "shape": [1, 144]\(field)}]}
      """
    try Data(document.utf8).write(to: bundle.appending(path: "model.json"))
    return try ModelBundle(bundle.path)
  }

  /// Writes a WAV file of 16 bits and 16 kHz.
  private func write(_ samples: [Int16], to name: String) throws {
    func little<Value: FixedWidthInteger>(_ value: Value) -> Data {
      withUnsafeBytes(of: value.littleEndian) { Data($0) }
    }
    let body = samples.reduce(into: Data()) { $0 += little($1) }
    var file = Data("RIFF".utf8) + little(UInt32(36 + body.count)) + Data("WAVEfmt ".utf8)
    file += little(UInt32(16)) + little(UInt16(1)) + little(UInt16(1)) + little(UInt32(16_000))
    file += little(UInt32(32_000)) + little(UInt16(2)) + little(UInt16(16))
    file += Data("data".utf8) + little(UInt32(body.count)) + body
    let url = folder.appending(path: name)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try file.write(to: url)
  }

  private func impulse(at index: Int, of count: Int = 144) -> [Int16] {
    (0..<count).map { $0 == index ? 16_384 : 0 }
  }

  @Test func `a folder of recordings for each class is evaluated`() throws {
    try write(impulse(at: 3), to: "data/class 3/a.wav")
    try write(impulse(at: 3), to: "data/class 3/b.wav")
    try write(impulse(at: 9), to: "data/class 7/c.wav")
    try Data("not a recording".utf8).write(to: folder.appending(path: "data/class 7/notes.txt"))
    let dataset = try Dataset(contentsOf: folder.path + "/data")
    #expect(dataset.layout == .classFolders)
    #expect(dataset.samples.map(\.id) == ["class 3/a.wav", "class 3/b.wav", "class 7/c.wav"])
    let report = try EvaluationRun(dataset, options: EvaluationOptions())
      .evaluate([bundle(#""sample_rate": 16000, "samples": 144"#)], with: [.liteRT])
    #expect(report.results.map(\.predicted) == ["class 3", "class 3", "class 9"])
    #expect(report.results.map(\.isCorrect) == [true, true, false])
    #expect(report.results[0].score == 0.5)
    let top1 = report.models[0].metrics["classification"]?.values.first { $0.name == "top1" }
    #expect(top1?.value == 2.0 / 3)
  }

  @Test func `the windows of a long recording are averaged`() throws {
    // Three windows start at 0, 100 and 200; the impulse is in the first two.
    try write(impulse(at: 120, of: 400), to: "long.wav")
    for labels in [true, false] {
      let model = try ModelLoader(backends: [.liteRT])
        .makeInferenceModel(from: bundle(#""sample_rate": 16000, "step": 100"#, labels: labels))
      let evaluation = try Evaluator(try #require(model)).evaluate(
        .file(folder.path + "/long.wav"))
      let prediction = try evaluation.result.get()
      var expected = [Float](repeating: 0, count: 144)
      expected[120] = 0.5 / 3
      expected[20] = 0.5 / 3
      #expect((prediction.classification?.map(\.value) ?? prediction.values) == expected)
      switch prediction.outputs[0].value {
      case .labels(let classification): #expect(classification.map(\.value) == expected)
      case .numbers(let numbers):
        #expect(numbers[120] == .double(0.5 / 3))
        #expect(numbers[0] == .double(0))
      default: Issue.record("The mean isn't numbers.")
      }
      try FileManager.default.removeItem(atPath: folder.path + "/echo.tiobundle")
    }
  }

  @Test func `a model that keeps state starts over with each recording`() throws {
    try write((1...8).map { 3000 * $0 - 9000 }, to: "long.wav")
    let path = try bundle(#""sample_rate": 16000"#).path
    let document = """
      {"name": "Cell", "details": "", "id": "cell", "version": "1", "author": "", "license": "",
       "model": {"file": "model.tflite", "quantized": false},
       "inputs": [{"name": "x", "type": "audio", "shape": [1, 2], "sample_rate": 16000, "step": 2}],
       "outputs": [{"name": "y", "type": "array", "shape": [1, 3]}]}
      """
    try Data(document.utf8).write(to: URL(filePath: path + "/model.json"))
    let stateful =
      FileManager.default.currentDirectoryPath
      + "/Tests/Fixtures/Models/stateful.tflite"
    try FileManager.default.removeItem(atPath: path + "/model.tflite")
    try FileManager.default.copyItem(atPath: stateful, toPath: path + "/model.tflite")
    let model = try ModelLoader(backends: [.liteRT]).makeInferenceModel(from: ModelBundle(path))
    let evaluator = try Evaluator(try #require(model))
    let source = ImageSource.file(folder.path + "/long.wav")
    let first = try evaluator.evaluate(source).result.get().values
    #expect(first?.count == 3 && first != [0, 0, 0])
    for _ in 0..<3 { #expect(try evaluator.evaluate(source).result.get().values == first) }
    // Recordings that are evaluated at the same time don't mix their windows.
    let results = Mutex<[[Float]?]>([])
    DispatchQueue.concurrentPerform(iterations: 16) { _ in
      let values = try? evaluator.evaluate(source).result.get().values
      results.withLock { $0.append(values) }
    }
    #expect(results.withLock { $0 } == Array(repeating: first, count: 16))
  }

  @Test func `a report shows the waveforms of recordings`() throws {
    try write(impulse(at: 100), to: "data/class 3/a.wav")
    try write([], to: "data/class 4/empty.wav")
    let dataset = try Dataset(contentsOf: folder.path + "/data")
    let images = ReportImages(dataset)
    let picture = try images.image(of: "class 3/a.wav")
    // The line goes from the middle, row 59, to half of the height and back.
    let pixels = picture.withBytes { $0.withUnsafeBytes { Array($0) } }
    let columns = (0..<240).filter { pixels[(40 * 240 + $0) * 3] == 74 }
    #expect(columns == [168, 169])
    #expect(throws: TensorIOError.self) { try images.image(of: "class 4/empty.wav") }
  }

  @Test func `a damaged recording is an error of its row`() throws {
    try write(impulse(at: 3), to: "data/good.wav")
    try write(impulse(at: 3), to: "data/bad.wav")
    let bad = folder.path + "/data/bad.wav"
    try Data(contentsOf: URL(filePath: bad)).dropLast(20).write(to: URL(filePath: bad))
    let dataset = try Dataset(contentsOf: folder.path + "/data")
    let report = try EvaluationRun(dataset, options: EvaluationOptions())
      .evaluate([bundle(#""sample_rate": 16000, "samples": 144"#)], with: [.liteRT])
    #expect(report.results.map(\.error) == [true, false])
    #expect(report.results[0].errorDescription?.contains("its end is missing") == true)
  }

  @Test func `a folder of images and recordings has the images`() throws {
    try write(impulse(at: 3), to: "mixed/a.wav")
    try Data().write(to: folder.appending(path: "mixed/b.png"))
    let dataset = try Dataset(contentsOf: folder.path + "/mixed")
    #expect(dataset.samples.map(\.id) == ["b.png"])
  }
}
