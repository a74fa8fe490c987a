// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import TensorIO
import TensorIOImageCodecs
import Testing

struct ImageEncoderTests {
  @Test(arguments: PixelBuffer.Format.allCases)
  func `a PNG image is decoded exactly as it was encoded`(_ format: PixelBuffer.Format) throws {
    let image = Self.image(format)
    let file = try ImageEncoder().encode(image, as: .png)
    let decoded = try ImageDecoder().decode(file)
    #expect(decoded.format == (format.hasAlpha ? .rgba : .rgb))
    #expect(decoded.bytes == Self.bytes(of: image, as: decoded.format))
  }

  @Test(arguments: PixelBuffer.Format.allCases)
  func `a JPEG image is decoded nearly as it was encoded`(_ format: PixelBuffer.Format) throws {
    let image = Self.image(format)
    let file = try ImageEncoder().encode(image, as: .jpeg(quality: 100))
    let decoded = try ImageDecoder().decode(file)
    #expect(decoded.format == .rgb)
    let expected = Self.bytes(of: image, as: .rgb)
    let difference = zip(decoded.bytes, expected).map { abs(Int($0) - Int($1)) }
    #expect(difference.reduce(0, +) < expected.count * 4)
  }

  @Test func `a quality out of range is clamped`() throws {
    let image = Self.image(.rgb)
    let encoder = ImageEncoder()
    #expect(
      try encoder.encode(image, as: .jpeg(quality: -5))
        == encoder.encode(image, as: .jpeg(quality: 1)))
    #expect(
      try encoder.encode(image, as: .jpeg(quality: 500))
        == encoder.encode(image, as: .jpeg(quality: 100)))
  }

  @Test func `an image is written upright`() throws {
    var image = Self.image(.rgb)
    image.orientation = .right
    let decoded = try ImageDecoder().decode(ImageEncoder().encode(image, as: .png))
    #expect(decoded.width == image.height)
    #expect(decoded.bytes == image.upright().bytes)
  }

  @Test func `an image that is too large for JPEG is an error`() {
    let image = PixelBuffer(width: 65501, height: 1, format: .gray) { _ in }
    let error = #expect(throws: TensorIOError.self) {
      try ImageEncoder().encode(image, as: .jpeg(quality: 90))
    }
    #expect(error?.code == .unsupportedImage)
    #expect(error?.message.contains("65500") == true)
  }

  @Test(arguments: [("a.png", 0x89), ("a.jpg", 0xff), ("a.b.JPEG", 0xff)] as [(String, UInt8)])
  func `the extension chooses the format`(_ name: String, _ firstByte: UInt8) throws {
    try withTemporaryFolder { folder in
      try ImageEncoder().write(Self.image(.rgb), to: "\(folder)/\(name)")
      let file = try Data(contentsOf: URL(filePath: "\(folder)/\(name)"))
      #expect(file.first == firstByte)
    }
  }

  @Test(arguments: [
    ("a.gif", "ends in .gif."), ("png", "has no extension."), ("a.", "has no extension."),
  ])
  func `an unsupported extension is an error`(_ name: String, _ words: String) throws {
    try withTemporaryFolder { folder in
      let error = #expect(throws: TensorIOError.self) {
        try ImageEncoder().write(Self.image(.rgb), to: "\(folder)/\(name)")
      }
      #expect(error?.code == .unsupportedImage)
      #expect(error?.message.hasSuffix(words) == true)
      let names = try FileManager.default.contentsOfDirectory(atPath: folder)
      #expect(names.isEmpty)
    }
  }

  @Test func `a missing folder is an error`() {
    let error = #expect(throws: TensorIOError.self) {
      try ImageEncoder().write(Self.image(.rgb), to: "/no/such/folder/a.png")
    }
    #expect(error?.code == .unwritableFile)
    #expect(error?.message.contains("cannot be written") == true)
  }

  private static func image(_ format: PixelBuffer.Format) -> PixelBuffer {
    let (width, height) = (23, 9)
    let bytes = (0..<width * height * format.bytesPerPixel).map {
      UInt8(truncatingIfNeeded: $0 / 3)
    }
    return PixelBuffer(width: width, height: height, format: format, bytes: bytes)
  }

  /// The image's bytes in RGB or RGBA.
  private static func bytes(of image: PixelBuffer, as format: PixelBuffer.Format) -> [UInt8] {
    let order: [Int] =
      switch image.format {
      case .gray: [0, 0, 0]
      case .rgb, .rgba: [0, 1, 2, 3]
      case .bgr, .bgra: [2, 1, 0, 3]
      case .argb: [1, 2, 3, 0]
      }
    let bytes = image.bytes
    let step = image.format.bytesPerPixel
    return stride(from: 0, to: bytes.count, by: step).flatMap { pixel in
      order.prefix(format == .rgba ? 4 : 3).map { bytes[pixel + $0] }
    }
  }

  private func withTemporaryFolder(_ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.path + "/\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try body(folder)
  }
}

extension PixelBuffer.Format {
  fileprivate var hasAlpha: Bool { bytesPerPixel == 4 }
}
