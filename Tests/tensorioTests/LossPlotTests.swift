// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TestSupport
import Testing

@testable import TensorIOCommandLine

/// The plot of a training run.
struct LossPlotTests {
  /// The loss curve of a model that learns a line.
  private static func curve(validation: Bool = true) throws -> LossCurve {
    let folder = try TemporaryFolder()
    let path = folder.path + "/line.tiobundle"
    try FileManager.default.createDirectory(
      atPath: path + "/train", withIntermediateDirectories: true)
    try Data().write(to: URL(filePath: path + "/train/saved_model.pb"))
    let numbers = #""type": "array", "shape": [-1, 1]"#
    try Data(
      """
      {"name": "Line", "details": "", "id": "line", "version": "1", "author": "", "license": "",
       "model": {"file": "train", "quantized": false, "modes": ["train"]},
       "inputs": [{"name": "x", \(numbers)}, {"name": "target", \(numbers)}],
       "outputs": [{"name": "y", \(numbers)}, {"name": "loss", "type": "scalar", "shape": []}], "train": {"ops": ["step"]}}
      """.utf8
    ).write(to: URL(filePath: path + "/model.json"))
    let model = try TrainableModel(at: path, loader: ModelLoader(backends: [LineBackend()]))
    var options = TrainingOptions(epochs: 5, batchSize: 4)
    options.validationShare = validation ? 0.25 : 0
    let items: [Batch.Item] = (0..<40).map {
      let x = Float($0) / 20 - 1
      return ["x": x, "target": 2 * x + 1]
    }
    var curve = LossCurve()
    try Trainer(model, data: items, options: options).train(
      onStep: { curve.add($0) }, onEpoch: { curve.add($0) })
    return curve
  }

  @Test func `a curve has a point for every step and every epoch`() throws {
    let curve = try Self.curve()
    #expect(curve.name == "loss")
    #expect(curve.steps.map(\.step) == (1...40).map(Double.init))
    #expect(curve.training.map(\.step) == [8, 16, 24, 32, 40])
    #expect(curve.validation.map(\.step) == [8, 16, 24, 32, 40])
    #expect(try Self.curve(validation: false).validation.isEmpty)
  }

  @Test func `the plot is well-formed XML with axes, curves and a legend`() throws {
    let text = try LossPlot(Self.curve()).svg
    let parser = XMLChecker(text)
    #expect(parser.isWellFormed)
    for part in [
      "<title>loss over 40 steps</title>", ">step</text>", ">training, step</text>",
      ">training, epoch</text>", ">validation, epoch</text>", ">loss (logarithmic)</text>",
      ">0</text>", ">10</text>", ">40</text>",
      "stroke=\"#a9c4f5\"", "stroke=\"#1d4ed8\"", "stroke=\"#ea580c\"",
    ] { #expect(text.contains(part), "\(part)") }
    #expect(try !LossPlot(Self.curve(validation: false)).svg.contains("validation"))
  }

  /// Checks that the elements of an XML text are balanced.
  struct XMLChecker {
    let isWellFormed: Bool

    init(_ text: String) {
      var open: [Substring] = []
      var isRight = true
      for match in text.matches(of: /<(\/?)([a-z]+)([^<>]*?)(\/?)>/) {
        if !match.4.isEmpty { continue }
        if match.1.isEmpty {
          open.append(match.2)
        } else if open.popLast() != match.2 {
          isRight = false
        }
      }
      isWellFormed = isRight && open.isEmpty
    }
  }
}
