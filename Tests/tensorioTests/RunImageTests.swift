// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TensorIOImageCodecs
import Testing

@testable import ModelCommands

/// `tensorio run` with output images, class maps and previews.
@Suite(.enabled(if: hasLiteRT, "The LiteRT library is missing; run 'make setup'."))
struct RunImageTests {
  /// An image of 6 x 8 pixels that all differ.
  private static let image = PixelBuffer(
    width: 6, height: 8, format: .rgb, bytes: (0..<144).map { UInt8(truncatingIfNeeded: $0 * 7) })

  private static let brightness = PixelBuffer(
    width: 6, height: 8, format: .gray, bytes: (0..<48).map { UInt8($0 * 5) })

  private static func layer(_ name: String, _ members: String) -> String {
    #"{"name": "\#(name)", "type": "image", \#(members)}"#
  }

  /// A model that returns its input, and the description of its input and output.
  struct Identity: Sendable, CustomTestStringConvertible {
    let model: String
    let layer: String
    var input = ""
    var output = ""
    var isQuantized = false

    var testDescription: String { "\(model) \(layer)" }

    func bundle() throws -> TemporaryBundle {
      try TemporaryBundle(
        model, quantized: isQuantized,
        inputs: [RunImageTests.layer("in", layer + input)],
        outputs: [RunImageTests.layer("out", layer + output)])
    }
  }

  private static let identities: [Identity] = ["RGB", "BGR"].flatMap { format in
    let last = #""shape": [8, 6, 3], "format": "\#(format)""#
    let first = #""shape": [3, 8, 6], "format": "\#(format)", "layout": "channels-first""#
    let standard = #"{"standard": "[-1,1]"}"#
    let own = """
      {"scale": {"r": 0.02, "g": 0.01, "b": 0.03}, "bias": {"r": -1, "g": -2, "b": 0.5}}
      """
    let back = """
      {"scale": {"r": 50, "g": 100, "b": 33.333333}, "bias": {"r": 1, "g": 2, "b": -0.5}}
      """
    return [
      Identity(model: "identity_image", layer: last),
      Identity(
        model: "identity_image", layer: last, input: #", "normalize": \#(standard)"#,
        output: #", "denormalize": \#(standard)"#),
      Identity(
        model: "identity_image", layer: last, input: #", "normalize": \#(own)"#,
        output: #", "denormalize": \#(back)"#),
      Identity(model: "identity_image_planes", layer: first),
      Identity(
        model: "identity_image_planes", layer: first, input: #", "normalize": \#(own)"#,
        output: #", "denormalize": \#(back)"#),
      Identity(model: "identity_image_uint8", layer: last, isQuantized: true),
      Identity(model: "identity_image_int8", layer: last, isQuantized: true),
      Identity(
        model: "identity_image_int8", layer: last, input: #", "normalize": \#(standard)"#,
        output: #", "denormalize": \#(standard)"#, isQuantized: true),
    ]
  }

  @Test(arguments: identities)
  func `an identity model returns its input image`(_ identity: Identity) async throws {
    let bundle = try identity.bundle()
    let source = bundle.pathBeside("in.png")
    let written = bundle.pathBeside("out.png")
    try ImageEncoder().write(Self.image, to: source)
    let result = try await CommandRunner.runWithoutTimes(
      ["run", bundle.path, source, "--output-image", "out=" + written])
    #expect(result == (0, "out  image of 6 x 8 (\(written))\n", Latencies.line))
    let decoded = try ImageDecoder().decode(contentsOf: written).rgbBytes
    // The 256 byte values are mapped to steps of 1/128 instead of 2/255.
    let allowed = identity.model.hasSuffix("int8") && !identity.input.isEmpty ? 1 : 0
    #expect(
      zip(decoded, Self.image.rgbBytes).allSatisfy { abs(Int($0) - Int($1)) <= allowed })
    #expect(decoded.count == 144)
    let validation = try await CommandRunner.run(["validate", bundle.path])
    #expect(validation == (0, "\(bundle.path): valid\n", ""))
  }

  @Test(arguments: [
    #""shape": [8, 6, 1], "format": "GRAY""#,
    #""shape": [1, 8, 6], "format": "GRAY", "layout": "channels-first""#,
  ])
  func `a gray image stays gray`(layer: String) async throws {
    let bundle = try TemporaryBundle(
      "identity_image_gray_uint8", quantized: false, inputs: [Self.layer("in", layer)],
      outputs: [Self.layer("out", layer)])
    let source = bundle.pathBeside("in.png")
    let written = bundle.pathBeside("out.png")
    try ImageEncoder().write(Self.brightness, to: source)
    let result = try await CommandRunner.runWithoutTimes(
      ["run", bundle.path, source, "--output-image", "out=" + written])
    #expect(result == (0, "out  image of 6 x 8 (\(written))\n", Latencies.line))
    #expect(try grayBytes(ofPNGAt: written) == (0..<48).map { $0 * 5 })
  }

  @Test func `layers that don't fit their model get a code and a suggestion`() async throws {
    for (model, quantized, output, code, suggestion) in [
      (
        "identity_image_planes", false, #""shape": [8, 6, 3], "format": "RGB""#,
        "element-count-mismatch", "Write [height, width, channels] as they are in the tensor."
      ),
      (
        "identity_image", false,
        #""shape": [8, 6, 3], "format": "RGB", "layout": "channels-first""#, "bad-shape",
        #"Write \"layout\": \"channels-last\", if that is how the tensor is laid out in memory."#
      ),
      (
        "identity_image_gray_uint8", false, #""shape": [6, 8, 1], "format": "GRAY""#,
        "element-count-mismatch", "Write [height, width, channels] as they are in the tensor."
      ),
      (
        "identity_image_uint8", true,
        #""shape": [8, 6, 3], "format": "RGB", "denormalize": {"standard": "[0,1]"}"#,
        "ignored-field", "Remove it."
      ),
    ] {
      let shape = model.hasSuffix("gray_uint8") ? "[1, 8, 6]" : "[1, 144]"
      let type = model.contains("uint8") ? #", "dtype": "uint8""# : ""
      let bundle = try TemporaryBundle(
        model, quantized: quantized,
        inputs: [#"{"name": "in", "type": "array", "shape": \#(shape)\#(type)}"#],
        outputs: [Self.layer("out", output)])
      let result = try await CommandRunner.run(["validate", bundle.path, "--json"])
      #expect(result.output.contains(#""code":"\#(code)""#), "\(result.output)")
      #expect(result.output.contains(#""mending":"\#(suggestion)""#), "\(result.output)")
    }
  }

  /// The pixels of a PNG file, which must be grayscale.
  private func grayBytes(ofPNGAt path: String) throws -> [UInt8] {
    let file = try Data(contentsOf: URL(filePath: path))
    #expect(file[25] == 0, "The PNG's color type is \(file[25]).")
    let bytes = try ImageDecoder().decode(contentsOf: path).rgbBytes
    return stride(from: 0, to: bytes.count, by: 3).map { bytes[$0] }
  }

  // MARK: - Class maps

  /// Scores for three classes in 8 rows of 6 pixels: class 2 in the upper half, then class 0, and
  /// class 1 in the last pixel.
  private static let scores: String = {
    let winners = (0..<48).map { $0 < 24 ? 2 : $0 < 47 ? 0 : 1 }
    return "[" + winners.map { ["1,0,0", "0,1,0", "0,0,1"][$0] }.joined(separator: ",") + "]"
  }()

  private static func segmentation(labels: Bool = true) throws -> TemporaryBundle {
    let names = labels ? #", "labels": "labels.txt""# : ""
    return try TemporaryBundle(
      "identity_image", inputs: [#"{"name": "in", "type": "array", "shape": [8, 6, 3]}"#],
      outputs: [layer("map", #""shape": [8, 6, 3], "format": "CLASSES"\#(names)"#)],
      assets: ["labels.txt": "land & sea\n<cat>\nsky\n"])
  }

  @Test func `the text output of a class map is its legend`() async throws {
    let bundle = try Self.segmentation()
    let result = try await CommandRunner.runWithoutTimes(["run", bundle.path, Self.scores])
    #expect(
      result == (
        0,
        """
        map  class map of 6 x 8 (not written; use --output-image map=FILE.png or .svg)
            50.0%  sky
            47.9%  land & sea
             2.1%  <cat>

        """, Latencies.line
      ))
    let bare = try Self.segmentation(labels: false)
    let numbers = try await CommandRunner.runWithoutTimes(["run", bare.path, Self.scores])
    #expect(
      numbers.output.hasSuffix("    50.0%  class 2\n    47.9%  class 0\n     2.1%  class 1\n"))
    let inspection = try await CommandRunner.run(["inspect", bundle.path])
    #expect(
      inspection.output.contains(
        "CLASSES; the highest of 3 scores; 3 labels ('land & sea', '<cat>', 'sky')"))
  }

  @Test func `a class map is listed in JSON and written as PNG`() async throws {
    let bundle = try Self.segmentation()
    let written = bundle.pathBeside("map.png")
    let result = try await CommandRunner.runWithoutTimes(
      ["run", bundle.path, Self.scores, "--json", "--output-image", "map=" + written])
    #expect(
      result == (
        0,
        Latencies.json(
          around: #"{"map":{"classes":["#
            + ##"{"color":"#008000","index":2,"label":"sky","share":0.5},"##
            + ##"{"color":"#000000","index":0,"label":"land & sea","share":0.4791666666666667},"##
            + ##"{"color":"#800000","index":1,"label":"<cat>","share":0.020833333333333332}],"##
            + #""height":8,"path":"\#(written)","width":6}}"#), ""
      ))
    let colors: [[UInt8]] = (0..<48).map {
      $0 < 24 ? [0, 128, 0] : $0 < 47 ? [0, 0, 0] : [128, 0, 0]
    }
    #expect(try ImageDecoder().decode(contentsOf: written).rgbBytes == colors.flatMap(\.self))
  }

  @Test func `a class map is written as SVG with its legend`() async throws {
    let bundle = try Self.segmentation()
    let written = bundle.pathBeside("map.svg")
    let result = try await CommandRunner.run(
      ["run", bundle.path, Self.scores, "--output-image", "map=" + written])
    #expect(result.status == 0)
    let text = try String(contentsOfFile: written, encoding: .utf8)
    #expect(text.hasPrefix("<svg xmlns=\"http://www.w3.org/2000/svg\""))
    #expect(text.contains("<title>map</title>"))
    let names = [">sky<", ">land &amp; sea<", ">&lt;cat&gt;<"]
    let places = names.compactMap { text.range(of: $0)?.lowerBound }
    #expect(places.count == 3 && places == places.sorted())
    #expect(text.contains(##"fill="#008000""##) && text.contains(">47.9%<"))
    let data = try #require(text.firstMatch(of: /data:image\/png;base64,([^"]+)"/))
    let png = try #require(Data(base64Encoded: String(data.1)))
    let image = try ImageDecoder().decode([UInt8](png))
    #expect((image.width, image.height) == (6, 8))
  }

  @Test func `a class map needs exactly one label for each class`() async throws {
    for (names, code) in [("a\nb\n", "too-few-labels"), ("a\nb\nc\nd\n", "too-many-labels")] {
      let bundle = try TemporaryBundle(
        "identity_image", inputs: [#"{"name": "in", "type": "array", "shape": [8, 6, 3]}"#],
        outputs: [
          Self.layer("map", #""shape": [8, 6, 3], "format": "CLASSES", "labels": "labels.txt""#)
        ], assets: ["labels.txt": names])
      let result = try await CommandRunner.run(["validate", bundle.path])
      #expect(result.status == 65)
      #expect(result.output.contains(code))
      #expect(result.output.contains("3 labels, one for each class of 'map'"), "\(result.output)")
    }
  }

  // MARK: - Previews

  @Test func `previews show what the model sees, as an image and by channel`() async throws {
    let layer = #""shape": [8, 6, 3], "format": "BGR", "#
    let crop = #""crop": {"mode": "pad", "color": {"r": 10, "g": 20, "b": 30}}, "#
    let bundle = try TemporaryBundle(
      "identity_image_uint8", quantized: true,
      inputs: [Self.layer("my/photo", layer + crop + #""resize": "opencv-area""#)],
      outputs: [Self.layer("out", #""shape": [8, 6, 3], "format": "BGR""#)])
    let folder = bundle.pathBeside("seen/by the model")
    let written = bundle.pathBeside("out.png")
    let photo = "Tests/Fixtures/Images/baseline.jpg"
    let result = try await CommandRunner.runWithoutTimes([
      "run", bundle.path, photo, "--json", "--preview", folder, "--output-image", "out=" + written,
    ])
    let paths = ["", "-red", "-green", "-blue"].map { "\(folder)/my_photo\($0).png" }
    #expect(
      result.output.contains(
        #""previews":{"my/photo":{"blue":"\#(paths[3])","green":"\#(paths[2])","#
          + #""image":"\#(paths[0])","red":"\#(paths[1])"}}"#), "\(result)")
    let seen = try ImageDecoder().decode(contentsOf: paths[0]).rgbBytes
    // The model returns its input, including the padding.
    #expect(try ImageDecoder().decode(contentsOf: written).rgbBytes == seen)
    #expect(Array(seen.prefix(3)) == [10, 20, 30])
    for (channel, path) in paths.dropFirst().enumerated() {
      #expect(
        try grayBytes(ofPNGAt: path) == stride(from: channel, to: 144, by: 3).map { seen[$0] })
    }
  }

  @Test func `a gray input has one preview`() async throws {
    let layer = #""shape": [8, 6, 1], "format": "GRAY""#
    let bundle = try TemporaryBundle(
      "identity_image_gray_uint8", inputs: [Self.layer("in", layer)],
      outputs: [Self.layer("out", layer)])
    let folder = bundle.pathBeside("seen")
    let written = bundle.pathBeside("out.png")
    let result = try await CommandRunner.run([
      "run", bundle.path, "Tests/Fixtures/Images/baseline.jpg", "--preview", folder + "/",
      "--output-image", "out=" + written,
    ])
    #expect(result.status == 0, "\(result.error)")
    #expect(result.error.hasPrefix("preview of 'in': \(folder)/in.png\n"), "\(result.error)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["in.png"])
    let seen = try grayBytes(ofPNGAt: folder + "/in.png")
    #expect(try seen == grayBytes(ofPNGAt: written))
    #expect(Set(seen).count > 4)
  }

  @Test func `the paths of the previews are printed`() async throws {
    let bundle = try TemporaryBundle.image()
    let folder = bundle.pathBeside("seen")
    let result = try await CommandRunner.runWithoutTimes([
      "run", bundle.path, "Tests/Fixtures/Images/baseline.jpg", "--preview", folder,
    ])
    let paths = ["", "-red", "-green", "-blue"].map { "\(folder)/in\($0).png" }
    #expect(
      result.error == "preview of 'in': \(paths.joined(separator: ", "))\n" + Latencies.line)
    for path in paths { #expect(FileManager.default.fileExists(atPath: path)) }
  }

  @Test func `inputs that aren't images have no previews`() async throws {
    let bundle = try TemporaryBundle("add", shape: [1])
    let folder = bundle.pathBeside("seen")
    let result = try await CommandRunner.runWithoutTimes(
      ["run", bundle.path, "2", "--json", "--preview", folder])
    #expect(result.status == 0)
    #expect(result.output.contains(#""previews":{}"#))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
    let raw = try TemporaryBundle.image()
    let file = try raw.write(Data(repeating: 7, count: 144), beside: "in.raw")
    let elements = try await CommandRunner.runWithoutTimes(
      ["run", raw.path, "@" + file, "--preview", folder])
    #expect(
      elements.error
        == "no preview of 'in': its value is a tensor, not an image\n"
        + Latencies.line)
    let blocked = try await CommandRunner.run(
      ["run", bundle.path, "2", "--preview", "Package.swift/seen"])
    #expect(blocked.status != 0 && blocked.output == "")
    #expect(blocked.error.hasPrefix("error: The folder 'Package.swift/seen' for the previews"))
  }

  @Test func `the names of previews are unique and valid on every file system`() {
    var names = PreviewNames()
    let suffixes = ["", "-red"]
    #expect(names.add("photo:0", suffixes: suffixes) == "photo_0")
    #expect(names.add("photo/0", suffixes: suffixes) == "photo_0-2")
    #expect(names.add("PHOTO_0", suffixes: suffixes) == "PHOTO_0-3")
    #expect(names.add("photo_0-red", suffixes: [""]) == "photo_0-red-2")
    #expect(names.add("../é..", suffixes: suffixes) == "_.__..")
    #expect(names.add("", suffixes: suffixes) == "input")
    #expect(PreviewNames.sanitized(String(repeating: "x", count: 300)).count == 100)
  }
}
