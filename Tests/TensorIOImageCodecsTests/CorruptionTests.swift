// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import TensorIOImageCodecs
import Testing

/// Damaged files must give an error or an image, and never crash.
///
/// Run with `swift test --sanitize=address`, this also finds accesses out of bounds.
struct CorruptionTests {
  private static let files =
    ImageFixtures.decodings.map(\.file) + ImageFixtures.failures.map(\.file)
  private static let casesPerFile = 300

  @Test(arguments: files)
  func `a damaged file gives an error or an image`(_ file: String) {
    let whole = ImageFixtures.bytes(file)
    guard !whole.isEmpty else { return }
    let other = ImageFixtures.bytes(file.hasSuffix("g") ? "cmyk.jpg" : "lossy-alpha.webp")
    var random = SplitMix64(seed: file.utf8.reduce(7) { $0 &* 31 &+ UInt64($1) })
    // Damaged headers may declare huge images, so small limits keep the test fast.
    let decoder = ImageDecoder(limits: .init(maximumPixels: 300_000))
    var images = 0
    for _ in 0..<Self.casesPerFile {
      let bytes = damaged(whole, with: other, &random)
      do {
        let image = try decoder.decode(bytes)
        #expect(image.width * image.height <= 300_000)
        images += 1
      } catch let error as TensorIOError {
        let codes: [TensorIOError.Code] = [.invalidImage, .unsupportedImage, .imageTooLarge]
        #expect(codes.contains(error.code), "\(error)")
        #expect(!error.message.isEmpty)
      } catch {
        Issue.record("Another error: \(error)")
      }
    }
    #expect(images < Self.casesPerFile)
  }

  @Test(arguments: files)
  func `a file cut at any byte gives an error or an image`(_ file: String) {
    let whole = ImageFixtures.bytes(file)
    var decoder = ImageDecoder(limits: .init(maximumPixels: 300_000))
    decoder.scaling = .fast
    for count in stride(from: 0, to: whole.count, by: max(1, whole.count / 200)) {
      let cut = Array(whole[..<count])
      let wholeImage = Result { try decoder.decode(cut) }
      let tensor = Result { try decoder.tensor(of: cut) }
      if case .success(let image) = wholeImage {
        #expect(image.width * image.height <= 300_000, "\(count) bytes")
      }
      for case .failure(let error) in [wholeImage.map { _ in }, tensor.map { _ in }] {
        let code = (error as? TensorIOError)?.code
        #expect(
          code == .invalidImage || code == .unsupportedImage || code == .imageTooLarge,
          "\(count) bytes: \(error)")
      }
      // An empty file mustn't decode to an image.
      if count == 0, case .success = wholeImage { Issue.record("An empty file is an image.") }
    }
  }

  @Test(arguments: ["tall-restarts-420.jpg", "tall-restarts-444.jpg"])
  func `a file cut after a restart marker is an error`(_ file: String) throws {
    let whole = ImageFixtures.bytes(file)
    let ends = whole.indices.dropFirst(2).filter { index in
      whole[index - 2] == 0xff && (0xd0...0xd7).contains(whole[index - 1])
    }
    #expect(ends.count > 16)
    let last = PixelCrop(x: 0, y: 300, width: 20, height: 33)
    for end in ends {
      #expect(throws: TensorIOError.self) {
        // The bytes after the cut stay in memory, as in a reused buffer. Reading them would show.
        try whole.withUnsafeBytes { bytes in
          let cut = UnsafeRawBufferPointer(rebasing: bytes[..<end])
          let reader = try ImageReader(cut, named: "cut", limits: .init(), pool: BufferPool())
          _ = try reader.image(of: last, options: DecodeOptions(readsAll: false))
        }
      }
    }
  }
}

extension ImageDecoder {
  /// The tensor of a small layer that an image is decoded straight into.
  func tensor(of bytes: [UInt8]) throws -> [UInt8] {
    let spec = TensorSpec(
      name: "image", shape: [8, 8, 3], dataType: .uint8,
      kind: .imageInput(ImageShape(height: 8, width: 8), ImagePreprocessing()))
    var tensor = [UInt8](repeating: 0, count: spec.byteCount)
    var span = tensor.mutableSpan
    var memory = span.mutableBytes
    try ImageFile(bytes: bytes, decoder: self).encode(into: &memory, as: spec)
    return tensor
  }
}
