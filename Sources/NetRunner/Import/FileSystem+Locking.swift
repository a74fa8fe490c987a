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
  /// Does something while no other thread or process that asks this way works on a folder.
  ///
  /// The folder itself is locked: nothing is left when the process is killed.
  ///
  /// - Throws: `POSIXError` when the folder cannot be opened; what the work throws.
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
