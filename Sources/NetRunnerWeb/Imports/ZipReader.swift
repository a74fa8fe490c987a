// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import CZip
import NetRunner
import TensorIO

/// Unpacks entries of a zip file.
///
/// The corresponding C library is libzip.
final class ZipReader {
  private let library: ZipLibrary
  private let archive: OpaquePointer

  /// Opens a zip file whose directory has been read.
  ///
  /// The corresponding C function is `zip_open`.
  ///
  /// - Throws: ``ImportError`` with the code `damagedZip` if the file can't be opened, or if libzip
  ///   sees other entries than the directory has. The code is `cannotWrite` if libzip is missing.
  init(_ path: String, expecting directory: ZipDirectory) throws {
    do {
      library = try ZipLibrary.shared
    } catch {
      throw ImportError(.cannotWrite, error.message, cause: error)
    }
    var code: CInt = 0
    guard let archive = library.open(path, ZIP_RDONLY, &code) else {
      throw ImportError.damaged(library.text(ofCode: code))
    }
    self.archive = archive
    guard library.entryCount(archive, 0) == Int64(directory.entries.count),
      directory.entries.allSatisfy(isSame)
    else {
      throw ImportError.damaged("it can be read in more than one way")
    }
  }

  deinit { library.discard(archive) }

  /// Whether libzip sees the same entry as the directory.
  ///
  /// The corresponding C functions are `zip_stat_index` and `zip_get_name`.
  private func isSame(_ entry: ZipEntry) -> Bool {
    var facts = zip_stat_t()
    let index = UInt64(entry.index)
    guard library.entryFacts(archive, index, 0, &facts) == 0,
      let name = library.entryName(archive, index, zip_flags_t(ZIP_FL_ENC_RAW))
    else { return false }
    let wanted = UInt64(ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD)
    return facts.valid & wanted == wanted && facts.size == UInt64(entry.size)
      && facts.comp_size == UInt64(entry.packedSize) && Int(facts.comp_method) == entry.method
      && String(cString: name).utf8.elementsEqual(entry.rawName)
  }

  /// Unpacks an entry and verifies its checksum.
  ///
  /// The corresponding C functions are `zip_fopen_index` and `zip_fread`.
  func unpack(
    _ entry: ZipEntry, through buffer: inout [UInt8],
    _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    guard let file = library.openEntry(archive, UInt64(entry.index), 0) else {
      throw failure(of: entry, library.error(archive))
    }
    defer { _ = library.closeEntry(file) }
    var rest = entry.size
    while true {
      let count = try buffer.withUnsafeMutableBytes { memory in
        guard let start = memory.baseAddress else { return 0 }
        let count = Int(library.readEntry(file, start, UInt64(memory.count)))
        // The declared size is enforced, because earlier decisions relied on it.
        guard count <= rest else {
          throw ImportError.damaged("its entry '\(entry.shownName)' is larger than its header says")
        }
        if count > 0 { try body(UnsafeRawBufferPointer(rebasing: memory[..<count])) }
        return count
      }
      guard count >= 0 else { throw failure(of: entry, library.entryError(file)) }
      if count == 0 { break }
      rest -= count
    }
    guard rest == 0 else {
      throw ImportError.damaged("its entry '\(entry.shownName)' is smaller than its header says")
    }
  }

  private func failure(
    of entry: ZipEntry, _ error: UnsafeMutablePointer<zip_error_t>
  ) -> ImportError {
    .damaged("its entry '\(entry.shownName)': \(library.text(of: error))")
  }
}
#endif
