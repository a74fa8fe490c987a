// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import AudioFiles
import TensorIO
import Testing

/// Damaged files give samples or an error, and never end the process.
@Suite struct DamagedAudioTests {
  private static let rounds = 2000

  /// A stream of random numbers that a seed determines.
  private struct Random: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      let value = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
      return value ^ (value >> 31)
    }
  }

  /// Reads a file, and returns whether that succeeded.
  private func reads(_ bytes: [UInt8]) throws -> Bool {
    do {
      let limits = AudioLimits(seconds: 5)
      let file = try AudioFile(bytes, named: "'x'", limits: limits)
      let samples = try file.readAllMono()
      #expect(!samples.isEmpty && Double(samples.count) <= 5 * Double(file.sampleRate))
      return true
    } catch let error as TensorIOError {
      #expect(
        [.invalidAudio, .unsupportedAudio, .audioTooLong].contains(error.code), "\(error)")
      return false
    }
  }

  @Test(arguments: AudioFileTests.names)
  func `files that are cut`(_ name: String) throws {
    var random = Random(state: 1)
    let bytes = try AudioFileTests.bytes(name)
    var failures = 0
    for _ in 0..<Self.rounds {
      let count = Int.random(in: 0..<bytes.count, using: &random)
      if try !reads(Array(bytes[..<count])) { failures += 1 }
    }
    #expect(failures == Self.rounds)
  }

  @Test(arguments: AudioFileTests.names)
  func `files with flipped bits`(_ name: String) throws {
    var random = Random(state: 2)
    let bytes = try AudioFileTests.bytes(name)
    var failures = 0
    for round in 0..<Self.rounds {
      var damaged = bytes
      // Half of the damage is in the first bytes, which describe the file.
      let end = round.isMultiple(of: 2) ? min(200, bytes.count) : bytes.count
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        let index = Int.random(in: 0..<end, using: &random)
        damaged[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      }
      if try !reads(damaged) { failures += 1 }
    }
    #expect(failures > 0)
  }

  /// The pages of an Ogg file have checksums, so that other damage doesn't reach the decoders.
  @Test(arguments: AudioFileTests.names.filter { $0.hasSuffix("ogg") })
  func `files with flipped bits and correct checksums`(_ name: String) throws {
    var random = Random(state: 4)
    let bytes = try AudioFileTests.bytes(name)
    var failures = 0
    for round in 0..<Self.rounds {
      var damaged = bytes
      let end = round.isMultiple(of: 2) ? 300 : bytes.count
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        let index = Int.random(in: 0..<end, using: &random)
        damaged[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      }
      correctChecksums(&damaged)
      if try !reads(damaged) { failures += 1 }
    }
    #expect(failures > 0 && failures < Self.rounds)
  }

  private func correctChecksums(_ bytes: inout [UInt8]) {
    var page = 0
    while page + 27 <= bytes.count {
      let body = page + 27 + Int(bytes[page + 26])
      guard body <= bytes.count else { return }
      let end = body + bytes[(page + 27)..<body].reduce(0) { $0 + Int($1) }
      guard end <= bytes.count else { return }
      for index in 0..<4 { bytes[page + 22 + index] = 0 }
      var checksum: UInt32 = 0
      for byte in bytes[page..<end] {
        checksum ^= UInt32(byte) << 24
        for _ in 0..<8 { checksum = (checksum << 1) ^ (checksum >> 31 == 1 ? 0x04C1_1DB7 : 0) }
      }
      for index in 0..<4 { bytes[page + 22 + index] = UInt8(checksum >> (8 * UInt32(index)) & 255) }
      page = end
    }
  }

  @Test(arguments: AudioFileTests.names)
  func `files with parts of other files`(_ name: String) throws {
    var random = Random(state: 3)
    let bytes = try AudioFileTests.bytes(name)
    let others = try AudioFileTests.names.map(AudioFileTests.bytes)
    var failures = 0
    for _ in 0..<Self.rounds {
      let other = others.randomElement(using: &random) ?? []
      let place = Int.random(in: 0..<bytes.count, using: &random)
      let end = Int.random(in: place..<min(place + 600, bytes.count), using: &random)
      let from = Int.random(in: 0..<other.count, using: &random)
      let part = other[from..<min(from + .random(in: 0...600, using: &random), other.count)]
      if try !reads(Array(bytes[..<place] + part + bytes[end...])) { failures += 1 }
    }
    #expect(failures > 0)
  }
}
