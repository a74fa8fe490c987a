// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// An entry of a zip file, as the central directory describes it.
///
/// None of it is trusted.
struct ZipEntry {
  /// The entry's index in the directory.
  let index: Int
  /// The bytes of the name.
  let rawName: [UInt8]
  /// The general purpose flags.
  let flags: Int
  /// The compression method.
  let method: Int
  /// The declared unpacked size in bytes.
  let size: Int
  /// The compressed size in bytes.
  let packedSize: Int
  /// The external attributes, which depend on the system that made the entry.
  let attributes: UInt32

  /// Whether the entry is a folder.
  var isFolder: Bool { rawName.last == UInt8(ascii: "/") }

  /// The name for messages: shortened, and without characters that control a terminal.
  var shownName: String { Self.shown(String(decoding: rawName, as: UTF8.self)) }

  private static func shown(_ name: String) -> String {
    let text = String(
      String.UnicodeScalarView(
        name.unicodeScalars.prefix(120).map { isPlain($0) ? $0 : "\u{FFFD}" }))
    return text.unicodeScalars.count < name.unicodeScalars.count ? text + "…" : text
  }

  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: false
    default: true
    }
  }
}

// MARK: - Checks

extension ZipEntry {
  /// The components of the path, provided that the entry is safe to unpack.
  func checkedPath(_ limits: ArchiveLimits) throws -> [String] {
    try checkKind()
    guard let name = String(validating: rawName, as: UTF8.self) else {
      throw unsafe("has a name that is not UTF-8; zip the bundle with a newer program")
    }
    guard name.unicodeScalars.allSatisfy(Self.isPlain) else {
      throw unsafe("has control characters in its name")
    }
    guard !name.contains("\\") else {
      throw unsafe("has a backslash in its name; zip the bundle with a program that writes '/'")
    }
    guard !name.hasPrefix("/") else { throw unsafe("has an absolute path") }
    let path = (isFolder ? name.dropLast() : name[...])
      .split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard path.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." }) else {
      throw unsafe("leads out of its folder, or has an empty name")
    }
    guard path.allSatisfy({ $0.utf8.count <= limits.nameBytes }) else {
      throw unsafe("has a name of more than \(limits.nameBytes) bytes")
    }
    guard path.count <= limits.depth else {
      throw unsafe("lies more than \(limits.depth) folders deep")
    }
    return path
  }

  private func checkKind() throws {
    // The high half is the Unix file mode. The field that names the system is ignored, because an
    // attacker who adds a link can write anything there.
    switch (attributes >> 16) & 0xF000 {
    case 0: break
    case 0x8000: guard !isFolder else { throw unsafe("is a file with the name of a folder") }
    case 0x4000: guard isFolder else { throw unsafe("is a folder with the name of a file") }
    case 0xA000:
      throw unsafe("is a symbolic link; zip the file that it leads to")
    default: throw unsafe("is neither a file nor a folder")
    }
    guard !isFolder || size == 0 else { throw unsafe("is a folder that has content like a file") }
    guard flags & 0x2041 == 0 else {
      throw unsafe("is encrypted; zip the bundle without a password")
    }
    guard method == 0 || method == 8 else {
      throw unsafe("is compressed in an unusual way (\(method)); zip the bundle with Deflate")
    }
  }

  func unsafe(_ reason: String) -> ImportError {
    ImportError(.unsafeZip, "The zip file was not unpacked: its entry '\(shownName)' \(reason).")
  }
}
