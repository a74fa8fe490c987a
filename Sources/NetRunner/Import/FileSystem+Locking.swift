// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension FileSystem {
  /// Runs a closure while holding an exclusive lock on a folder.
  ///
  /// The lock only excludes threads and processes that use this function as well. The folder itself
  /// is locked, so a killed process leaves nothing behind.
  ///
  /// - Throws: `POSIXError` if the folder can't be opened; what the closure throws.
  static func whileLocked<Result>(_ folder: String, _ work: () throws -> Result) throws -> Result {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw POSIXError.last }
    defer { close(descriptor) }
    while flock(descriptor, LOCK_EX) != 0 {
      guard errno == EINTR else { throw POSIXError.last }
    }
    return try work()
  }
}
