// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import TensorIO
import Testing

@testable import TensorIOImageCodecs

/// Decodes damaged images in one process: exactly, scaled, in part, and straight into a tensor.
///
/// By default it tests a few. Test many with the address sanitizer, which starts slowly:
///
///     TENSORIO_FUZZ_IMAGES=5000 ASAN_OPTIONS=detect_leaks=0 \\
///       swift test --sanitize=address --scratch-path .build/asan --filter ImageFuzzTests
///
/// `TENSORIO_FUZZ_SEED` selects different damage. After a crash, the file that caused it is
/// `tensorio-fuzz-image` in the temporary folder.
struct ImageFuzzTests {
  @Test func `damaged images never crash, hang or use much memory`() throws {
    let seed = number("TENSORIO_FUZZ_SEED") ?? 1
    var random = SplitMix64(seed: UInt64(seed))
    let files = (ImageFixtures.decodings.map(\.file) + ImageFixtures.failures.map(\.file))
      .map(ImageFixtures.bytes).filter { !$0.isEmpty }
    let current = FileManager.default.temporaryDirectory.appending(path: "tensorio-fuzz-image")
    let clock = ContinuousClock()
    var (images, slowest) = (0, Duration.zero)
    for _ in 0..<fuzzCount {
      let whole = files.randomElement(using: &random) ?? []
      let other = files.randomElement(using: &random) ?? []
      let bytes = damaged(whole, with: other, &random)
      try Data(bytes).write(to: current)
      slowest = max(slowest, clock.measure { images += decode(bytes, &random) })
    }
    try FileManager.default.removeItem(at: current)
    #expect(images > 0)
    let memory = peakMemory()
    // While other tests run, time and memory say nothing.
    if isAlone {
      #expect(slowest < .seconds(20))
      #expect(memory < 600, "megabytes, with images of up to 10 million pixels")
    }
    print(
      "\(fuzzCount) damaged files, seed \(seed): \(images) images, slowest \(slowest), "
        + "peak memory \(memory) MB")
  }

  private func peakMemory() -> Int {
    var usage = rusage()
    getrusage(numericCast(RUSAGE_SELF.rawValue), &usage)
    return usage.ru_maxrss / 1024
  }

  /// Decodes a file in four ways, and returns how many of them gave an image.
  private func decode(_ bytes: [UInt8], _ random: inout SplitMix64) -> Int {
    let options = DecodeOptions(
      denominator: [1, 2, 4, 8].randomElement(using: &random) ?? 1,
      fancyUpsampling: Bool.random(using: &random), fastDCT: Bool.random(using: &random),
      readsAll: Bool.random(using: &random))
    let corner = (
      Double.random(in: 0..<1, using: &random), Double.random(in: 0..<1, using: &random)
    )
    let limits = ImageDecoder.Limits(maximumPixels: 10_000_000)
    let ways: [(ImageReader) throws -> PixelBuffer] = [
      { try $0.image() },
      { try $0.image(options: $0.canScale ? options : DecodeOptions()) },
      { reader in
        let options = reader.canScale ? options : DecodeOptions()
        let bounds = reader.bounds(denominator: options.denominator)
        let x = Int(corner.0 * Double(bounds.width))
        let y = Int(corner.1 * Double(bounds.height))
        let region = PixelCrop(
          x: x, y: y, width: (bounds.width - x + 1) / 2, height: (bounds.height - y + 1) / 2)
        return try reader.image(of: region, options: options)
      },
    ]
    // Reads all bytes of an image, so that the sanitizer checks them.
    let made = ways.count { way in
      succeeds { _ = try withReader(bytes, limits: limits, way).upright().bytes }
    }
    var decoder = ImageDecoder(limits: limits)
    decoder.scaling = .fast
    return made + (succeeds { _ = try decoder.tensor(of: bytes) } ? 1 : 0)
  }

  private func succeeds(_ body: () throws -> Void) -> Bool {
    do {
      try body()
      return true
    } catch let error as TensorIOError {
      #expect(!error.message.isEmpty)
    } catch {
      Issue.record("Another error: \(error)")
    }
    return false
  }
}

private let isAlone = number("TENSORIO_FUZZ_IMAGES") != nil
private let fuzzCount = number("TENSORIO_FUZZ_IMAGES") ?? 300

private func number(_ name: String) -> Int? {
  ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
}
