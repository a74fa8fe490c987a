// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import TensorIOImageCodecs
import Testing

/// Damaged files must end in an error or a picture, never in a crash.
///
/// Run under `swift test --sanitize=address`, this finds accesses behind the end, too.
struct CorruptionTests {
  private static let files =
    ImageFixtures.decodings.map(\.file) + ImageFixtures.failures.map(\.file)
  private static let casesPerFile = 300

  @Test(arguments: files)
  func `a damaged file is an error or a picture`(_ file: String) {
    let whole = ImageFixtures.bytes(file)
    guard !whole.isEmpty else { return }
    let other = ImageFixtures.bytes(file.hasSuffix("g") ? "cmyk.jpg" : "lossy-alpha.webp")
    var random = Random(state: file.utf8.reduce(7) { $0 &* 31 &+ UInt64($1) })
    // Damaged headers may ask for much: small limits keep the test quick.
    let decoder = ImageDecoder(limits: .init(maximumPixels: 300_000))
    var pictures = 0
    for _ in 0..<Self.casesPerFile {
      let damaged = damage(whole, with: other, &random)
      do {
        let picture = try decoder.decode(damaged)
        #expect(picture.width * picture.height <= 300_000)
        pictures += 1
      } catch let error as TensorIOError {
        let codes: [TensorIOError.Code] = [.invalidImage, .unsupportedImage, .imageTooLarge]
        #expect(codes.contains(error.code), "\(error)")
        #expect(!error.message.isEmpty)
      } catch {
        Issue.record("Another error: \(error)")
      }
    }
    #expect(pictures < Self.casesPerFile)
  }

  @Test(arguments: files)
  func `a file cut anywhere is an error or a picture`(_ file: String) {
    let whole = ImageFixtures.bytes(file)
    let decoder = ImageDecoder(limits: .init(maximumPixels: 300_000))
    for count in stride(from: 0, to: whole.count, by: max(1, whole.count / 200)) {
      _ = try? decoder.decode(Array(whole[..<count]))
    }
  }

  private func damage(
    _ whole: [UInt8], with other: [UInt8], _ random: inout Random
  ) -> [UInt8] {
    var bytes = whole
    // Headers decide most: half of the places are among the first bytes.
    func place(_ random: inout Random) -> Int {
      let end = Bool.random(using: &random) ? min(64, bytes.count) : bytes.count
      return Int.random(in: 0..<end, using: &random)
    }
    switch Int.random(in: 0..<5, using: &random) {
    case 0:
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[place(&random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      }
    case 1:
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        bytes[place(&random)] = [0, 1, 0x7f, 0x80, 0xff].randomElement(using: &random) ?? 0
      }
    case 2:
      bytes.removeSubrange(Int.random(in: 0..<bytes.count, using: &random)...)
    case 3:
      let start = place(&random)
      let end = Int.random(in: start...min(bytes.count, start + 40), using: &random)
      bytes.replaceSubrange(start..<end, with: other.prefix(Int.random(in: 0...40, using: &random)))
    default:
      let cut = Int.random(in: 0..<other.count, using: &random)
      bytes = Array(bytes[..<place(&random)] + other[cut...])
    }
    return bytes
  }
}

/// Repeatable random numbers (SplitMix64).
private struct Random: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var value = state
    value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
    value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
    return value ^ (value >> 31)
  }
}
