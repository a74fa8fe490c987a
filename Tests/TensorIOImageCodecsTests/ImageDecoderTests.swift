// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import TensorIOImageCodecs
import Testing

struct ImageDecoderTests {
  @Test(arguments: ImageFixtures.decodings)
  func `an image decodes to the same pixels as in Pillow`(_ expected: ImageFixtures.Decoding) throws
  {
    let image = try ImageDecoder().decode(contentsOf: ImageFixtures.folder + expected.file)
    #expect(image.width == expected.width)
    #expect(image.height == expected.height)
    #expect(image.format == (expected.channels == 4 ? .rgba : .rgb))
    #expect(image.orientation == .up)
    let bytes = image.bytes
    let pixels = ImageFixtures.pixels(of: expected)
    try #require(bytes.count == pixels.count)
    let difference = zip(bytes, pixels).map { abs(Int($0) - Int($1)) }.max() ?? 0
    #expect(difference <= expected.tolerance)
  }

  @Test(arguments: ImageFixtures.failures)
  func `an invalid image is an error that names the file and the problem`(
    _ expected: ImageFixtures.Failure
  ) throws {
    let path = ImageFixtures.folder + expected.file
    let error = #expect(throws: TensorIOError.self) {
      try ImageDecoder().decode(contentsOf: path)
    }
    #expect(error?.code.description == expected.code)
    #expect(error?.message.contains(expected.words) == true, "\(error?.message ?? "")")
    #expect(error?.message.hasPrefix("'\(path)' ") == true)
  }

  @Test func `the format is detected from the bytes, not from the name`() throws {
    let bytes = ImageFixtures.bytes("baseline.jpg")
    let image = try ImageDecoder().decode(bytes, named: "photo.png")
    #expect(image.width == 29)
  }

  @Test(arguments: ImageFixtures.decodings)
  func `every image that can be decoded is recognized`(_ expected: ImageFixtures.Decoding) {
    #expect(isRecognized(ImageFixtures.bytes(expected.file)))
  }

  private func isRecognized(_ bytes: [UInt8]) -> Bool { ImageDecoder.recognizes(bytes.span.bytes) }

  @Test func `bytes that may be raw pixels aren't recognized as an image`() {
    let pixels = [UInt8](repeating: 7, count: 30)
    for start in [[], [0x42, 0x4D], [0xFF, 0x0A], [0xFF, 0xD8, 0xFE], [0x89, 0x50]] as [[UInt8]] {
      #expect(!isRecognized(start + pixels), "\(start)")
      #expect(!isRecognized(start), "\(start)")
    }
    #expect(isRecognized(Array("GIF89a".utf8)))
  }

  @Test func `padding between a JPEG's markers changes nothing`() throws {
    let bytes = ImageFixtures.bytes("baseline.jpg")
    // The first segment's length follows its marker; the next marker comes after the segment.
    let next = 4 + (Int(bytes[4]) << 8 | Int(bytes[5]))
    #expect(bytes[next] == 0xFF)
    let padded = bytes[..<next] + [0, 0, 0] + bytes[next...]
    let image = try ImageDecoder().decode(Array(padded), named: "padded.jpg")
    #expect(try image.bytes == ImageDecoder().decode(bytes, named: "whole.jpg").bytes)
  }

  @Test func `a missing file is reported as not found`() {
    let error = #expect(throws: TensorIOError.self) {
      try ImageDecoder().decode(contentsOf: "/no/such/cat.jpg")
    }
    #expect(error?.code == .fileNotFound)
    #expect(error?.message == "There is no file '/no/such/cat.jpg'.")
  }

  @Test func `a folder can't be read`() {
    let error = #expect(throws: TensorIOError.self) {
      try ImageDecoder().decode(contentsOf: ImageFixtures.folder)
    }
    #expect(error?.code == .unreadableFile)
  }

  @Test func `a side has a limit, because resizing takes memory for each of its pixels`() throws {
    let (limits, most) = (ImageDecoder.Limits(), ImageDecoder.Limits.maximumSide)
    try limits.check(width: most, height: 1, name: "line")
    for (width, height) in [(most + 1, 1), (1, most + 1)] {
      let error = #expect(throws: TensorIOError.self) {
        try limits.check(width: width, height: height, name: "line")
      }
      #expect(error?.code == .imageTooLarge)
      #expect(
        error?.message == "line has \(width) x \(height) pixels, but a side has at most 1048576.")
    }
  }

  @Test(arguments: ["baseline.jpg", "rgb-8.png", "lossless.webp", "true-color.bmp"])
  func `limits on pixels and bytes are exact`(_ file: String) throws {
    let bytes = ImageFixtures.bytes(file)
    let exact = ImageDecoder.Limits(maximumPixels: 29 * 19, maximumFileBytes: bytes.count)
    _ = try ImageDecoder(limits: exact).decode(bytes)
    _ = try ImageDecoder(limits: exact).decode(contentsOf: ImageFixtures.folder + file)

    var fewer = exact
    fewer.maximumPixels -= 1
    let pixels = #expect(throws: TensorIOError.self) {
      try ImageDecoder(limits: fewer).decode(bytes, named: "cat")
    }
    #expect(pixels?.code == .imageTooLarge)
    #expect(pixels?.message == "cat has 29 x 19 pixels, but the limit is 550 pixels.")

    fewer = exact
    fewer.maximumFileBytes -= 1
    let size = #expect(throws: TensorIOError.self) {
      try ImageDecoder(limits: fewer).decode(contentsOf: ImageFixtures.folder + file)
    }
    #expect(size?.code == .imageTooLarge)
    #expect(throws: TensorIOError.self) { try ImageDecoder(limits: fewer).decode(bytes) }
  }

  @Test(arguments: 1...8)
  func `the orientation can be left to the transform`(_ number: Int) throws {
    let path = ImageFixtures.folder + "orientation-\(number).jpg"
    var decoder = ImageDecoder()
    decoder.appliesOrientation = false
    let stored = try decoder.decode(contentsOf: path)
    #expect(stored.orientation == ImageOrientation(rawValue: number))
    #expect(stored.width == 29)
    let upright = try ImageDecoder().decode(contentsOf: path)
    #expect(stored.upright().bytes == upright.bytes)
  }
}
