// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import AudioFeatures
import CSoundFile
import Files
package import TensorIO

/// What an audio file may have at most.
package struct AudioLimits: Sendable {
  /// The length, in seconds.
  package var seconds: Double
  package var channels: Int

  package init(seconds: Double = 600, channels: Int = 64) {
    (self.seconds, self.channels) = (seconds, channels)
  }
}

/// An open audio file: WAV, FLAC, or Ogg with Vorbis or Opus.
///
/// libsndfile decodes it, a piece at a time. A sample is the mean of what `soundfile.read` returns
/// for all channels.
package final class AudioFile {
  /// A file whose sample rate is higher may have only as many frames as one with this rate.
  private static let highestCountedRate: Int32 = 192_000

  /// The number of samples of each channel in a second.
  package let sampleRate: Int
  package let channels: Int
  /// The number of samples of each channel, if the file says it.
  package let frameCount: Int?
  /// The name of the file in messages.
  private let name: String
  private let container: AudioContainer
  private let mostFrames: Int
  private let limits: AudioLimits
  private var framesRead = 0
  private var interleaved: [Float]
  private let handle: OpaquePointer
  /// Keeps the descriptor open while the handle uses it.
  private let file: OpenFile?

  // MARK: - Opening

  /// Opens a file.
  ///
  /// - Throws: `TensorIOError` with the codes `fileNotFound`, `unreadableFile`, `missingLibrary`,
  ///   `unsupportedAudio`, `invalidAudio` or `audioTooLong`.
  package convenience init(_ path: String, limits: AudioLimits = AudioLimits()) throws {
    let name = "'\(path)'"
    do {
      let file = try OpenFile(reading: path)
      let status = try file.status
      guard status.kind == .file else {
        // A pipe can't be read twice.
        try self.init(Self.contents(of: file), named: name, limits: limits)
        return
      }
      let container = AudioContainer(try file.bytes(in: 0..<AudioContainer.headerLength))
      try Self.check(container, name: name, size: status.size, read: file.bytes)
      try self.init(name, container, limits, file) { functions, info in
        sound_open_descriptor(&functions, file.descriptor, &info)
      }
    } catch let error as FileError {
      throw TensorIOError(reading: error)
    }
  }

  /// Opens a file in memory.
  ///
  /// - Parameters:
  ///   - bytes: The content of the file.
  ///   - name: The name for messages, with quotation marks if it is the name of a file.
  ///   - limits: What the file may have at most.
  /// - Throws: As for a path.
  package convenience init(
    _ bytes: [UInt8], named name: String, limits: AudioLimits = AudioLimits()
  ) throws {
    let container = AudioContainer(Array(bytes.prefix(AudioContainer.headerLength)))
    try Self.check(container, name: name, size: bytes.count) {
      Array(bytes[$0.clamped(to: bytes.indices)])
    }
    try self.init(name, container, limits, nil) { functions, info in
      bytes.withUnsafeBytes { sound_open_bytes(&functions, $0.baseAddress, $0.count, &info) }
    }
  }

  private init(
    _ name: String, _ container: AudioContainer, _ limits: AudioLimits, _ file: OpenFile?,
    open: (inout sound_functions, inout sound_info) -> OpaquePointer?
  ) throws {
    var functions = try SoundLibrary.shared.functions
    var info = sound_info()
    guard let handle = open(&functions, &info) else {
      let reason = functions.strerror(nil).map { String(cString: $0) } ?? "unknown"
      throw TensorIOError(
        .invalidAudio, "\(name) is \(container.name), but it can't be opened: \(reason)")
    }
    (self.handle, self.file, self.name) = (handle, file, name)
    (self.container, self.limits) = (container, limits)
    (sampleRate, channels) = (Int(info.sample_rate), Int(info.channels))
    // A file without a length has one that is too large for any file.
    frameCount = info.frames > 0 && info.frames < 1 << 48 ? Int(info.frames) : nil
    let most = limits.seconds * Double(min(info.sample_rate, Self.highestCountedRate))
    mostFrames = most > 0 ? Int(min(most, 1e12)) : 0
    interleaved = []
    // All properties are set, so `deinit` closes the file if this throws.
    try checkFormat(Int(info.format))
    if let frameCount, frameCount > mostFrames { throw tooLong(frameCount) }
    interleaved = Array(repeating: 0, count: max(65_536 / channels, 1) * channels)
  }

  deinit { sound_close(handle) }

  private static func contents(of file: OpenFile) throws -> [UInt8] {
    let mostBytes = 1 << 29
    var bytes: [UInt8] = []
    try file.forEachPart { part in
      guard bytes.count + part.count <= mostBytes else {
        throw TensorIOError(
          .audioTooLong,
          "'\(file.path)' has more than \(mostBytes) bytes. Write it to a file first.")
      }
      bytes.append(contentsOf: part)
    }
    return bytes
  }

  // MARK: - Reading

  /// Reads the next samples; an empty array at the end of the file.
  ///
  /// - Throws: `TensorIOError` with the codes `invalidAudio` or `audioTooLong`.
  package func readMono() throws -> [Float] {
    var result: [Float] = []
    try append(nil, to: &result)
    return result
  }

  /// Reads the rest of the file.
  ///
  /// - Throws: `TensorIOError` with the codes `invalidAudio` or `audioTooLong`.
  package func readAllMono() throws -> [Float] { try readAll(channel: nil) }

  /// Reads one channel of the rest of the file, or the mean of all channels.
  ///
  /// - Throws: `TensorIOError` with the codes `invalidAudio` or `audioTooLong`.
  package func readAll(channel: Int?) throws -> [Float] {
    var result: [Float] = []
    // The length comes from the file, and may be wrong.
    result.reserveCapacity(min(frameCount ?? 0, 1 << 24))
    while try append(channel, to: &result) > 0 {}
    return result
  }

  @discardableResult
  private func append(_ channel: Int?, to result: inout [Float]) throws -> Int {
    var message: UnsafePointer<CChar>?
    let count = Int(
      sound_read(handle, &interleaved, Int64(interleaved.count / channels), &message))
    if let message {
      throw TensorIOError(
        .invalidAudio,
        "\(name) is \(container.name), but it is damaged after \(framesRead + count) frames: "
          + String(cString: message))
    }
    framesRead += count
    if framesRead > mostFrames { throw tooLong(nil) }
    if count == 0 { try checkEnd() }
    if let channel {
      result += (0..<count).map { interleaved[$0 * channels + channel] }
      return count
    }
    let samples = interleaved
    AudioSamples.appendMono(
      samples.span.extracting(first: count * channels), channels: channels, to: &result)
    return count
  }

  // MARK: - Checks

  private static func check(
    _ container: AudioContainer, name: String, size: Int, read: (Range<Int>) throws -> [UInt8]
  ) throws {
    switch container {
    case .wav, .flac, .ogg: break
    default:
      throw TensorIOError(
        .unsupportedAudio,
        "\(name) must be a WAV, FLAC or Ogg file, but it is \(container.name). Convert it, for "
          + "example with 'ffmpeg -i FILE FILE.wav'.")
    }
    guard try container.isComplete(size: size, read: read) else {
      throw TensorIOError(
        .invalidAudio,
        "\(name) is \(container.name), but its end is missing after \(size) bytes. Copy it again.")
    }
  }

  private func checkFormat(_ format: Int) throws {
    let found = format & SoundContainerMask
    let wav = [SoundWAV, SoundExtensibleWAV, SoundRF64]
    let isExpected =
      switch container {
      case .wav: wav.contains(found)
      case .flac: found == SoundFLAC
      default: found == SoundOgg
      }
    // WAV files can have many encodings. These are PCM, float, and the telephone's μ-law and A-law.
    let encoding = format & SoundEncodingMask
    guard isExpected,
      container != .wav || (1...7).contains(encoding) || [16, 17].contains(encoding)
    else {
      throw TensorIOError(
        .unsupportedAudio,
        "\(name) is \(container.name) with an unsupported encoding. Convert it, for example with "
          + "'ffmpeg -i FILE -c:a pcm_s16le FILE.wav'.")
    }
    guard (1...limits.channels).contains(channels) else {
      throw TensorIOError(
        .unsupportedAudio,
        "\(name) has \(channels) channels, but the limit is \(limits.channels).")
    }
    guard (1...10_000_000).contains(sampleRate) else {
      throw TensorIOError(
        .invalidAudio, "\(name) is damaged: its sample rate is given as \(sampleRate) Hz.")
    }
  }

  /// Checks that the file had what it promised.
  private func checkEnd() throws {
    guard framesRead > 0 else {
      throw TensorIOError(.invalidAudio, "\(name) is \(container.name) without samples.")
    }
    if let frameCount, framesRead < frameCount {
      throw TensorIOError(
        .invalidAudio,
        "\(name) is \(container.name), but its end is missing: it has \(framesRead) of "
          + "\(frameCount) frames. Copy it again.")
    }
  }

  private func tooLong(_ frames: Int?) -> TensorIOError {
    if sampleRate > Self.highestCountedRate {
      return TensorIOError(
        .audioTooLong,
        "\(name) has \(frames.map(String.init) ?? "more") frames at \(sampleRate) Hz, but the "
          + "limit is \(mostFrames), which is \(limits.seconds) seconds at "
          + "\(Self.highestCountedRate) Hz.")
    }
    let length = frames.map { "\(Double($0 / max(sampleRate, 1))) seconds" } ?? "more"
    return TensorIOError(
      .audioTooLong, "\(name) has \(length), but the limit is \(limits.seconds) seconds.")
  }
}

extension TensorIOError.Code {
  /// An audio file has an unsupported format.
  package static let unsupportedAudio = TensorIOError.Code(rawValue: "unsupportedAudio")
  /// An audio file is damaged.
  package static let invalidAudio = TensorIOError.Code(rawValue: "invalidAudio")
  /// An audio file exceeds the configured limits.
  package static let audioTooLong = TensorIOError.Code(rawValue: "audioTooLong")
}
