// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

package import TensorIO

extension FileSystem {
  /// Runs work that writes files.
  ///
  /// If it fails, the error has what can't be done, such as "'a.svg' can't be written", and the
  /// system's reason.
  package static func writing<Result>(
    _ failure: @autoclosure () -> String, _ work: () throws -> Result
  ) throws -> Result {
    do {
      return try work()
    } catch {
      throw TensorIOError(.unwritableFile, "\(failure()): \(reason(for: error)).", cause: error)
    }
  }
}
