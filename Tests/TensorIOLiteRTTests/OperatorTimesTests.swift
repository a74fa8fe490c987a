// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TestSupport
import Testing

@testable import TensorIOLiteRT

/// Times differ from run to run, so these tests only compare what holds on every machine.
@Suite struct OperatorTimesTests {
  private let backend = LiteRTBackend()
  private static let digits = Python.root.path + "/Demo/digits.tiobundle/model.tflite"

  private static func sum(_ times: OperatorTimes) -> Duration {
    times.steps.reduce(.zero) { $0 + $1.time }
  }

  @Test func `each operator has a time with the built-in kernels`() throws {
    let times = try backend.operatorTimes(
      ofModelAt: Self.digits, with: .builtIn, runs: 20, within: .seconds(300))
    let main = try #require(ModelGraph(contentsOf: Self.digits).graphs.first)
    #expect(times.kernels == .builtIn)
    #expect(times.runs == 20)
    #expect(times.steps.map(\.index) == Array(main.operators.indices))
    #expect(times.steps.map(\.name) == main.operators.map(\.name))
    #expect(times.steps.allSatisfy { $0.graph == 0 && $0.time >= .zero })
    #expect(abs(times.steps.reduce(0) { $0 + $1.share } - 1) < 1e-9)
    #expect(Self.sum(times) > .zero && times.runTime > .zero)
  }

  @Test func `steps of XNNPACK belong to no operator`() throws {
    let times = try backend.operatorTimes(ofModelAt: Self.digits, with: .xnnpack, runs: 20)
    #expect(times.steps.contains { $0.index == nil && $0.name.hasPrefix("Convolution") })
    #expect(times.steps.allSatisfy { $0.time >= .zero && (0...1).contains($0.share) })
  }

  @Test(
    .enabled(if: Python.path != nil, "TENSORIO_PYTHON isn't set; see Tools/requirements.txt."),
    arguments: OperatorTimes.Kernels.allCases)
  func `the largest operator takes most of a run`(_ kernels: OperatorTimes.Kernels) async throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/uneven.tflite"
    try await Python.run(["Tools/make_uneven_model.py", path])
    let times = try backend.operatorTimes(ofModelAt: path, with: kernels)
    let slowest = try #require(times.steps.max { $0.time < $1.time })
    #expect(slowest.name.lowercased().replacing("_", with: " ").hasPrefix("fully connected"))
    #expect(slowest.share > 0.5)
    if kernels == .builtIn { #expect(times.steps.map(\.index) == [0, 1, 2]) }
    #expect(Self.sum(times) > times.runTime / 4 && Self.sum(times) < times.runTime * 4)
  }

  @Test func `operators of every fixture have the names of the file`() throws {
    // The others end the process. An own process runs them, in the tests of the command.
    let skipped: Set = ["crash_on_run.tflite"]
    var measured: Set<String> = []
    let folder = Fixtures.models.path()
    for name in try FileSystem.contents(of: folder)
    where name.hasSuffix(".tflite") && !skipped.contains(name) {
      do {
        let times = try backend.operatorTimes(
          ofModelAt: "\(folder)/\(name)", with: .builtIn, runs: 2)
        let graphs = try ModelGraph(contentsOf: "\(folder)/\(name)").graphs
        for step in times.steps {
          let index = try #require(step.index)
          #expect(graphs[step.graph].operators[index].name == step.name, "\(name)")
        }
        measured.insert(name)
      } catch let error as TensorIOError {
        #expect(
          [.invalidModel, .unsupportedModel, .inferenceFailed].contains(error.code),
          "\(name): \(error)")
      }
    }
    #expect(
      measured.isSuperset(of: [
        "slow.tflite", "string.tflite", "lstm_int8.tflite", "signature_order.tflite",
        "dynamic_batch.tflite", "resource_variable.tflite", "detector.tflite",
      ]))
  }

  @Test func `the body of a loop is a part of the loop`() throws {
    let times = try backend.operatorTimes(
      ofModelAt: Fixtures.model("slow.tflite"), with: .builtIn, runs: 10)
    #expect(times.steps.first?.name == "WHILE")
    #expect(times.steps.first?.share == 1)
    #expect(times.steps.contains { $0.graph > 0 })
  }

  @Test func `no run begins after the time, but one is measured`() throws {
    let times = try backend.operatorTimes(
      ofModelAt: Self.digits, with: .builtIn, runs: 1000, within: .zero)
    #expect(times.runs == 1)
  }

  @Test func `other runs have no profiler`() throws {
    let model = try backend.liteRTModel(at: Self.digits)
    let compiled = try LiteRTCompiledModel(model.file, options: SessionOptions())
    let error = #expect(throws: TensorIOError.self) {
      try LiteRTProfiler(of: compiled, in: model.library)
    }
    #expect(error?.code == .internalFault)
  }

  @Test(arguments: ["custom_op", "edgetpu", "oversized", "endless_graphs", "blockwise_crash"])
  func `a model that can't run is an error`(name: String) {
    for kernels in OperatorTimes.Kernels.allCases {
      #expect(throws: TensorIOError.self) {
        try backend.operatorTimes(ofModelAt: Fixtures.model("\(name).tflite"), with: kernels)
      }
    }
  }

  @Test func `hostile files are errors`() throws {
    let folder = Python.root.path + "/Tests/Fixtures/Hostile"
    for name in try FileSystem.contents(of: folder) where name.hasSuffix(".tflite") {
      let error = #expect(throws: TensorIOError.self, "\(name)") {
        try backend.operatorTimes(ofModelAt: "\(folder)/\(name)", with: .builtIn)
      }
      #expect(
        error.map { [.invalidModel, .unsupportedModel].contains($0.code) } == true, "\(name)")
    }
  }
}
