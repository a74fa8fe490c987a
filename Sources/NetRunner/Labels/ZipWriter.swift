// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CZip
import TensorIO

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A zip file that is being written; it is there when ``close()`` has returned.
///
/// The corresponding C library is libzip.
package final class ZipWriter {
  private var archive: OpaquePointer?
  private let path: String

  /// Begins a file where none is.
  ///
  /// The corresponding C function is `zip_open`.
  package init(_ path: String) throws {
    self.path = path
    var code: CInt = 0
    archive = zip_open(path, ZIP_CREATE | ZIP_EXCL, &code)
    guard archive != nil else {
      var error = zip_error_t()
      zip_error_init_with_code(&error, code)
      defer { zip_error_fini(&error) }
      throw failure(&error)
    }
  }

  deinit {
    if let archive { zip_discard(archive) }
  }

  /// Adds bytes under a name, compressed.
  ///
  /// The corresponding C functions are `zip_source_buffer_create` and `zip_file_add`.
  func add(_ bytes: [UInt8], named name: String) throws {
    // libzip reads the bytes when the file is closed, and frees them then.
    guard let copy = malloc(max(bytes.count, 1)) else {
      throw TensorIOError(.unreadableFile, "There is no memory to write '\(path)'.")
    }
    UnsafeMutableRawBufferPointer(start: copy, count: bytes.count).copyBytes(from: bytes)
    var error = zip_error_t()
    guard let source = zip_source_buffer_create(copy, UInt64(bytes.count), 1, &error) else {
      free(copy)
      throw failure(&error)
    }
    try add(source, named: name, compression: ZIP_CM_DEFLATE)
  }

  /// Adds a file under a name, as it is: pictures are compressed already.
  ///
  /// The corresponding C functions are `zip_source_file_create` and `zip_file_add`.
  package func addFile(_ file: String, named name: String) throws {
    var error = zip_error_t()
    guard let source = zip_source_file_create(file, 0, -1, &error) else { throw failure(&error) }
    try add(source, named: name, compression: ZIP_CM_STORE)
  }

  /// Writes the file.
  ///
  /// The corresponding C function is `zip_close`.
  package func close() throws {
    guard let archive else { return }
    guard zip_close(archive) == 0 else { throw failure(zip_get_error(archive)) }
    self.archive = nil
  }

  private func add(_ source: OpaquePointer, named name: String, compression: CInt) throws {
    guard let archive else {
      zip_source_free(source)
      throw TensorIOError(.internalFault, "'\(path)' is closed.")
    }
    let index = zip_file_add(archive, name, source, zip_flags_t(ZIP_FL_ENC_UTF_8))
    guard index >= 0 else {
      zip_source_free(source)
      throw failure(zip_get_error(archive))
    }
    guard zip_set_file_compression(archive, UInt64(index), compression, 0) == 0 else {
      throw failure(zip_get_error(archive))
    }
  }

  private func failure(_ error: UnsafeMutablePointer<zip_error_t>) -> TensorIOError {
    TensorIOError(
      .unreadableFile,
      "'\(path)' cannot be written: \(String(cString: zip_error_strerror(error))).")
  }
}
