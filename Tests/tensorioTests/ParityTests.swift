// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TensorIODecoding
import TensorIOImageCodecs
import Testing

@testable import ModelTools

/// `tensorio parity` with committed tensors of TensorFlow and OpenCV, and its errors.
struct ParityTests {
  private static let folder = "Tests/Fixtures/Parity/"
  private static let image = folder + "texture.jpg"

  private static func bytes() throws -> PlaceholderBundle {
    try PlaceholderBundle(quantized: true, shape: "[48, 48, 3]")
  }

  private static func run(
    _ bundle: PlaceholderBundle, _ words: String...
  ) async throws -> CommandRunner.Result {
    try await CommandRunner.run(["parity", bundle.path, image] + words)
  }

  @Test(arguments: [
    ("fast-dct", ["decode": "JPEG with the fast DCT"]),
    ("plain-upsampling", ["decode": "JPEG without fancy upsampling"]),
    ("reduced", ["decode": "JPEG decoded at 1/2 of its size"]),
    ("opencv-linear", ["resize": "opencv-linear"]),
    ("opencv-area", ["resize": "opencv-area"]),
    (
      "tf-bilinear",
      [
        "resize": "tf-bilinear",
        "quantization": "float32 (floats)",
      ]
    ),
    ("tf1-bilinear", ["resize": "tf1-bilinear", "quantization": "float32 (floats)"]),
    ("imread", ["crop": "stretch", "resize": "opencv-linear", "channel order": "BGR"]),
  ])
  func `a difference from another library is attributed to the right stages`(
    _ file: String, _ differences: [String: String]
  ) async throws {
    let (status, answer) = try await ParityAnswer.of(
      Self.bytes(), Self.image, against: "\(Self.folder)\(file).npy")
    #expect(answer.differences == differences, "\(answer.message ?? "")")
    #expect(answer.explained && status == 1)
  }

  @Test func `an unknown resize method isn't reported as a known one`() async throws {
    let (status, answer) = try await ParityAnswer.of(
      Self.bytes(), Self.image, against: Self.folder + "no-such-method.npy")
    #expect(status == 1 && !answer.explained && answer.differences.isEmpty)
    #expect(answer.message?.contains("no known variant explains it") == true)
  }

  /// `Resize(256)` followed by `CenterCrop` would first scale such an image to 256 x 7,680,000.
  @Test(arguments: ["1x30000.png", "30000x1.jpg"])
  func `an extremely narrow image can be compared without exhausting memory`(_ file: String)
    async throws
  {
    let image = "Tests/Fixtures/Images/" + file
    let theirs = try PlaceholderBundle(#""normalize": {"standard": "[0,1]"}, "crop": "stretch""#)
    let array = theirs.pathBeside("theirs.npy")
    let written = try await CommandRunner.run(["parity", theirs.path, image, "--write", array])
    #expect(written == (0, "", ""))
    let bundle = try PlaceholderBundle(#""normalize": {"standard": "[0,1]"}"#)
    let (status, answer) = try await ParityAnswer.of(bundle, image, against: array)
    #expect(status == 1 && answer.explained && answer.stages.count == 7)
  }

  @Test func `framing skips scaled sizes beyond 16 times the target and four million pixels`() {
    let short = Framing.shortSide(256)
    #expect(short.frame(of: (1, 30000), in: (224, 224)) == nil)
    #expect(short.frame(of: (30000, 1), in: (224, 224)) == nil)
    let frame = short.frame(of: (100, 1000), in: (224, 224))
    #expect(frame?.scaledWidth == 256 && frame?.scaledHeight == 2560)
    #expect(short.frame(of: (4000, 2000), in: (8, 8))?.scaledWidth == 512)
    #expect(Framing.shortSide(1024).frame(of: (100, 1000), in: (1024, 1024)) != nil)
  }

  @Test func `variants that can't be told apart are reported in the same order by every process`()
    async throws
  {
    let pixels = PixelBuffer(
      width: 12, height: 16, format: .rgb,
      bytes: (0..<576).map { UInt8($0 * 37 % 251) })
    let area = try PlaceholderBundle(
      quantized: true, shape: "[8, 6, 3]", #""resize": "opencv-area""#)
    let image = area.pathBeside("half.png")
    try ImageEncoder().write(pixels, to: image)
    let array = area.pathBeside("theirs.npy")
    let written = try await CommandRunner.run(["parity", area.path, image, "--write", array])
    #expect(written == (0, "", ""))
    let bundle = try PlaceholderBundle(quantized: true, shape: "[8, 6, 3]")
    let words = ["parity", bundle.path, image, "--against", array]
    let first = try await CommandRunner.run(words)
    #expect(
      first.output.contains(
        "looks like opencv-linear instead of pillow-bilinear "
          + "(can't be told apart from: opencv-area; "),
      "\(first.output)")
    for _ in 0..<8 { #expect(try await CommandRunner.run(words) == first) }
  }

  // MARK: - Whole outputs

  @Test func `equal tensors are reported as equal`() async throws {
    let bundle = try Self.bytes()
    let result = try await Self.run(bundle, "--against", Self.folder + "same.npy")
    #expect(result == (0, "equal: the largest difference is 0.0 (tolerance 0)\n", ""))
  }

  @Test func `differences within the tolerance count as equal`() async throws {
    let bundle = try Self.bytes()
    let words = [Self.image, "--against", Self.folder + "fast-dct.npy", "--tolerance"]
    let near = try await CommandRunner.run(["parity", bundle.path] + words + ["10"])
    #expect(near.status == 0 && near.output.hasPrefix("equal: the largest difference is "))
    let far = try await CommandRunner.run(["parity", bundle.path] + words + ["0"])
    #expect(far.status == 1)
  }

  @Test func `the report has a table, the first difference and the numbers`() async throws {
    let bundle = try Self.bytes()
    let theirs = Self.folder + "imread.npy"
    let result = try await Self.run(bundle, "--against", theirs)
    #expect(result.status == 1 && result.error == "")
    let lines = result.output.split(separator: "\n").map(String.init)
    try #require(lines.count == 12)
    #expect(
      lines.prefix(10) == [
        "the tensor of '\(Self.image)' differs between '\(theirs)' and '\(bundle.path)':",
        "  stage          result",
        "  decode         same",
        "  orientation    same",
        "  crop           differs  looks like stretch instead of center",
        "  resize         differs  looks like opencv-linear instead of pillow-bilinear",
        "  channel order  differs  looks like BGR instead of RGB",
        "  normalization  same",
        "  quantization   same",
        "first difference: crop: looks like stretch instead of center. Write \"crop\": \"stretch\" "
          + "in model.json, or change the Python code.",
      ])
    #expect(lines[10].hasPrefix("largest difference "))
    #expect(lines[10].hasSuffix(" of 6912 elements differ by more than 0"))
    #expect(lines[11] == "unexplained rest: 0.000 bytes rms")
  }

  // MARK: - Writing

  @Test func `a tensor that parity writes is equal to its bundle's own`() async throws {
    for (quantized, layer) in [
      (true, ""), (false, #""normalize": {"standard": "[-1,1]"}"#),
      (false, #""resize": "tf-bilinear""#),
    ] {
      let bundle = try PlaceholderBundle(quantized: quantized, shape: "[-1, 48, 40, 3]", layer)
      let file = bundle.pathBeside("ours.npy")
      let written = try await Self.run(bundle, "--write", file)
      #expect(written == (0, "", ""))
      let tensor = try NumPyFile(file).tensor
      #expect(tensor.shape == [48, 40, 3] && tensor.dataType == (quantized ? .uint8 : .float32))
      let result = try await Self.run(bundle, "--against", file, "--tolerance", "0")
      #expect(result == (0, "equal: the largest difference is 0.0 (tolerance 0)\n", ""))
    }
  }

  @Test(.enabled(if: hasLiteRT, "The LiteRT library is missing; run 'make setup'."))
  func `the written tensor has the model's data type and shape`() async throws {
    let folder = try TemporaryFolder()
    let file = folder.path + "/ours.npy"
    let result = try await CommandRunner.run([
      "parity", "Demo/digits-int8.tiobundle", "Demo/images/digit-7-01.png", "--write", file,
    ])
    #expect(result == (0, "", ""))
    let tensor = try NumPyFile(file).tensor
    #expect(tensor.dataType == .int8 && tensor.shape == [32, 32, 3])
  }

  @Test(arguments: DataType.allCases.filter { $0 != .string })
  func `a tensor written as a NumPy file is read back unchanged`(_ dataType: DataType) throws {
    let folder = try TemporaryFolder()
    for shape in [[], [4], [2, 2], [1, 2, 2]] {
      let count = shape.reduce(1, *) * dataType.byteWidth
      let bytes = (0..<count).map { UInt8($0 & 1) }
      let tensor = try Tensor(copying: bytes.span.bytes, dataType: dataType, shape: shape)
      let path = folder.path + "/\(shape.count).npy"
      try NumPyFile.write(tensor, to: path)
      #expect(try NumPyFile(path).tensor == tensor)
      let size = try Data(contentsOf: URL(filePath: path)).count
      #expect((size - count) % 64 == 0)
    }
  }

  @Test(arguments: DataType.allCases)
  func `NumPy has a type for every data type except strings`(_ dataType: DataType) {
    #expect((NumPyFile.words[dataType] == nil) == (dataType == .string))
  }

  @Test func `the JSON of a written tensor is one object with its path, type and shape`()
    async throws
  {
    let bundle = try Self.bytes()
    let file = bundle.pathBeside("ours.npy")
    let words = ["parity", bundle.path, Self.image, "--write", file, "--json"]
    let alone = try await CommandRunner.run(words)
    let ours = #""ours":{"dtype":"uint8","shape":[48,48,3]}"#
    #expect(
      alone == (
        0,
        #"{"bundle":"\#(bundle.path)","image":"\#(Self.image)","input":"image",\#(ours),"#
          + #""written":"\#(file)"}"# + "\n", ""
      ))
    let compared = try await CommandRunner.run(words + ["--against", Self.folder + "same.npy"])
    #expect(compared.status == 0)
    #expect(compared.output.contains(ours) && compared.output.contains(#""written":"\#(file)""#))
    let unwritten = try await CommandRunner.run(
      words.filter { $0 != "--write" && $0 != file } + ["--against", Self.folder + "same.npy"])
    #expect(unwritten.output.contains(#""written":null"#))
  }

  // MARK: - Errors

  private static func write(_ shape: [Int], beside bundle: PlaceholderBundle) throws -> String {
    let path = bundle.pathBeside("theirs.npy")
    let values = (0..<shape.reduce(1, *)).map { Float($0 % 7) }
    try NumPyFile.write(Tensor(values, shape: shape), to: path)
    return path
  }

  @Test(arguments: [
    ([1, 32, 32, 3], "Save the array that goes into set_tensor, for one image."),
    ([2, 48, 40, 3], "Save one image of the batch of 2: array[:1]."),
    ([5760], "Save the array with its axes, before it is flattened."),
    ([40, 48, 3], "Height and width may be swapped in the Python code."),
    ([48, 40, 4], "Save the array that goes into set_tensor, for one image."),
  ])
  func `a wrong shape is an error that names both shapes and a suggestion`(
    _ shape: [Int], _ suggestion: String
  ) async throws {
    let bundle = try PlaceholderBundle(shape: "[48, 40, 3]")
    let path = try Self.write(shape, beside: bundle)
    let result = try await Self.run(bundle, "--against", path)
    #expect(
      result == (
        65, "",
        "error: '\(path)' has the shape \(shape), but 'image' takes [48, 40, 3]. \(suggestion)\n"
      ))
  }

  @Test func `values that aren't finite are counted in the error`() async throws {
    let bundle = try PlaceholderBundle(shape: "[2, 2, 3]")
    let path = bundle.pathBeside("theirs.npy")
    let values = [Float](repeating: 1, count: 10) + [.nan, .infinity]
    try NumPyFile.write(Tensor(values, shape: [2, 2, 3]), to: path)
    let result = try await Self.run(bundle, "--against", path)
    #expect(
      result == (
        65, "",
        "error: '\(path)' has 2 values out of 12 that aren't finite, but 'image' takes pixels. "
          + "Look for a division by zero in the Python code.\n"
      ))
  }

  @Test func `wrong arguments and missing files are refused`() async throws {
    let bundle = try Self.bytes()
    let nothing = try await CommandRunner.run(["parity", bundle.path, Self.image])
    #expect(nothing.status == 64 && nothing.error.contains("Pass --against THEIRS.npy"))
    for words in [["--tolerance=-1"], ["--tolerance", "-1"]] {
      let negative = try await CommandRunner.run(
        ["parity", bundle.path, Self.image, "--against", "x.npy"] + words)
      #expect(negative.status == 64)
      #expect(negative.error.contains("--tolerance takes 0 or a positive number, got -1.0."))
    }
    let missing = try await Self.run(bundle, "--against", "missing.npy")
    #expect(missing == (66, "", "error: There is no file 'missing.npy'.\n"))
    let image = try await CommandRunner.run([
      "parity", bundle.path, "missing.jpg", "--write", "x.npy",
    ])
    #expect(image == (66, "", "error: There is no file 'missing.jpg'.\n"))
  }

  @Test func `--input chooses one of several image inputs`() async throws {
    func layer(_ name: String) -> String {
      #"{"name": "\#(name)", "type": "image", "shape": [48, 48, 3], "format": "RGB"}"#
    }
    let number = #"{"name": "n", "type": "array", "shape": [1]}"#
    let two = try PlaceholderBundle(quantized: true, inputs: [layer("a"), number, layer("b")])
    let words = ["parity", two.path, Self.image, "--against", Self.folder + "same.npy"]
    let unnamed = try await CommandRunner.run(words)
    #expect(
      unnamed == (
        65, "",
        "error: '\(two.path)' has 2 image inputs. Pass --input with one of 'a', 'b'.\n"
      ))
    let wrong = try await CommandRunner.run(words + ["--input", "n"])
    #expect(wrong == (65, "", "error: '\(two.path)' has no image input 'n'; it has 'a', 'b'.\n"))
    let right = try await CommandRunner.run(words + ["--input", "b"])
    #expect(right.status == 0)
    let none = try PlaceholderBundle(inputs: [number])
    let result = try await Self.run(none, "--write", "x")
    #expect(
      result == (
        65, "",
        "error: '\(none.path)' has no image input and no audio input. parity compares images and "
          + "recordings.\n"
      ))
  }
}
