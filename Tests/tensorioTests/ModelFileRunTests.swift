// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import Testing

/// `tensorio run` with a model file instead of a bundle, files that aren't values, and misspelled
/// commands.
@Suite(.enabled(if: hasLiteRT, "The LiteRT library is missing; run 'make setup'."))
struct ModelFileRunTests {
  private func run(_ arguments: String...) async throws -> CommandRunner.Result {
    try await CommandRunner.run(["run"] + arguments)
  }

  @Test func `a model file that describes itself runs without a bundle`() async throws {
    let numbers = try await run("\(modelsFolder)/add.tflite", "2")
    #expect(numbers.status == 0 && numbers.output == "y  25.0\n", "\(numbers.error)")
    let image = try await run(
      "\(modelsFolder)/image_with_metadata.tflite", "Demo/images/digit-0-01.png")
    #expect(image.status == 0, "\(image.error)")
    #expect(image.output.contains("red") && image.output.contains("blue"))
  }

  @Test func `a model file that needs a description points to init`() async throws {
    let result = try await run(
      "\(modelsFolder)/identity_image.tflite", "Demo/images/digit-0-01.png")
    #expect(result.status == 65 && result.output == "")
    #expect(
      result.error.contains(
        "tensorio init \(modelsFolder)/identity_image.tflite -o identity_image.tiobundle"),
      "\(result.error)")
    let saved = try await run("\(savedModelsFolder)/vector", "2")
    #expect(saved.status == 65 && saved.error.contains("'tensorio init "), "\(saved.error)")
    let none = try await run("nothing.tflite", "2")
    #expect(none == (66, "", "error: There is no file 'nothing.tflite'.\n"))
    let bundle = try await run("nothing.tiobundle", "2")
    #expect(bundle == (66, "", "error: There is no bundle 'nothing.tiobundle'.\n"))
  }

  /// The name and first bytes of each file, and the words that describe it.
  private static let formats: [(name: String, start: [UInt8], text: String, words: String)] = [
    ("x.csv", [], "a,b", "a table of text"),
    ("x.WAV", [], "", "a sound file"),
    ("x", [], "RIFF....WAVEfmt ", "a sound file"),
    ("x.bin", [], "fLaC", "a sound file"),
    ("x", [], "OggS", "a sound file"),
    ("x", [0, 0, 0, 32], "ftypisom", "a video"),
    ("x", [0, 0, 0, 32], "ftypheic", "an image in a format"),
    ("x", [], "GIF89a", "an image in a format"),
    ("x.raw", [], "%PDF-1.7", "a document"),
    ("x", [0x50, 0x4B, 3, 4], "", "an archive"),
    ("x.npz", [0x50, 0x4B, 3, 4], "", "an archive of NumPy arrays"),
  ]

  @Test(arguments: formats.indices)
  func `a file in an unsupported format is refused as a value and its kind is named`(
    index: Int
  ) async throws {
    let (name, start, text, words) = Self.formats[index]
    let bundle = try TemporaryBundle("reverse_uint8", shape: [2, 3], dtype: "uint8")
    let file = try bundle.write(Data(start) + Data(text.utf8), beside: name)
    for value in [["@" + file], ["--input", "x=@" + file]] {
      let result = try await CommandRunner.run(["run", bundle.path] + value)
      #expect(result.status == 65 && result.output == "")
      #expect(result.error.contains("'\(file)' is \(words)"), "\(result.error)")
      #expect(result.error.contains("which can't be read as values. "), "\(result.error)")
    }
  }

  @Test(arguments: [
    (["rnu", "x"], "There is no command 'tensorio rnu'. Did you mean 'tensorio run'?"),
    (["Validate"], "Did you mean 'tensorio validate'?"),
    (["repository", "psh"], "Did you mean 'tensorio repository push'?"),
    (["\(modelsFolder)/add.tflite"], "write 'tensorio run \(modelsFolder)/add.tflite'"),
    (["frobnicate"], "'tensorio --help' describes"),
  ])
  func `a misspelled command is answered with a suggestion`(
    arguments: [String], message: String
  ) async throws {
    let result = try await CommandRunner.run(arguments)
    #expect(result.status == 64 && result.output == "")
    #expect(result.error.contains(message), "\(result.error)")
  }
}
