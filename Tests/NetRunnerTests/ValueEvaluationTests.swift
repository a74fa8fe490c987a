// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TensorIOLiteRT
import Testing

@testable import NetRunner

/// Evaluates a model that returns its 144 input values as the scores of 144 classes.
struct ValueEvaluationTests {
  private let folder: DatasetFolder

  init() throws { folder = try DatasetFolder() }

  private func bundle(_ input: String, output: String = #""labels": "labels.txt""#) throws
    -> ModelBundle
  {
    let bundle = folder.path + "/echo.tiobundle"
    try folder.write(
      (0..<144).map { "class \($0)" }.joined(separator: "\n"),
      to: "echo.tiobundle/assets/labels.txt")
    try FileManager.default.copyItem(
      atPath: FileManager.default.currentDirectoryPath
        + "/Tests/Fixtures/Models/identity_image.tflite", toPath: bundle + "/model.tflite")
    try folder.write(
      """
      {"name": "Echo", "details": "", "id": "echo", "version": "1", "author": "", "license": "",
       "model": {"file": "model.tflite", "quantized": false},
       "inputs": [{"name": "x", "shape": [1, 144], \(input)}],
       "outputs": [{"name": "echo", "type": "array", "shape": [1, 144], \(output)}]}
      """, to: "echo.tiobundle/model.json")
    return try ModelBundle(bundle)
  }

  private func report(_ bundle: ModelBundle, _ dataset: String) throws -> EvaluationReport {
    try EvaluationRun(folder.dataset(dataset)).evaluate([bundle], with: [.liteRT])
  }

  private func predicted(_ report: EvaluationReport) -> [String?] {
    report.results.map { $0.predicted ?? $0.errorDescription }
  }

  @Test func `rows of a table are classified`() throws {
    let columns = (0..<144).map { #"{"name": "c\#($0)", "mean": 1, "std": 2, "missing": 0}"# }
    let model = try bundle(
      #""type": "features", "columns": [\#(columns.joined(separator: ", "))]"#)
    try folder.write("c3,label,c143\n9,3,1\n9,class 3,10\n,9,\n", to: "t.csv")
    let report = try report(model, "t.csv")
    #expect(predicted(report) == ["class 3", "class 143", "class 0"])
    #expect(report.results.map(\.isCorrect) == [true, false, false])
  }

  /// A model that doubles a number.
  private func doubling(_ output: String) throws -> ModelBundle {
    let bundle = folder.path + "/doubling.tiobundle"
    try folder.write("low\nhigh\n", to: "doubling.tiobundle/assets/labels.txt")
    try FileManager.default.copyItem(
      atPath: FileManager.default.currentDirectoryPath + "/Tests/Fixtures/Models/scalar.tflite",
      toPath: bundle + "/model.tflite")
    try folder.write(
      """
      {"name": "Doubling", "details": "", "id": "doubling", "version": "1", "author": "",
       "license": "", "model": {"file": "model.tflite", "quantized": false},
       "inputs": [{"name": "x", "type": "array", "shape": [1]}],
       "outputs": [{"name": "y", "type": "array", "shape": [1]\(output)}]}
      """, to: "doubling.tiobundle/model.json")
    try folder.write("x,label\n0.1,0\n0.3,low\n0.2,high\n0.45,1\n0.25,low\n", to: "t.csv")
    return try ModelBundle(bundle)
  }

  @Test func `one score of two classes is a classification`() throws {
    let model = try doubling(#", "decode": {"type": "binary", "labels": "labels.txt"}"#)
    let report = try report(model, "t.csv")
    #expect(predicted(report) == ["low", "high", "low", "high", "low"])
    #expect(report.results.map(\.isCorrect) == [true, false, false, true, true])
    func value(_ name: String) -> Double? {
      report.models[0].metrics.values.flatMap(\.values).first { $0.name == name }?.value
    }
    #expect(value("top1") == 0.6)
    // Of the six pairs of a low and a high row, the scores order four.
    let area = try #require(value("roc_auc"))
    #expect(abs(area - 4.0 / 6) < 1e-9)
    // The mean of -ln of 0.8, 0.4, 0.4, 0.9 and 0.5.
    let loss = try #require(value("log_loss"))
    #expect(abs(loss - 0.5708466) < 1e-6)
  }

  @Test func `one number without labels says how two classes are described`() throws {
    let error = #expect(throws: TensorIOError.self) {
      try report(doubling(""), "t.csv")
    }
    #expect(error?.message.contains(#""decode": {"type": "binary""#) == true, "\(error as Any)")
  }

  @Test func `columns are the elements of an array in their order`() throws {
    let model = try bundle(#""type": "array""#)
    let header = (0..<144).map { "c\($0)" }.joined(separator: ",")
    func row(_ best: Int) -> String {
      (0..<144).map { $0 == best ? "2.5" : "1" }.joined(separator: ",")
    }
    try folder.write("\(header),label\n\(row(7)),7\n\(row(143)),0\n", to: "t.csv")
    #expect(try predicted(report(model, "t.csv")) == ["class 7", "class 143"])
    try folder.write("a,b,label\n1,2,3\n", to: "short.csv")
    let short = try report(model, "short.csv")
    #expect(short.results[0].errorDescription?.contains("144") == true)
  }

  @Test func `JSON lines name the input`() throws {
    let model = try bundle(#""type": "array""#)
    let values = (0..<144).map { $0 == 20 ? "1" : "0" }.joined(separator: ",")
    try folder.write(#"{"x": [\#(values)], "label": "class 20"}"#, to: "t.jsonl")
    let report = try report(model, "t.jsonl")
    #expect(report.results.map(\.isCorrect) == [true])
    #expect(report.dataset.layout == .rows)
  }

  @Test func `windows of sample files are averaged`() throws {
    let model = try bundle(#""type": "array""#)
    let values = (0..<288).map { Float($0 == 30 || $0 == 174 ? 3 : 0) }
    try folder.write(values.withUnsafeBytes { Array($0) }, to: "tiny/a.bin")
    try folder.write(Array(repeating: UInt8(1), count: 100), to: "tiny/b.bin")
    try folder.write("a.bin,144,30,576,288\nb.bin,144,1,576,288\n", to: "tiny/y_labels.csv")
    let report = try report(model, "tiny")
    // Windows begin at elements 0, 72 and 144. The first and the last have 3 at position 30, and the
    // one between has it at position 102.
    #expect(report.results[0].predicted == "class 30")
    #expect(abs((report.results[0].score ?? 0) - 2) < 1e-6)
    #expect(
      report.results[1].errorDescription?.contains("has 100 bytes, but a window has 576") == true
    )
  }

  @Test func `a reconstruction that is equal to the input has no error`() throws {
    let model = try bundle(
      #""type": "array", "quantize": {"scale": 0.5, "bias": 1}"#,
      output: #""decode": {"type": "reconstruction", "error": "mean-absolute"}"#)
    let run = try InferenceModel(bundle: model, loader: ModelLoader(backends: [.liteRT]))
    let outputs = try run.run(ModelInputs([Float](repeating: 4, count: 144)))
    #expect(outputs.count == 1)
    try folder.write(
      "\((0..<144).map { "c\($0)" }.joined(separator: ","))\n"
        + "\([String](repeating: "4", count: 144).joined(separator: ","))\n", to: "t.csv")
    let evaluator = try Evaluator(run)
    let sample = try folder.dataset("t.csv").samples[0]
    let prediction = try evaluator.evaluate(sample.source).result.get()
    #expect(prediction.values == [0])
  }
}
