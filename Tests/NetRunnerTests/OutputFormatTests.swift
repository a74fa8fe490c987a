// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import Testing

@testable import NetRunner

/// Tests how outputs are shown, with values computed by hand.
@Suite struct OutputFormatTests {
  private func classification(_ values: [(String, Float)]) -> Classification {
    Classification(labels: Labels(values.map(\.0)), values: values.map(\.1))
  }

  private func prediction(_ values: [(String, Float)]) -> Prediction {
    let classification = classification(values)
    return Prediction(
      outputs: [("classification", .labels(classification))], classification: classification)
  }

  @Test func `imagenet shows five classes above 0.1, highest first`() {
    let text = ImageNetFormat().text(
      for: prediction([
        ("a", 0.11), ("b", 0.1), ("rocking chair", 0.62), ("c", 0.2), ("d", 0.2), ("e", 0.3),
        ("f", 0.15), ("g", .nan),
      ]))
    #expect(
      text == """
        (0.62) rocking chair
        (0.30) e
        (0.20) c
        (0.20) d
        (0.15) f
        """)
    #expect(ImageNetFormat().text(for: prediction([("a", 0.1)])) == "")
  }

  @Test(arguments: [
    (Float(0.125), "0.12"), (0.375, "0.38"), (0.625, "0.62"), (0.999, "1.00"), (0.285, "0.28"),
    (1, "1.00"), (0.005, "0.00"), (0.015, "0.01"), (12.345, "12.35"), (-0.001, "-0.00"),
    (-1.255, "-1.25"), (1e10, "10000000000.00"),
  ])
  func `values have two decimals, rounded as in C`(_ value: Float, _ text: String) {
    #expect(String(format: "%.2f", value) == text)
    #expect(NoDecayFormat().text(for: prediction([("x", value)])) == "(\(text)) x")
  }

  @Test func `nodecay shows all values`() {
    let text = NoDecayFormat().text(for: prediction([("a", 0.001), ("b", 0.9), ("c", -1)]))
    #expect(text == "(0.90) b\n(0.00) a\n(-1.00) c")
    let infinite = NoDecayFormat().text(for: prediction([("a", .infinity)]))
    #expect(infinite == "(inf) a")
  }

  @Test func `the default shows all outputs as a property list`() {
    let labels = Labels(["back", "dog \"x\""])
    let map = ClassMap(width: 2, height: 2, classes: [1, 1, 1, 0], labels: labels)
    let prediction = Prediction(outputs: [
      ("classification", .labels(classification([("zebra", 0.25), ("rocking chair", 0.5)]))),
      ("pose", .numbers([.float(0.5), .integer(-3), .double(1e300), .bool(true)])),
      ("price", .number(.float(3))),
      ("an image", .image(PixelBuffer(width: 2, height: 1, format: .gray, bytes: [0, 1]))),
      ("map", .classMap(map)),
      ("raw", .bytes(Data([1, 2]), .uint8)),
      ("words", .strings([Data("a\nb".utf8), Data("c".utf8)])),
      ("list", .list([.number(.integer(1)), .numbers([])])),
    ])
    #expect(
      PropertyListFormat().text(for: prediction) == """
        {
          classification = {
            "rocking chair" = 0.5;
            zebra = 0.25;
          };
          pose = (0.5, -3, 1e+300, true);
          price = 3;
          "an image" = <2 x 1 image>;
          map = {
            "dog \\"x\\"" = 0.75;
            back = 0.25;
          };
          raw = <2 bytes, uint8>;
          words = ("a\\nb", c);
          list = (1, ());
        }
        """)
    #expect(PropertyListFormat().text(for: Prediction()) == "{}")
    let long = Prediction(outputs: [("x", .numbers((0..<103).map { .integer($0) }))])
    #expect(PropertyListFormat().text(for: long).contains("99, and 3 more)"))
    #expect(ImageNetFormat().text(for: long) == PropertyListFormat().text(for: long))
  }

  // MARK: - Names

  private struct Shout: OutputFormat {
    let decays = false
    func text(for prediction: Prediction) -> String { "!" }
  }

  private func manifest(type: String?, format: String?) throws -> ModelManifest {
    let folder = try DatasetFolder(["x.tiobundle/m.tflite": ""])
    let model = type.map { ", \"type\": \"\($0)\"" } ?? ""
    let options = format.map { ", \"options\": {\"output_format\": \"\($0)\"}" } ?? ""
    try folder.write(
      """
      {"name": "n", "details": "d", "id": "i", "version": "1", "author": "a", "license": "l",
       "model": {"file": "m.tflite", "quantized": false\(model)},
       "inputs": [{"name": "x", "type": "array", "shape": [1]}],
       "outputs": [{"name": "y", "type": "array", "shape": [1]}]\(options)}
      """, to: "x.tiobundle/model.json")
    return try ModelBundle(folder.path + "/x.tiobundle").manifest
  }

  @Test(arguments: [
    (nil, nil, "PropertyListFormat"),
    ("image.classification.imagenet", nil, "ImageNetFormat"),
    ("image.classification.imagenet", "nodecay", "NoDecayFormat"),
    ("image.classification.imagenet", "default", "PropertyListFormat"),
    (nil, "imagenet", "ImageNetFormat"), ("other", nil, "PropertyListFormat"),
    ("image.classification.imagenet", "other", "ImageNetFormat"), ("shout", nil, "Shout"),
    ("image.classification.imagenet", "image.classification.nodecay", "NoDecayFormat"),
    ("image.classification.nodecay", nil, "NoDecayFormat"), ("x", "y", "PropertyListFormat"),
    ("image.classification.imagenet", "shout", "Shout"),
  ])
  func `output_format decides first, then the type`(
    _ type: String?, _ format: String?, _ expected: String
  ) throws {
    var formats = OutputFormats()
    formats.register(Shout(), named: "shout")
    let found = try formats.format(for: manifest(type: type, format: format))
    #expect("\(Swift.type(of: found))" == expected)
    #expect(
      formats.names == [
        "default", "image.classification.imagenet", "image.classification.nodecay", "imagenet",
        "nodecay", "shout",
      ])
  }

  @Test func `for an unknown output_format, a warning says what is shown instead`() throws {
    let formats = OutputFormats()
    let known = try manifest(type: "mine", format: "image.classification.nodecay")
    #expect(formats.warning(for: known) == nil)
    #expect(try formats.warning(for: manifest(type: "mine", format: nil)) == nil)
    let other = try manifest(type: "image.classification.imagenet", format: "nodecey")
    let warning = try #require(formats.warning(for: other))
    #expect(warning.severity == .warning)
    #expect(warning.path == "options.output_format")
    #expect(warning.found == "\"nodecey\"")
    #expect(warning.expected.contains("\"nodecay\""))
    #expect(warning.suggestion.contains("as \"image.classification.imagenet\""))
  }

  // MARK: - Live decay

  @Test func `values fade by 0.7 and 0.3`() {
    var decay = LiveDecay()
    let first = decay.apply(classification([("a", 1), ("b", 0), ("c", 0.005)]), from: "camera")
    #expect(first == classification([("a", 1), ("b", 0), ("c", 0.005)]))
    // b: 0.3 * 1; c: 0.7 * 0.005 + 0.3 * 0.01 = 0.0065, dropped.
    let second = decay.apply(classification([("a", 0), ("b", 1), ("c", 0.01)]), from: "camera")
    #expect(second.map(\.label) == ["a", "b"])
    #expect(abs(second[0].value - 0.7) < 1e-6)
    #expect(abs(second[1].value - 0.3) < 1e-6)
    // c starts from 0, not from 0.0065: 0.3 * 0.5 = 0.15.
    let third = decay.apply(classification([("a", 0), ("b", 1), ("c", 0.5)]), from: "camera")
    #expect(third.map(\.label) == ["a", "b", "c"])
    #expect(abs(third[0].value - 0.49) < 1e-6)
    #expect(abs(third[1].value - 0.51) < 1e-6)
    #expect(abs(third[2].value - 0.15) < 1e-6)
    #expect(ImageNetFormat.best(of: third).map(\.label) == ["b", "a", "c"])
  }

  @Test func `a class below the threshold grows over several images`() {
    var decay = LiveDecay()
    _ = decay.apply(classification([("a", 1), ("b", 0)]), from: "x")
    let values = (0..<3).map { _ in
      decay.apply(classification([("a", 0.8), ("b", 0.2)]), from: "x")[label: "b"] ?? 0
    }
    // 0.06, 0.102, 0.1314
    #expect(zip(values, [0.06, 0.102, 0.1314]).allSatisfy { abs($0 - Float($1)) < 1e-6 })
  }

  @Test func `another source or a reset discards earlier values`() {
    var decay = LiveDecay()
    _ = decay.apply(classification([("a", 1)]), from: "back")
    #expect(decay.apply(classification([("a", 0)]), from: "front")[0].value == 0)
    _ = decay.apply(classification([("a", 1)]), from: "front")
    decay.reset()
    #expect(decay.apply(classification([("a", 0)]), from: "front")[0].value == 0)
  }

  @Test func `missing labels fade out, and repeated labels have their last value`() {
    var decay = LiveDecay()
    _ = decay.apply(classification([("z", 1), ("y", 0.5)]), from: "x")
    let next = decay.apply(classification([("crane", 1), ("crane", 0.5)]), from: "x")
    #expect(next.map(\.label) == ["crane", "y", "z"])
    #expect(zip(next, [0.15, 0.35, 0.7]).allSatisfy { abs($0.value - Float($1)) < 1e-6 })
    let broken = decay.apply(classification([("z", .nan)]), from: "x")
    #expect(broken.map(\.label) == ["crane", "y"])
    #expect(decay.apply(classification([("z", 1)]), from: "x")[label: "z"] == 0.3)
  }

  @Test func `only formats that fade change a prediction`() {
    var decay = LiveDecay()
    for format in [ImageNetFormat(), NoDecayFormat()] as [any OutputFormat] {
      decay.reset()
      _ = decay.apply(prediction([("a", 1)]), shownAs: format, from: "x")
      let next = decay.apply(prediction([("a", 0)]), shownAs: format, from: "x")
      #expect(format.text(for: next) == (format.decays ? "(0.70) a" : "(0.00) a"))
    }
  }
}
