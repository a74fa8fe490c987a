// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CZip
import NativeLibrary
import TensorIO

/// The libzip library, which is loaded on first use: few programs handle zip files.
package struct ZipLibrary: Sendable {
  package let path: String

  typealias Archive = OpaquePointer
  typealias Failure = UnsafeMutablePointer<zip_error_t>
  typealias Entry = OpaquePointer
  typealias Source = OpaquePointer
  typealias Text = UnsafePointer<CChar>

  let open: @convention(c) @Sendable (Text?, CInt, UnsafeMutablePointer<CInt>?) -> Archive?
  let close: @convention(c) @Sendable (Archive?) -> CInt
  let discard: @convention(c) @Sendable (Archive?) -> Void
  let error: @convention(c) @Sendable (Archive?) -> Failure
  let initializeError: @convention(c) @Sendable (Failure, CInt) -> Void
  let endError: @convention(c) @Sendable (Failure) -> Void
  let errorText: @convention(c) @Sendable (Failure) -> Text
  let makeSourceOfMemory:
    @convention(c) @Sendable (UnsafeMutableRawPointer?, UInt64, CInt, Failure?) -> Source?
  let makeSourceOfFile: @convention(c) @Sendable (Text?, UInt64, Int64, Failure?) -> Source?
  let freeSource: @convention(c) @Sendable (Source?) -> Void
  let add: @convention(c) @Sendable (Archive?, Text?, Source?, zip_flags_t) -> Int64
  let setCompression: @convention(c) @Sendable (Archive?, UInt64, Int32, UInt32) -> CInt
  let entryCount: @convention(c) @Sendable (Archive?, zip_flags_t) -> Int64
  let entryFacts:
    @convention(c) @Sendable (Archive?, UInt64, zip_flags_t, UnsafeMutablePointer<zip_stat_t>)
      -> CInt
  let entryName: @convention(c) @Sendable (Archive?, UInt64, zip_flags_t) -> Text?
  let openEntry: @convention(c) @Sendable (Archive?, UInt64, zip_flags_t) -> Entry?
  let readEntry: @convention(c) @Sendable (Entry?, UnsafeMutableRawPointer?, UInt64) -> Int64
  let closeEntry: @convention(c) @Sendable (Entry?) -> CInt
  let entryError: @convention(c) @Sendable (Entry?) -> Failure

  package static var shared: ZipLibrary { get throws(TensorIOError) { try opened.get() } }

  private static let opened = Result { () throws(TensorIOError) in try ZipLibrary() }

  private init() throws(TensorIOError) {
    let library = try NativeLibrary(
      "libzip, which reads and writes zip files,",
      fileNames: ["libzip.so.5", "libzip.so.4", "libzip.5.dylib"],
      overriddenBy: "TENSORIO_ZIP_LIBRARY", installedBy: "run 'apt-get install libzip4'")
    path = library.path
    open = try library.function("zip_open")
    close = try library.function("zip_close")
    discard = try library.function("zip_discard")
    error = try library.function("zip_get_error")
    initializeError = try library.function("zip_error_init_with_code")
    endError = try library.function("zip_error_fini")
    errorText = try library.function("zip_error_strerror")
    makeSourceOfMemory = try library.function("zip_source_buffer_create")
    makeSourceOfFile = try library.function("zip_source_file_create")
    freeSource = try library.function("zip_source_free")
    add = try library.function("zip_file_add")
    setCompression = try library.function("zip_set_file_compression")
    entryCount = try library.function("zip_get_num_entries")
    entryFacts = try library.function("zip_stat_index")
    entryName = try library.function("zip_get_name")
    openEntry = try library.function("zip_fopen_index")
    readEntry = try library.function("zip_fread")
    closeEntry = try library.function("zip_fclose")
    entryError = try library.function("zip_file_get_error")
  }

  func text(of error: Failure) -> String { String(cString: errorText(error)) }

  /// libzip's message for the error code of a file that couldn't be opened.
  func text(ofCode code: CInt) -> String {
    var error = zip_error_t()
    initializeError(&error, code)
    defer { endError(&error) }
    return text(of: &error)
  }
}
