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
    var random = SplitMix(state: file.utf8.reduce(7) { $0 &* 31 &+ UInt64($1) })
    // Damaged headers may ask for much: small limits keep the test quick.
    let decoder = ImageDecoder(limits: .init(maximumPixels: 300_000))
    var pictures = 0
    for _ in 0..<Self.casesPerFile {
      let bytes = damaged(whole, with: other, &random)
      do {
        let picture = try decoder.decode(bytes)
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
}
