// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TensorIOTesting
import Testing

@testable import ModelCommands

/// The picture of a training.
struct LossPlotTests {
  /// The curve of a line that is learned.
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
       "outputs": [{"name": "loss", "type": "scalar", "shape": []}], "train": {"ops": ["step"]}}
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

  @Test func `a curve has every step and every epoch`() throws {
    let curve = try Self.curve()
    #expect(curve.name == "loss")
    #expect(curve.steps.map(\.step) == (1...40).map(Double.init))
    #expect(curve.training.map(\.step) == [8, 16, 24, 32, 40])
    #expect(curve.validation.map(\.step) == [8, 16, 24, 32, 40])
    #expect(try Self.curve(validation: false).validation.isEmpty)
  }

  @Test func `the drawing is XML with axes, curves and a legend`() throws {
    let text = try LossPlot(Self.curve()).svg()
    let parser = XMLChecker(text)
    #expect(parser.isWellFormed)
    for part in [
      "<title>loss over 40 steps</title>", ">step</text>", ">training, step</text>",
      ">training, epoch</text>", ">validation, epoch</text>", ">loss (logarithmic)</text>",
      ">0</text>", ">10</text>", ">40</text>",
    ] { #expect(text.contains(part), "\(part)") }
    #expect(try !LossPlot(Self.curve(validation: false)).svg().contains("validation"))
  }

  @Test func `the picture shows each curve in its colour`() throws {
    let picture = try LossPlot(Self.curve()).picture()
    #expect(picture.width == 1920 && picture.height == 1120)
    var counts: [[UInt8]: Int] = [:]
    picture.withBytes { bytes in
      for offset in stride(from: 0, to: bytes.byteCount, by: 3) {
        let color = (0..<3).map {
          bytes.unsafeLoad(fromByteOffset: offset + $0, as: UInt8.self)
        }
        counts[color, default: 0] += 1
      }
    }
    func count(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> Int {
      counts[[red, green, blue], default: 0]
    }
    #expect(count(0x1D, 0x4E, 0xD8) > 1000)
    #expect(count(0xEA, 0x58, 0x0C) > 1000)
    #expect(count(0xA9, 0xC4, 0xF5) > 500)
    #expect(count(255, 255, 255) > 1920 * 1120 * 9 / 10)
  }

  @Test(arguments: [
    ([0, 100], ["0", "20", "40", "60", "80", "100"]), ([0.1, 0.35], ["0.10", "0.15"]),
    ([5, 5], ["5"]), ([1e-5, 1], ["0.0001", "0.001", "0.01", "0.1", "1"]),
    ([0.02, 2], ["0.02", "0.05", "0.1", "0.2", "0.5", "1", "2"]),
    ([-1, 1], ["-1.0", "0.0", "1.0"]),
    ([1e8, 3e12], ["1e8", "1e12"]),
  ])
  func `an axis has round numbers`(values: [Double], expected: [String]) {
    let axis = PlotAxis(values, mayBeLogarithmic: true)
    let texts = axis.ticks.map(\.text)
    #expect(expected.allSatisfy(texts.contains), "\(texts)")
    #expect(Set(texts).count == texts.count)
    #expect(texts.count <= 12)
    for value in values { #expect((0...1).contains(axis.place(of: value))) }
    #expect(axis.ticks.allSatisfy { (-0.001...1.001).contains(axis.place(of: $0.value)) })
  }

  @Test func `any two values have an axis`() {
    let sizes: [Double] = [
      0, .leastNonzeroMagnitude, .leastNonzeroMagnitude * 2000, .leastNormalMagnitude, 1e-300,
      1e-299, 1e-12, 1,
      1.0.nextUp, 1 + 1e-14, 1 + 1e-10, 3, 1e12, 1e16, 1e16 + 2, 1e299, 1e300, 1e300.nextUp, 9e307,
      1e308, .greatestFiniteMagnitude,
    ]
    let values = sizes + sizes.map(-)
    for (first, second) in values.flatMap({ first in values.map { (first, $0) } }) {
      for (mayBeLogarithmic, startsAtZero) in [(true, false), (false, false), (false, true)] {
        if startsAtZero && min(first, second) < 0 { continue }
        let axis = PlotAxis(
          [first, second, first], mayBeLogarithmic: mayBeLogarithmic, startsAtZero: startsAtZero)
        for value in [first, second] {
          #expect((-1e-9...1 + 1e-9).contains(axis.place(of: value)), "\(first), \(second)")
        }
        #expect((1...14).contains(axis.ticks.count), "\(first), \(second): \(axis.ticks)")
        #expect(axis.ticks.allSatisfy { (-0.001...1.001).contains(axis.place(of: $0.value)) })
      }
    }
  }

  /// Tells whether a text is XML, as far as elements go.
  private struct XMLChecker {
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
