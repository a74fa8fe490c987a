// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// A known file format that isn't read, because its bytes aren't the values of a tensor; the raw
/// values are names in a message.
enum UnreadFormat: String {
  case sound = "a sound file"
  case video = "a video"
  case image = "an image in a format that isn't supported"
  case table = "a table of text"
  case archive = "an archive"
  case document = "a document"
  case arrays = "an archive of NumPy arrays"
  case data = "a data file of another program"

  /// Recognizes the format of a file by its name or its first bytes; nil for any other file.
  init?(of bytes: RawSpan, named path: String) {
    let name = FileSystem.name(of: path)
    let fileExtension = name.split(separator: ".").dropFirst().last?.lowercased() ?? ""
    guard
      let format = Self.extensions.first(where: { $0.words.contains(fileExtension) })?.format
        ?? Self.format(of: bytes)
    else { return nil }
    self = format
  }

  func error(_ path: String) -> TensorIOError {
    TensorIOError(.wrongKind, "'\(path)' is \(rawValue), which can't be read as values. \(advice)")
  }

  private var advice: String {
    switch self {
    case .sound: "Save its samples in the form that the model takes, as a .npy or .json file."
    case .video: "Save a frame as a .png or .jpg file."
    case .image, .document: "Convert it to a .png or .jpg file."
    case .table: "Save the numbers as JSON ([1, 2, 3]) in a .json file, or as a .npy file."
    case .archive: "Unpack it, and pass the file inside."
    case .arrays: "Save each array in its own file: numpy.save('x.npy', arrays['x'])."
    case .data: "Save the values as a .npy or .json file."
    }
  }

  private static let extensions: [(words: Set<String>, format: UnreadFormat)] = [
    (["wav", "flac", "ogg", "oga", "opus", "mp3", "m4a", "aac", "aif", "aiff", "wma"], .sound),
    (["mp4", "m4v", "mov", "avi", "mkv", "webm", "mpg", "mpeg", "wmv"], .video),
    (["gif", "tif", "tiff", "heic", "heif", "avif", "jxl", "jp2", "svg", "ico", "psd"], .image),
    (["csv", "tsv", "txt", "xml", "yaml", "yml", "html", "htm", "md", "jsonl"], .table),
    (["npz"], .arrays),
    (["zip", "gz", "tgz", "tar", "bz2", "xz", "zst", "7z", "rar"], .archive),
    (["pdf", "doc", "docx", "xls", "xlsx", "ppt", "pptx", "odt", "ods"], .document),
    (
      [
        "pt", "pth", "pkl", "pickle", "h5", "hdf5", "mat", "parquet", "arrow", "feather",
        "safetensors", "onnx", "tflite", "tfrecord", "keras", "sqlite", "db",
      ], .data
    ),
  ]

  /// Only signatures of four bytes or more are used, because values may begin with any bytes.
  private static func format(of bytes: RawSpan) -> UnreadFormat? {
    let head = bytes.withUnsafeBytes { Array($0.prefix(16)) }
    func has(_ text: String, at start: Int = 0) -> Bool {
      head.dropFirst(start).starts(with: Array(text.utf8))
    }
    if has("RIFF") { return has("WAVE", at: 8) ? .sound : has("AVI ", at: 8) ? .video : nil }
    if has("fLaC") || has("OggS") || has("FORM") && has("AIF", at: 8) { return .sound }
    if has("ftyp", at: 4) {
      if has("hei", at: 8) || has("mif1", at: 8) || has("avi", at: 8) { return .image }
      return has("M4A", at: 8) ? .sound : .video
    }
    if has("GIF8") || has("II*\0") || has("MM\0*") || has("8BPS") { return .image }
    if head.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) { return .video }
    if has("%PDF") { return .document }
    if has("PK\u{3}\u{4}") || has("7z\u{BC}") || has("Rar!") { return .archive }
    if head.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) || head.starts(with: [0xFD, 0x37, 0x7A, 0x58]) {
      return .archive
    }
    if head.starts(with: [0x89, 0x48, 0x44, 0x46]) || has("PAR1") || has("SQLite format") {
      return .data
    }
    return has("TFL3", at: 4) ? .data : nil
  }
}
