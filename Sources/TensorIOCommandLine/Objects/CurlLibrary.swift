// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CCurl
import ModelCommands
import NativeLibrary
import Synchronization
import TensorIO

/// The libcurl library, which is opened when the first address is fetched.
///
/// `@unchecked Sendable` because the functions never change, and only one thread at a time uses a
/// transfer.
final class CurlLibrary: @unchecked Sendable {
  /// The process's only instance; libcurl stays loaded.
  static let shared: Result<CurlLibrary, TensorIOError> = Result { () throws(TensorIOError) in
    try CurlLibrary()
  }

  let library: NativeLibrary
  private var functions = CurlFunctions()
  /// The transfers that nobody uses at the moment; each keeps connections open.
  private let idle = Mutex<[Idle]>([])

  /// A transfer that can begin.
  ///
  /// `@unchecked Sendable` because a thread takes a transfer out of `idle` while it uses it.
  private struct Idle: @unchecked Sendable {
    let pointer: OpaquePointer
  }

  private init() throws(TensorIOError) {
    library = try NativeLibrary(
      "libcurl, which downloads images,",
      fileNames: ["libcurl.so.4", "libcurl-gnutls.so.4", "libcurl.4.dylib"],
      overriddenBy: "TENSORIO_CURL_LIBRARY", installedBy: "run 'apt-get install libcurl4'")
    try withUnsafeMutableBytes(of: &functions) { bytes throws(TensorIOError) in
      let slots = bytes.bindMemory(to: UnsafeMutableRawPointer?.self)
      for (index, name) in Self.names.enumerated() {
        slots[index] = library.symbol(name)
        guard slots[index] != nil else {
          throw TensorIOError(
            .missingLibrary, "'\(library.path)' isn't libcurl, because it lacks \(name).")
        }
      }
    }
    let allFeatures = 3
    _ = functions.global_init(allFeatures)
  }

  /// The names of the functions, in the order of `CurlFunctions`.
  private static let names = [
    "curl_global_init", "curl_easy_init", "curl_easy_setopt", "curl_easy_getinfo",
    "curl_easy_reset", "curl_easy_strerror", "curl_multi_init", "curl_multi_add_handle",
    "curl_multi_remove_handle", "curl_multi_perform", "curl_multi_wait", "curl_multi_info_read",
    "curl_slist_append", "curl_slist_free_all",
  ]

  /// Returns a transfer, which must be given back; nil if there is no memory.
  func takeTransfer() -> OpaquePointer? {
    idle.withLock { $0.popLast() }?.pointer ?? curl_transfer_make(functions)
  }

  func giveBack(_ transfer: OpaquePointer) {
    idle.withLock { $0.append(Idle(pointer: transfer)) }
  }
}
