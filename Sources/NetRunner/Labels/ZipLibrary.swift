// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

package import CZip
import NativeLibrary
import TensorIO

/// The libzip library, which is loaded on first use: few programs handle zip files.
package struct ZipLibrary: Sendable {
  package let path: String

  package typealias Archive = OpaquePointer
  package typealias Failure = UnsafeMutablePointer<zip_error_t>
  package typealias Entry = OpaquePointer
  package typealias Source = OpaquePointer
  package typealias Text = UnsafePointer<CChar>

  package let open: @convention(c) @Sendable (Text?, CInt, UnsafeMutablePointer<CInt>?) -> Archive?
  package let close: @convention(c) @Sendable (Archive?) -> CInt
  package let discard: @convention(c) @Sendable (Archive?) -> Void
  package let error: @convention(c) @Sendable (Archive?) -> Failure
  package let initializeError: @convention(c) @Sendable (Failure, CInt) -> Void
  package let endError: @convention(c) @Sendable (Failure) -> Void
  package let errorText: @convention(c) @Sendable (Failure) -> Text
  package let makeSourceOfMemory:
    @convention(c) @Sendable (UnsafeMutableRawPointer?, UInt64, CInt, Failure?) -> Source?
  package let makeSourceOfFile: @convention(c) @Sendable (Text?, UInt64, Int64, Failure?) -> Source?
  package let freeSource: @convention(c) @Sendable (Source?) -> Void
  package let add: @convention(c) @Sendable (Archive?, Text?, Source?, zip_flags_t) -> Int64
  package let setCompression: @convention(c) @Sendable (Archive?, UInt64, Int32, UInt32) -> CInt
  package let entryCount: @convention(c) @Sendable (Archive?, zip_flags_t) -> Int64
  package let entryFacts:
    @convention(c) @Sendable (Archive?, UInt64, zip_flags_t, UnsafeMutablePointer<zip_stat_t>)
      -> CInt
  package let entryName: @convention(c) @Sendable (Archive?, UInt64, zip_flags_t) -> Text?
  package let openEntry: @convention(c) @Sendable (Archive?, UInt64, zip_flags_t) -> Entry?
  package let readEntry:
    @convention(c) @Sendable (Entry?, UnsafeMutableRawPointer?, UInt64) -> Int64
  package let closeEntry: @convention(c) @Sendable (Entry?) -> CInt
  package let entryError: @convention(c) @Sendable (Entry?) -> Failure

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

  package func text(of error: Failure) -> String { String(cString: errorText(error)) }

  /// libzip's message for the error code of a file that couldn't be opened.
  package func text(ofCode code: CInt) -> String {
    var error = zip_error_t()
    initializeError(&error, code)
    defer { endError(&error) }
    return text(of: &error)
  }
}
