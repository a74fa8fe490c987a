// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CSystemCalls
import CZip
import TensorIO

/// Writes a zip file, which exists once ``close()`` has returned.
///
/// The corresponding C library is libzip.
package final class ZipWriter {
  private let library: ZipLibrary
  private var archive: OpaquePointer?
  private let path: String

  /// Starts a new file; an existing one is an error.
  ///
  /// The corresponding C function is `zip_open`.
  package init(_ path: String) throws {
    self.path = path
    library = try ZipLibrary.shared
    var code: CInt = 0
    archive = library.open(path, ZIP_CREATE | ZIP_EXCL, &code)
    guard archive != nil else { throw failure(library.text(ofCode: code)) }
  }

  deinit {
    if let archive { library.discard(archive) }
  }

  /// Adds compressed bytes under a name.
  ///
  /// The corresponding C functions are `zip_source_buffer_create` and `zip_file_add`.
  func add(_ bytes: [UInt8], named name: String) throws {
    // libzip reads the bytes when the archive is closed, and then frees them.
    guard let copy = malloc(max(bytes.count, 1)) else {
      throw TensorIOError(.unreadableFile, "There isn't enough memory to write '\(path)'.")
    }
    UnsafeMutableRawBufferPointer(start: copy, count: bytes.count).copyBytes(from: bytes)
    var error = zip_error_t()
    guard let source = library.makeSourceOfMemory(copy, UInt64(bytes.count), 1, &error) else {
      free(copy)
      throw failure(library.text(of: &error))
    }
    try add(source, named: name, compression: ZIP_CM_DEFLATE)
  }

  /// Adds a file under a name without compressing it, because images are already compressed.
  ///
  /// The corresponding C functions are `zip_source_file_create` and `zip_file_add`.
  package func addFile(_ file: String, named name: String) throws {
    var error = zip_error_t()
    guard let source = library.makeSourceOfFile(file, 0, -1, &error) else {
      throw failure(library.text(of: &error))
    }
    try add(source, named: name, compression: ZIP_CM_STORE)
  }

  /// The corresponding C function is `zip_close`.
  package func close() throws {
    guard let archive else { return }
    guard library.close(archive) == 0 else { throw lastFailure(archive) }
    self.archive = nil
  }

  private func add(_ source: OpaquePointer, named name: String, compression: CInt) throws {
    guard let archive else {
      library.freeSource(source)
      throw TensorIOError(.internalFault, "'\(path)' is closed.")
    }
    let index = library.add(archive, name, source, zip_flags_t(ZIP_FL_ENC_UTF_8))
    guard index >= 0 else {
      library.freeSource(source)
      throw lastFailure(archive)
    }
    guard library.setCompression(archive, UInt64(index), compression, 0) == 0 else {
      throw lastFailure(archive)
    }
  }

  private func lastFailure(_ archive: OpaquePointer) -> TensorIOError {
    failure(library.text(of: library.error(archive)))
  }

  private func failure(_ reason: String) -> TensorIOError {
    TensorIOError(.unwritableFile, "'\(path)' cannot be written: \(reason).")
  }
}
