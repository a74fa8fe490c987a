// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import Testing

@testable import TensorIOImageCodecs

struct ImageReaderTests {
  @Test(arguments: ImageFixtures.decodings)
  func `a decoded part equals the same part of the whole image`(_ fixture: ImageFixtures.Decoding)
    throws
  {
    let file = ImageFixtures.bytes(fixture.file)
    var random = SplitMix64(seed: 3)
    for denominator in [1, 2, 4, 8] {
      for fancy in [true, false] {
        var options = DecodeOptions(
          denominator: denominator, fancyUpsampling: fancy, fastDCT: denominator == 4)
        let whole = try withReader(file) { reader in
          reader.canScale || denominator == 1 ? try reader.image(options: options) : nil
        }
        guard let whole else { continue }
        for round in 0..<8 {
          options.readsAll = round % 2 == 0
          try checkPart(of: whole, file, options, &random)
        }
      }
    }
  }

  private func checkPart(
    of whole: PixelBuffer, _ file: [UInt8], _ options: DecodeOptions, _ random: inout SplitMix64
  ) throws {
    let width = Int.random(in: 1...whole.width, using: &random)
    let height = Int.random(in: 1...whole.height, using: &random)
    let region = PixelCrop(
      x: Int.random(in: 0...whole.width - width, using: &random),
      y: Int.random(in: 0...whole.height - height, using: &random), width: width, height: height)
    let size = whole.format.bytesPerPixel
    let pixels = whole.bytes
    func expected(_ y: Int) -> ArraySlice<UInt8> {
      let start = ((region.y + y) * whole.width + region.x) * size
      return pixels[start..<start + width * size]
    }
    let part = try withReader(file) { try $0.image(of: region, options: options) }
    #expect(part.bytes == (0..<height).flatMap(expected), "\(region) \(options)")

    try withReader(file) { reader in
      var rows = try reader.rows(of: region, options: options)
      var y = Int.random(in: 0..<height, using: &random)
      while y < height {
        let row = try rows.row(y)
        // The bytes after a row may have any value, but must exist.
        let read = UnsafeBufferPointer(start: row, count: width * size + pixelRowSlack)
        #expect(Array(read).starts(with: expected(y)), "row \(y) of \(region) \(options)")
        y += Int.random(in: 1...3, using: &random) * Int.random(in: 1...20, using: &random)
      }
      try rows.finish()
    }
  }

  @Test(arguments: ["large-420.jpg", "large-progressive.jpg", "rgb-8.png", "lossless.webp"])
  func `damage after the decoded part is found too`(_ file: String) throws {
    let whole = ImageFixtures.bytes(file)
    let cut = Array(whole[..<(whole.count - 60)])
    let error = #expect(throws: TensorIOError.self) {
      try withReader(cut) { reader in
        let region = PixelCrop(x: 0, y: 0, width: 5, height: 2)
        _ = try reader.image(of: region)
      }
    }
    #expect(error?.code == .invalidImage)
  }

  @Test func `a scaled image's sides are divided by the denominator and rounded up`() throws {
    let file = ImageFixtures.bytes("baseline.jpg")
    for (denominator, width, height) in [(1, 29, 19), (2, 15, 10), (4, 8, 5), (8, 4, 3)] {
      let image = try withReader(file) {
        try $0.image(options: DecodeOptions(denominator: denominator))
      }
      #expect(image.width == width && image.height == height)
    }
  }

  @Test func `a reader describes the stored image`() throws {
    try withReader(ImageFixtures.bytes("orientation-6.jpg")) { reader in
      #expect(reader.width == 29 && reader.height == 19)
      #expect(reader.format == .rgb)
      #expect(reader.orientation == .right)
      #expect(reader.canScale)
      #expect(reader.bounds(denominator: 8) == PixelCrop(x: 0, y: 0, width: 4, height: 3))
    }
    try withReader(ImageFixtures.bytes("rgba-8.png")) { reader in
      #expect(reader.format == .rgba)
      #expect(!reader.canScale)
    }
  }

  @Test func `a canvas returns to the pool`() throws {
    let pool = BufferPool()
    let file = ImageFixtures.bytes("interlaced.png")
    try file.withUnsafeBytes { bytes in
      for _ in 0..<3 {
        let reader = try ImageReader(bytes, named: "it", limits: .init(), pool: pool)
        var rows = try reader.rows(of: PixelCrop(x: 1, y: 2, width: 3, height: 4))
        _ = try rows.row(3)
        try rows.finish()
      }
    }
    #expect(pool.keptByteCount == 4096)
  }
}

/// Opens an image while its bytes are valid.
func withReader<Result>(
  _ file: [UInt8], limits: ImageDecoder.Limits = .init(),
  _ body: (ImageReader) throws -> Result
) throws -> Result {
  try file.withUnsafeBytes { bytes in
    try body(ImageReader(bytes, named: "The image", limits: limits, pool: BufferPool()))
  }
}
