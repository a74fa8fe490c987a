// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TensorIOImageCodecs
import TestSupport
import Testing

/// `tensorio run` with files: JSON, NumPy arrays, images and raw bytes, and with output images.
@Suite(.enabled(if: hasLiteRT, "The LiteRT library is missing; run 'make setup'."))
struct RunFileTests {
  private func json(_ arguments: String...) async throws -> CommandRunner.Result {
    try await CommandRunner.runWithoutTimes(["run", "--json"] + arguments)
  }

  /// The bytes of a file that NumPy's `save` writes.
  private func numPy(
    _ word: String, shape: String, _ bytes: [UInt8], fortranOrder: Bool = false, version: UInt8 = 1
  ) -> Data {
    let order = fortranOrder ? "True" : "False"
    var header = "{'descr': '\(word)', 'fortran_order': \(order), 'shape': \(shape), }"
    let start = version == 1 ? 10 : 12
    header += String(repeating: " ", count: 63 - (start + header.utf8.count) % 64) + "\n"
    let length = header.utf8.count
    var data = Data([0x93] + Array("NUMPY".utf8) + [version, 0])
    data += [UInt8(length & 255), UInt8(length >> 8)] + (version == 1 ? [] : [0, 0])
    return data + Array(header.utf8) + bytes
  }

  private func bytes<Number>(of numbers: [Number]) -> [UInt8] {
    numbers.withUnsafeBytes { [UInt8]($0) }
  }

  // MARK: - Files

  @Test func `a JSON file is read like a JSON value`() async throws {
    let bundle = try TemporaryBundle("reverse_int32", shape: [2, 3], dtype: "int32")
    let wanted = Latencies.json(around: #"{"y":[3,2,1,6,5,4]}"#)
    for text in ["[1, 2, 3, 4, 5, 6]", #"{"x": [[1, 2, 3], [4, 5, 6]]}"#] {
      let file = try bundle.write(Data(text.utf8), beside: "value.json")
      #expect(try await json(bundle.path, "@" + file) == (0, wanted, ""))
    }
    let file = try bundle.write(Data("[[1, 2, 3], [4, 5, 6]]".utf8), beside: "value.json")
    #expect(try await json(bundle.path, "--input", "x=@" + file) == (0, wanted, ""))
    try bundle.write(Data("[1, 2".utf8), beside: "value.json")
    #expect(
      try await CommandRunner.run(["run", bundle.path, "@" + file])
        == (
          65, "",
          "error: '\(file)' is not JSON: line 1, column 6: the document ends here, but ',' or "
            + "']' was expected.\n"
        ))
  }

  @Test func `a NumPy file is a tensor`() async throws {
    let bundle = try TemporaryBundle("reverse_int32", shape: [2, 3], dtype: "int32")
    let wanted = Latencies.json(around: #"{"y":[3,2,1,6,5,4]}"#)
    let files = [
      numPy("<i4", shape: "(2, 3)", bytes(of: [Int32](1...6))),
      numPy("<i4", shape: "(6,)", bytes(of: [Int32](1...6)), version: 2),
      numPy("<i8", shape: "(2, 3)", bytes(of: [Int64](1...6))),
      numPy("|u1", shape: "(1, 6)", [UInt8](1...6), version: 3),
      numPy("<f4", shape: "(2, 3)", bytes(of: (1...6).map(Float.init))),
      numPy("<f8", shape: "(3, 2)", bytes(of: (1...6).map(Double.init))),
      numPy("<f2", shape: "(6,)", bytes(of: (1...6).map { Float16($0) })),
    ]
    for data in files {
      let file = try bundle.write(data, beside: "x.npy")
      #expect(try await json(bundle.path, "@" + file) == (0, wanted, ""))
      #expect(try await json(bundle.path, "--input", "x=@" + file) == (0, wanted, ""))
      #expect(try await json(bundle.path, #"{"x": "@\#(file)"}"#) == (0, wanted, ""))
    }
  }

  @Test func `a NumPy file needs no @, and "-" is standard input`() async throws {
    let bundle = try TemporaryBundle("reverse_int32", shape: [2, 3], dtype: "int32")
    let folder = try TemporaryFolder()
    let path = folder.path + "/six.npy"
    try numPy("<i4", shape: "(2, 3)", bytes(of: [Int32](1...6))).write(to: URL(filePath: path))
    let expected = try await CommandRunner.runWithoutTimes([
      "run", bundle.path, "@" + path, "--json",
    ])
    #expect(expected.status == 0 && expected.output.contains("6"), "\(expected)")
    try #expect(
      await CommandRunner.runWithoutTimes(["run", bundle.path, path, "--json"]) == expected)
    let command = "'\(CommandRunner.binary.path)' run '\(bundle.path)' - --json"
    for source in ["cat '\(path)'", "echo '[[1, 2, 3], [4, 5, 6]]'"] {
      let process = try ChildProcess(
        "/bin/sh", ["-c", "\(source) | \(command)"], in: CommandRunner.packageFolder.path)
      let result = await process.finish()
      #expect(result.status == 0, "\(result.error)")
      #expect(result.output.contains(#""outputs""#) && result.output.contains("6"))
    }
    let image = try await CommandRunner.run(
      ["run", "Demo/digits.tiobundle", "-"], input: "nonsense")
    #expect(image.status == 65)
    #expect(image.error.hasPrefix("error: Standard input is neither JSON ("), "\(image.error)")
    try #expect(
      await CommandRunner.run(["run", bundle.path, "-"], input: "[[1,2,3],[4,5,6]]").status == 0)
  }

  @Test func `an unreadable NumPy file is an error that says why`() async throws {
    let bundle = try TemporaryBundle("reverse_int32", shape: [2, 3], dtype: "int32")
    let six = bytes(of: [Int32](1...6))
    let cases: [(Data, String)] = [
      (Data("not NumPy's at all".utf8), "it doesn't start with NumPy's magic bytes"),
      (numPy("<i4", shape: "(2, 3)", six).prefix(40), "its header is incomplete"),
      (
        numPy(">i4", shape: "(2, 3)", six),
        "elements of type '>i4' aren't supported; save array.astype('<i4')"
      ),
      (
        numPy("<u8", shape: "(3,)", six),
        "elements of type '<u8' aren't supported; save array.astype('int64')"
      ),
      (
        numPy("<c8", shape: "(3,)", six),
        "elements of type '<c8' aren't supported; save array.astype('float32')"
      ),
      (
        numPy("<i4", shape: "(2, 3)", six, fortranOrder: true),
        "it is in Fortran order; save numpy.ascontiguousarray(array) instead"
      ),
      (
        numPy("<i4", shape: "(2, 4)", six),
        "shape [2, 4] of int32 takes 32 bytes, but the file has 24"
      ),
      (
        numPy("<i4", shape: "(4611686018427387904, 4)", six),
        "its shape [4611686018427387904, 4] is impossible"
      ),
    ]
    for (data, reason) in cases {
      let file = try bundle.write(data, beside: "x.npy")
      #expect(
        try await CommandRunner.run(["run", bundle.path, "@" + file])
          == (65, "", "error: '\(file)' can't be read as a NumPy file: \(reason).\n"))
    }
  }

  @Test func `any other file is raw bytes`() async throws {
    let bundle = try TemporaryBundle("reverse_int32", shape: [2, 3], dtype: "int32")
    let file = try bundle.write(Data(bytes(of: [Int32](1...6))), beside: "x.bin")
    let wanted = Latencies.json(around: #"{"y":[3,2,1,6,5,4]}"#)
    #expect(try await json(bundle.path, "@" + file) == (0, wanted, ""))
    #expect(try await json(bundle.path, "--input", "x=@" + file) == (0, wanted, ""))
    try bundle.write(Data([1, 2, 3]), beside: "x.bin")
    #expect(
      try await CommandRunner.run(["run", bundle.path, "@" + file])
        == (65, "", "error: 'x' takes 24 bytes (6 values of int32), got 3.\n"))
    #expect(
      try await CommandRunner.run(["run", bundle.path, "@/nowhere/x.bin"])
        == (66, "", "error: There is no file '/nowhere/x.bin'.\n"))
  }

  // MARK: - Images

  /// An image of 6 x 8 pixels that all differ.
  private var image: PixelBuffer {
    PixelBuffer(
      width: 6, height: 8, format: .rgb, bytes: (0..<144).map { UInt8(truncatingIfNeeded: $0 * 7) })
  }

  @Test func `an image is read from its path, and an output image is written to a file`()
    async throws
  {
    let bundle = try TemporaryBundle.image()
    let source = bundle.pathBeside("in.png")
    try ImageEncoder().write(image, to: source)
    let written = bundle.pathBeside("out.png")
    let object = #"{"in": "\#(source)"}"#
    for value in [[source], ["@" + source], ["--input", "in=" + source], [object]] {
      let arguments = ["run", bundle.path] + value
      let result = try await CommandRunner.runWithoutTimes(
        arguments + ["--json", "--output-image", "out=" + written])
      #expect(
        result == (
          0,
          Latencies.json(around: #"{"out":{"height":8,"path":"\#(written)","width":6}}"#), ""
        ))
      let decoded = try ImageDecoder().decode(contentsOf: written)
      #expect((decoded.width, decoded.height) == (6, 8))
      #expect(decoded.rgbBytes == image.rgbBytes)
      try FileManager.default.removeItem(atPath: written)
    }
    let text = try await CommandRunner.runWithoutTimes(
      ["run", bundle.path, source, "--output-image", "out=" + written])
    #expect(text == (0, "out  image of 6 x 8 (\(written))\n", Latencies.line))
    let unwritten = try await CommandRunner.runWithoutTimes(["run", bundle.path, source])
    #expect(
      unwritten == (
        0, "out  image of 6 x 8 (not written; use --output-image out=FILE.png)\n", Latencies.line
      ))
    let unnamed = try await json(bundle.path, source)
    #expect(unnamed == (0, Latencies.json(around: #"{"out":{"height":8,"width":6}}"#), ""))
  }

  @Test func `an image is read from a NumPy array, raw bytes, or a file without an extension`()
    async throws
  {
    let bundle = try TemporaryBundle.image()
    let source = bundle.pathBeside("in.png")
    try ImageEncoder().write(image, to: source)
    let data = try Data(contentsOf: URL(filePath: source))
    let array = numPy("|u1", shape: "(8, 6, 3)", image.rgbBytes)
    let written = bundle.pathBeside("out.png")
    for file in [
      try bundle.write(data, beside: "in"), try bundle.write(array, beside: "in.npy"),
      try bundle.write(Data(image.rgbBytes), beside: "in.raw"),
    ] {
      let result = try await json(bundle.path, "@" + file, "--output-image", "out=" + written)
      #expect(result.status == 0, "\(result.error)")
      #expect(try ImageDecoder().decode(contentsOf: written).rgbBytes == image.rgbBytes)
    }
  }

  @Test func `an image without an extension is decoded like one with it`() async throws {
    let bundle = try TemporaryBundle.image()
    let photo = "Tests/Fixtures/Images/large-420.jpg"
    let data = try Data(contentsOf: CommandRunner.packageFolder.appending(path: photo))
    let bare = try bundle.write(data, beside: "photo")
    func seen(_ file: String, _ detail: String) async throws -> [UInt8] {
      let written = bundle.pathBeside("out.png")
      let result = try await json(
        bundle.path, "@" + file, "--decode", detail, "--output-image", "out=" + written)
      #expect(result.status == 0, "\(result.error)")
      return try ImageDecoder().decode(contentsOf: written).rgbBytes
    }
    let fast = try await seen(bare, "fast")
    #expect(try await fast == seen(photo, "fast"))
    #expect(try await fast != seen(bare, "exact"))
  }

  @Test func `a damaged image without an extension is reported as damaged`() async throws {
    let bundle = try TemporaryBundle.image()
    let source = bundle.pathBeside("in.png")
    try ImageEncoder().write(image, to: source)
    let data = try Data(contentsOf: URL(filePath: source))
    let file = try bundle.write(data.prefix(60), beside: "in")
    let result = try await CommandRunner.run(["run", bundle.path, "@" + file])
    #expect(result.status == 65 && result.output == "")
    #expect(
      result.error.hasPrefix("error: '\(file)' is a PNG image, but it is damaged: "),
      "\(result.error)")
    let gif = try bundle.write(Data("GIF89a".utf8), beside: "gif")
    let other = try await CommandRunner.run(["run", bundle.path, "@" + gif])
    #expect(other.status == 65 && other.error.contains("but it is a GIF image."))
    // Raw pixels may start with any bytes, even with those of an image format.
    for start in [[0x42, 0x4D], [0xFF, 0x0A]] as [[UInt8]] {
      let raw = try bundle.write(Data(start + Array(repeating: 7, count: 142)), beside: "raw")
      #expect(try await json(bundle.path, "@" + raw).status == 0)
    }
  }

  @Test func `an output image is written as JPEG if its name ends in .jpg`() async throws {
    let bundle = try TemporaryBundle.image()
    let written = bundle.pathBeside("out.jpg")
    let result = try await json(
      bundle.path, "Tests/Fixtures/Images/baseline.jpg", "--output-image", "out=" + written)
    #expect(result.status == 0, "\(result.error)")
    let data = try Data(contentsOf: URL(filePath: written))
    #expect(data.starts(with: [0xFF, 0xD8, 0xFF]))
    let decoded = try ImageDecoder().decode(contentsOf: written)
    #expect((decoded.width, decoded.height) == (6, 8))
  }

  @Test func `an output image that can't be written is an error`() async throws {
    let bundle = try TemporaryBundle.image()
    let source = bundle.pathBeside("in.png")
    try ImageEncoder().write(image, to: source)
    func run(_ argument: String) async throws -> CommandRunner.Result {
      try await CommandRunner.run(["run", bundle.path, source, "--output-image", argument])
    }
    #expect(
      try await run("picture=/tmp/never.png")
        == (65, "", "error: The model has no output 'picture'; its only output is 'out'.\n"))
    let folder = try await run("out=/nowhere/out.png")
    #expect(folder.status != 0 && folder.output == "" && folder.error.hasPrefix("error: "))
    let array = try TemporaryBundle("add", shape: [1])
    let vector = try await CommandRunner.run(
      ["run", array.path, "2", "--output-image", "y=" + array.pathBeside("y.png")])
    #expect(
      vector == (
        65, "",
        "error: The output 'y' isn't an image: model.json describes it as numbers or text. "
          + "--output-image writes images, class maps, depth maps and objects; this model has "
          + "none.\n"
      ))
  }

  @Test func `the paths of output images are checked before the model runs`() async throws {
    let bundle = try TemporaryBundle.image()
    let source = bundle.pathBeside("in.png")
    try ImageEncoder().write(image, to: source)
    let previews = bundle.pathBeside("seen")
    for (path, reason) in [("out.gif", "ends in .gif"), ("out.svg", "ends in .svg")] {
      let written = bundle.pathBeside(path)
      let result = try await CommandRunner.run([
        "run", bundle.path, source, "--preview", previews, "--output-image", "out=" + written,
      ])
      #expect(
        result == (
          65, "",
          "error: '\(written)' must end in .png, .jpg or .jpeg to be written, but it \(reason).\n"
        ))
    }
    let (first, second) = (bundle.pathBeside("a.png"), bundle.pathBeside("b.png"))
    let twice = try await CommandRunner.run([
      "run", bundle.path, source, "--preview", previews, "--output-image", "out=" + first,
      "--output-image", "out=" + second,
    ])
    #expect(twice.status == 64 && twice.output == "")
    #expect(
      twice.error.contains(
        "--output-image takes each output once, got 'out' twice: '\(first)' and '\(second)'."))
    for path in [previews, first, second] {
      #expect(!FileManager.default.fileExists(atPath: path))
    }
  }
}
