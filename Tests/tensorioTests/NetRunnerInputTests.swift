// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import TensorIO
import TestSupport
import Testing

/// The page with models that take sounds, texts, rows and numbers.
@Suite(
  .enabled(if: Python.path != nil, "TENSORIO_PYTHON isn't set; see Tools/requirements.txt."))
struct NetRunnerInputTests {
  private static let rate = 16_000
  private static let transform = 286

  /// Moves a bundle to a folder of models under an identifier.
  private func add(_ bundle: TemporaryBundle, as id: String, to folder: String) throws {
    let path = "\(folder)/\(id).tiobundle"
    try FileManager.default.copyItem(atPath: bundle.path, toPath: path)
    let json = try String(contentsOfFile: path + "/model.json", encoding: .utf8)
    try json.replacing(#""id": "test""#, with: #""id": "\#(id)""#)
      .replacing(#""name": "Test""#, with: #""name": "\#(id)""#)
      .write(toFile: path + "/model.json", atomically: true, encoding: .utf8)
  }

  /// Adds models that return what they get: a spectrum, tokens, columns and sums.
  private func addModels(to folder: String) throws {
    let output = #"{"name": "echo", "type": "array", "shape": [1, 144]}"#
    let frequencies = (0..<144).map { "\($0 * Self.rate / Self.transform) Hz" }
    try add(
      TemporaryBundle(
        "identity_image",
        inputs: [
          #"""
          {"name": "sound", "type": "audio", "shape": [1, 144], "sample_rate": 16000,
           "features": {"type": "tensorflow", "frame_length": 286, "frame_step": 286, "fft_length": 286}}
          """#
        ],
        outputs: [
          #"{"name": "echo", "type": "array", "shape": [1, 144], "labels": "labels.txt"}"#
        ], assets: ["labels.txt": frequencies.joined(separator: "\n")]), as: "sound", to: folder)
    try add(
      TemporaryBundle(
        "identity_image",
        inputs: [
          #"{"name": "ids", "type": "text", "shape": [1, 144], "tokenizer": "vocab.txt"}"#
        ], outputs: [output],
        assets: ["vocab.txt": "[PAD]\n[UNK]\n[CLS]\n[SEP]\ngood\nfilm\nbad"]), as: "text",
      to: folder)
    let rest = (3..<144).map { #"{"name": "rest \#($0)", "missing": 0}"# }
    let columns =
      [
        #"{"name": "age", "mean": 40, "std": 10}"#,
        #"{"name": "heating", "values": ["gas", "oil"]}"#,
      ] + rest
    try add(
      TemporaryBundle(
        "identity_image",
        inputs: [
          #"{"name": "row", "type": "features", "shape": [1, 144], "columns": [\#(columns.joined(separator: ", "))]}"#
        ], outputs: [output]), as: "row", to: folder)
    let vector = #""type": "array", "shape": [1, 4]}"#
    let number = #""type": "array", "shape": [1, 1]}"#
    try add(
      TemporaryBundle(
        "matmul", inputs: [#"{"name": "input1", \#(vector)"#, #"{"name": "input2", \#(vector)"#],
        outputs: [#"{"name": "output1", \#(number)"#, #"{"name": "output2", \#(number)"#]),
      as: "numbers", to: folder)
  }

  /// Adds examples of the models.
  private func addExamples(to folder: String) throws {
    let image = CommandRunner.packageFolder.path + "/Demo/images/digit-3-01.png"
    for (model, example, bytes) in [
      ("sound", "silence.wav", silence()), ("digits", "three.png", try FileSystem.read(image)),
      ("row", "older.json", Data(#"{"age": 60, "heating": "oil"}"#.utf8)),
    ] {
      let examples = "\(folder)/\(model).tiobundle/examples"
      try FileManager.default.createDirectory(
        atPath: examples, withIntermediateDirectories: true)
      try bytes.write(to: URL(filePath: "\(examples)/\(example)"))
    }
  }

  /// A WAV file with one window of silence.
  private func silence() -> Data {
    let size = 2 * Self.transform
    func bytes(_ number: Int, _ count: Int) -> Data {
      Data((0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) })
    }
    // One channel of 16 bits.
    let format = bytes(1, 2) + bytes(1, 2) + bytes(Self.rate, 4) + bytes(2 * Self.rate, 4)
    return Data("RIFF".utf8) + bytes(36 + size, 4) + Data("WAVEfmt ".utf8) + bytes(16, 4) + format
      + bytes(2, 2) + bytes(16, 2) + Data("data".utf8) + bytes(size, 4) + Data(count: size)
  }

  /// Adds models that decode the pixels of a photo of 6 x 8 pixels, and one that decodes a number.
  private func addDecoders(to folder: String) throws {
    let photo =
      #"{"name": "photo", "type": "image", "shape": [8, 6, 3], "format": "RGB", "normalize": {"standard": "[0,1]"}}"#
    for (id, shape, decoder, assets) in [
      ("objects", "[8, 18]", #"{"type": "yolo", "layout": "v8", "units": "fractions"}"#, [:]),
      (
        "pose", "[8, 6, 3]", #"{"type": "heatmaps", "keypoints": 3, "skeleton": [[0, 1], [1, 2]]}"#,
        [:]
      ),
      ("depth", "[8, 18]", #"{"type": "depth", "unit": "m"}"#, [:]),
      ("far", "[18, 8]", #"{"type": "depth", "unit": "km"}"#, [:]),
      (
        "letters", "[12, 12]", #"{"type": "ctc", "labels": "letters.txt", "activation": "none"}"#,
        ["letters.txt": "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk"]
      ),
      (
        "tags", "[1, 144]", #"{"type": "multi-label", "threshold": 0.9, "labels": "tags.txt"}"#,
        ["tags.txt": (0..<144).map { "tag \($0)" }.joined(separator: "\n")]
      ),
    ] as [(String, String, String, [String: String])] {
      let output = #"{"name": "echo", "type": "array", "shape": \#(shape), "decode": \#(decoder)}"#
      try add(
        TemporaryBundle("identity_image", inputs: [photo], outputs: [output], assets: assets),
        as: id, to: folder)
    }
    try add(
      TemporaryBundle(
        "add", inputs: [#"{"name": "x", "type": "array", "shape": [1]}"#],
        outputs: [
          #"{"name": "y", "type": "array", "shape": [1], "decode": {"type": "regression", "names": ["age"], "units": ["years"]}}"#
        ]), as: "age", to: folder)
  }

  @Test(arguments: PageSize.allCases)
  func `the page shows objects, poses, depths, text, labels and numbers`(
    size: PageSize
  ) async throws {
    let models = try TemporaryFolder()
    try addDecoders(to: models.path)
    let server = try RunningServer(["--models", models.path])
    let members = try await size.use("browse_inputs.py", [server.address, "--decoders"])
    // The script writes these into the pixels of its photos.
    #expect(members["objects"] == .array([.string("1 1.00"), .string("3 0.80")]), "\(members)")
    #expect(
      members["boxes"] == .array([.string("25 20 50 40"), .string("60 70 20 20")]), "\(members)")
    #expect(members["row_lights"] == .array([.string("60 70 20 20")]), "\(members)")
    #expect(members["box_lights"] == .string("1"), "\(members)")
    #expect(members["labels_overlap"] == .bool(false), "\(members)")
    #expect(
      members["above_the_threshold"]
        == .array([.array([.string("1 1.00")]), .array([.string("25 20 50 40")])]), "\(members)")
    #expect(members["points"] == .number(3), "\(members)")
    #expect(members["bones"] == .number(2), "\(members)")
    #expect(members["depth"] == .string("18 × 8, from 0 to 1 m"), "\(members)")
    #expect(
      members["depths_of_both"]
        == .array([.string("18 × 8, from 0 to 1 m"), .string("8 × 18, from 0 to 1 km")]),
      "\(members)")
    #expect(members["pictures_of_both"] == .array([.bool(true), .bool(true)]), "\(members)")
    #expect(members["letters"] == .string("hi"), "\(members)")
    #expect(
      members["tags"] == .array([.string("tag 7 1.00"), .string("tag 70 0.95")]), "\(members)")
    #expect(members["age"] == .array([.string("age 45 years")]), "\(members)")
    #expect(members["axe"] == .array([]))
    #expect(members["console"] == .array([]))
  }

  /// The name of the band that a tone is in.
  private func band(_ index: Int) -> String { "\(index * Self.rate / Self.transform) Hz" }

  @Test(arguments: PageSize.allCases)
  func `the page runs models on a microphone, recordings, texts, rows and numbers`(
    size: PageSize
  ) async throws {
    let models = try TemporaryFolder()
    try addModels(to: models.path)
    try FileManager.default.copyItem(
      atPath: "\(CommandRunner.packageFolder.path)/Demo/digits.tiobundle",
      toPath: models.path + "/digits.tiobundle")
    try addExamples(to: models.path)
    let server = try RunningServer(["--models", models.path])
    let members = try await size.use("browse_inputs.py", [server.address])
    // The script's microphone is a tone in the middle of a band, and its file has another one.
    #expect(members["microphone"] == .string(band(18)), "\(members)")
    #expect(members["recording"] == .string(band(36)), "\(members)")
    #expect(members["dropped"] == .string(band(54)), "\(members)")
    for what in [
      "stops_listening", "draws", "hides_image_sources", "says_what_is_wrong", "shows_camera_again",
      "leaves_no_microphone_on", "opens_an_example",
    ] {
      #expect(members[what] == .bool(true), "\(what): \(members)")
    }
    #expect(members["text"] == .string("2, 4, 1, 5, 3"), "\(members)")
    #expect(members["row_of_example"] == .string("2, 0, 1, 0"), "\(members)")
    #expect(members["samples"] == .array([.string("three.png")]), "\(members)")
    #expect(members["row_at_first"] == .string("0, 1, 0, 0"), "\(members)")
    #expect(members["row"] == .string("1.5, 0, 1, 0"), "\(members)")
    #expect(members["numbers"] == .array([.string("70"), .string("56")]), "\(members)")
    #expect(members["axe"] == .array([]))
    #expect(members["console"] == .array([]))
  }

  @Test(arguments: PageSize.allCases)
  func `the form tries descriptions on recordings, texts, rows and numbers`(_ size: PageSize)
    async throws
  {
    let models = try TemporaryFolder()
    try addModels(to: models.path)
    try FileManager.default.copyItem(
      atPath: "\(CommandRunner.packageFolder.path)/Demo/digits.tiobundle",
      toPath: models.path + "/digits.tiobundle")
    try addExamples(to: models.path)
    let server = try RunningServer(["--models", models.path])
    let members = try await size.use("browse_trial.py", [server.address])
    for (what, value) in members where what != "console" && what != "axe" {
      #expect(value == .bool(true), "\(what): \(members)")
    }
    #expect(members.count == 15, "\(members.keys.sorted())")
    #expect(members["axe"] == .array([]), "\(members)")
    #expect(members["console"] == .array([]), "\(members)")
  }
}
#endif
