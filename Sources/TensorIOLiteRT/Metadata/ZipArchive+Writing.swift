// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

extension ZipArchive {
  /// A file in an archive.
  struct File {
    var name: String
    var content: [UInt8]
  }

  /// Returns the files, in the order in which they are stored.
  mutating func files() throws(ZipError) -> [File] {
    var files: [File] = []
    for (name, _) in entries.sorted(by: { ($0.value.start, $0.key) < ($1.value.start, $1.key) }) {
      if let content = try contents(of: name) { files.append(File(name: name, content: content)) }
    }
    return files
  }

  /// Appends a zip archive to other bytes, or nothing if there are no files.
  ///
  /// The files aren't compressed, because TensorFlow Lite's readers refuse compressed ones.
  static func append(_ files: [File], to bytes: inout [UInt8]) throws(ZipError) {
    guard !files.isEmpty else { return }
    let contentCount = files.reduce(0) { $0 + $1.content.count }
    guard files.count < 0xFFFF, files.allSatisfy({ $0.name.utf8.count < 0xFFFF }),
      contentCount <= Int(Int32.max)
    else { throw ZipError("they are too many or too large for a zip archive") }
    // Some readers expect offsets from the start of the file. If they were too large, they count
    // from the start of the archive, which the other readers recognize.
    let origin = bytes.count + contentCount <= Int(Int32.max) ? 0 : bytes.count
    var directory: [UInt8] = []
    for file in files {
      let name = Array(file.name.utf8)
      let offset = bytes.count - origin
      // Version 2.0, the flag for UTF-8, no compression, and midnight of 1 January 1980.
      let isASCII = name.allSatisfy { $0 < 0x80 }
      var header: [UInt8] = []
      for field in [20, isASCII ? 0 : 0x800, 0, 0, 0x21] { header.append(field, byteCount: 2) }
      let count = file.content.count
      for field in [Int(checksum(of: file.content)), count, count, name.count] {
        header.append(field, byteCount: 4)
      }
      bytes.append(0x0403_4B50, byteCount: 4)
      bytes += header + name + file.content
      // Version 2.0 on Unix wrote the file, which everyone may read.
      directory.append(0x0201_4B50, byteCount: 4)
      directory.append(0x0314, byteCount: 2)
      directory += header + [0, 0, 0, 0, 0, 0]
      directory.append(0o100644 << 16, byteCount: 4)
      directory.append(offset, byteCount: 4)
      directory += name
    }
    let start = bytes.count - origin
    bytes += directory
    bytes.append(0x0605_4B50, byteCount: 8)
    for _ in 0..<2 { bytes.append(files.count, byteCount: 2) }
    bytes.append(directory.count, byteCount: 4)
    bytes.append(start, byteCount: 6)
  }
}
