// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The format of an audio file, as its bytes indicate.
///
/// Only supported formats reach the decoding library, which knows many more.
enum AudioContainer: Sendable, Equatable {
  case wav
  case flac
  case ogg
  /// A known format that isn't supported, as in "an MP3 file".
  case unsupported(String)
  case empty
  case unknown

  /// The number of bytes that identify a format.
  static let headerLength = 12

  /// The first bytes of formats that aren't supported, and the number of bytes before them.
  private static let others: [(bytes: String, offset: Int, name: String)] = [
    ("ID3", 0, "an MP3 file"), ("\u{FF}\u{FB}", 0, "an MP3 file"),
    ("\u{FF}\u{F3}", 0, "an MP3 file"),
    ("\u{FF}\u{F1}", 0, "an AAC file"), ("ftyp", 4, "an MPEG-4 file"),
    ("\u{1A}\u{45}\u{DF}\u{A3}", 0, "a Matroska or WebM file"), ("FORM", 0, "an AIFF file"),
    ("caff", 0, "a Core Audio file"), (".snd", 0, "an AU file"), ("riff", 0, "a Wave64 file"),
    ("#!AMR", 0, "an AMR file"), ("RIFX", 0, "a big-endian WAV file"),
  ]

  init(_ bytes: [UInt8]) {
    func has(_ text: String, at offset: Int = 0) -> Bool {
      // The characters of the table stand for bytes.
      let wanted = text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
      return bytes.dropFirst(offset).starts(with: wanted)
    }
    if bytes.isEmpty {
      self = .empty
    } else if has("WAVE", at: 8) && (has("RIFF") || has("RF64")) {
      self = .wav
    } else if has("fLaC") {
      self = .flac
    } else if has("OggS") {
      self = .ogg
    } else if let other = Self.others.first(where: { has($0.bytes, at: $0.offset) }) {
      self = .unsupported(other.name)
    } else {
      self = .unknown
    }
  }

  /// The name of the format in messages.
  var name: String {
    switch self {
    case .wav: "a WAV file"
    case .flac: "a FLAC file"
    case .ogg: "an Ogg file"
    case .unsupported(let name): name
    case .empty: "empty"
    case .unknown: "of an unknown format"
    }
  }

  // MARK: - Completeness

  /// Whether a file ends where its format says that it ends.
  ///
  /// libsndfile reads what there is of a WAV or Ogg file. A FLAC file says how many frames it has,
  /// so that a reader notices when they are missing.
  ///
  /// - Parameters:
  ///   - size: The number of bytes of the file.
  ///   - read: Returns a range of the file, or fewer bytes at its end.
  /// - Returns: False if bytes are missing. True also if the format can't tell.
  func isComplete(size: Int, read: (Range<Int>) throws -> [UInt8]) rethrows -> Bool {
    switch self {
    case .wav: try Self.isCompleteWAV(size: size, read: read)
    case .ogg: try Self.isCompleteOgg(size: size, read: read)
    default: true
    }
  }

  private static func isCompleteWAV(
    size: Int, read: (Range<Int>) throws -> [UInt8]
  ) rethrows -> Bool {
    var position = headerLength
    // RF64 files have the size of their samples in a chunk of its own.
    var longSize: Int?
    for _ in 0..<1000 {
      let header = try read(position..<(position + 24))
      guard header.count >= 8 else { return false }
      let name = header[..<4]
      let count = little(header[4..<8])
      if name.elementsEqual("ds64".utf8), header.count == 24 { longSize = little(header[16...]) }
      if name.elementsEqual("data".utf8) {
        if count == 0xFFFF_FFFF, let longSize { return longSize <= size - position - 8 }
        // Programs that write to a pipe can't tell the size.
        return count == 0 || count >= 0xFFFF_FF00 || count <= size - position - 8
      }
      // Chunks have an even number of bytes.
      position += 8 + count + count % 2
    }
    return true
  }

  private static func little(_ bytes: ArraySlice<UInt8>) -> Int {
    bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  /// Whether the last page is complete and marked as the last one.
  private static func isCompleteOgg(
    size: Int, read: (Range<Int>) throws -> [UInt8]
  ) rethrows -> Bool {
    let (headerLength, longestPage) = (27, 65_307)
    let start = max(size - longestPage, 0)
    let bytes = try read(start..<size)
    let name = Array("OggS".utf8)
    var position = bytes.count - headerLength
    while position >= 0 {
      defer { position -= 1 }
      // Nearly all positions begin with another byte.
      guard bytes[position] == name[0], bytes[position...].starts(with: name) else { continue }
      let body = position + headerLength + Int(bytes[position + 26])
      guard body <= bytes.count else { continue }
      let length = bytes[(position + headerLength)..<body].reduce(0) { $0 + Int($1) }
      if body + length == bytes.count { return bytes[position + 5] & 4 != 0 }
    }
    return false
  }
}
