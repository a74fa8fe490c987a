// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import AudioFiles
import Foundation
import TensorIO
import TestSupport
import Testing

@Suite struct AudioFileTests {
  static let folder = Python.root.appending(path: "Tests/Fixtures/Audio")
  static let names = [
    "pcm16.wav", "pcm8.wav", "pcm24.wav", "pcm32.wav", "float.wav", "ulaw.wav", "pcm16.flac",
    "vorbis.ogg", "opus.ogg",
  ]

  /// What soundfile reads from a file.
  private struct Expected: Decodable {
    let sampleRate: Int
    let channels: Int
    let samples: Data

    private enum CodingKeys: String, CodingKey {
      case sampleRate = "sample_rate"
      case channels, samples
    }

    static func all() throws -> [String: Expected] {
      let data = try Data(contentsOf: folder.appending(path: "expected.json"))
      return try JSONDecoder().decode([String: Expected].self, from: data)
    }
  }

  static func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: folder.appending(path: name)))
  }

  private func message(_ bytes: [UInt8], _ limits: AudioLimits = AudioLimits()) -> String {
    do {
      let file = try AudioFile(bytes, named: "'x'", limits: limits)
      _ = try file.readAllMono()
      return "no error"
    } catch {
      return "\(error)"
    }
  }

  @Test(arguments: names)
  func `samples of files and of bytes equal soundfile's`(_ name: String) throws {
    let expected = try #require(try Expected.all()[name])
    let wanted = expected.samples.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    let path = Self.folder.appending(path: name).path
    for file in [try AudioFile(path), try AudioFile(try Self.bytes(name), named: "'\(name)'")] {
      #expect(file.sampleRate == expected.sampleRate)
      #expect(file.channels == expected.channels)
      #expect(file.frameCount == wanted.count)
      let samples = try file.readAllMono()
      #expect(samples.count == wanted.count)
      // Versions of the Ogg decoders round differently.
      let tolerance: Float = name.hasSuffix("ogg") ? 2e-3 : 0
      #expect(zip(samples, wanted).allSatisfy { abs($0 - $1) <= tolerance })
      #expect(try file.readMono() == [])
    }
  }

  @Test func `pieces make the whole`() throws {
    // 40 channels give pieces of 1,638 frames.
    let channels = 40
    let values = (0..<(5000 * channels)).map { Int16(truncatingIfNeeded: $0 &* 7919) }
    let bytes = wav(values, channels: channels)
    let file = try AudioFile(bytes, named: "'x'")
    var pieces: [[Float]] = []
    while case let piece = try file.readMono(), !piece.isEmpty { pieces.append(piece) }
    #expect(pieces.map(\.count) == [1638, 1638, 1638, 86])
    #expect(pieces.flatMap { $0 } == (try AudioFile(bytes, named: "'x'").readAllMono()))
  }

  @Test func `a pipe is read to its end`() throws {
    let pipe = Pipe()
    try pipe.fileHandleForWriting.write(contentsOf: Self.bytes("pcm16.flac"))
    try pipe.fileHandleForWriting.close()
    let file = try AudioFile("/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)")
    let path = Self.folder.appending(path: "pcm16.flac").path
    #expect(try file.readAllMono() == (try AudioFile(path).readAllMono()))
  }

  @Test func `other files are errors that say what they are`() throws {
    let cases: [(bytes: [UInt8], found: String)] = [
      ([], "empty"), ([1, 2, 3], "of an unknown format"),
      (Array("ID3\u{4}".utf8) + Array(repeating: 0, count: 100), "an MP3 file"),
      ([0xFF, 0xFB, 0x90, 0], "an MP3 file"), (Array("\0\0\0 ftypM4A ".utf8), "an MPEG-4 file"),
      ([0x1A, 0x45, 0xDF, 0xA3], "a Matroska or WebM file"),
    ]
    for (bytes, found) in cases {
      let text = "'x' must be a WAV, FLAC or Ogg file, but it is \(found). Convert it"
      #expect(message(bytes).hasPrefix(text))
    }
    #expect(message(try Self.bytes("adpcm.wav")).contains("with an unsupported encoding"))
    let folder = #expect(throws: TensorIOError.self) { try AudioFile(Self.folder.path) }
    #expect(folder?.code == .unreadableFile)
    let missing = #expect(throws: TensorIOError.self) { try AudioFile("/nowhere.wav") }
    #expect(missing?.code == .fileNotFound)
  }

  @Test(arguments: names)
  func `a file without its end is an error`(_ name: String) throws {
    let bytes = try Self.bytes(name)
    for count in [13, 40, bytes.count / 2, bytes.count - 1] {
      let error = #expect(throws: TensorIOError.self, "\(count)") {
        try AudioFile(Array(bytes[..<count]), named: "'x'").readAllMono()
      }
      #expect(error?.code == .invalidAudio)
    }
    let half = Array(bytes[..<(bytes.count / 2)])
    #expect(message(half).contains("its end is missing") || message(half).contains("is damaged"))
  }

  @Test func `a file without samples is an error`() {
    #expect(message(wav([], channels: 1)) == "'x' is a WAV file without samples.")
  }

  @Test func `limits hold`() throws {
    let second = wav(Array(repeating: 1, count: 16_000), channels: 2)
    #expect(message(second, AudioLimits(seconds: 1)) == "no error")
    #expect(
      message(second, AudioLimits(seconds: 0.5))
        == "'x' has 1.0 seconds, but the limit is 0.5 seconds.")
    #expect(
      message(second, AudioLimits(channels: 1)) == "'x' has 2 channels, but the limit is 1.")
    #expect(message(second, AudioLimits(seconds: .nan)).contains("but the limit is nan"))
    let wide = wav(Array(repeating: 1, count: 650), channels: 65)
    #expect(message(wide) == "'x' has 65 channels, but the limit is 64.")
  }

  @Test func `a high sample rate doesn't raise the number of frames`() {
    let high = wav(Array(repeating: 1, count: 1000), channels: 1, rate: 655_350)
    #expect(message(high, AudioLimits(seconds: 0.01)) == "no error")
    #expect(
      message(high, AudioLimits(seconds: 0.005))
        == "'x' has 1000 frames at 655350 Hz, but the limit is 960, which is 0.005 seconds at "
        + "192000 Hz.")
  }

  private func wav(_ samples: [Int16], channels: Int, rate: Int = 8000) -> [UInt8] {
    func little(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    let data = samples.flatMap { little(Int($0), 2) }
    let format =
      little(1, 2) + little(channels, 2) + little(rate, 4) + little(2 * rate * channels, 4)
      + little(2 * channels, 2) + little(16, 2)
    let chunks =
      Array("WAVEfmt ".utf8) + little(format.count, 4) + format + Array("data".utf8)
      + little(data.count, 4) + data
    return Array("RIFF".utf8) + little(chunks.count, 4) + chunks
  }
}
