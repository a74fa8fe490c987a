// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

package import TensorIO

extension FileSystem {
  /// Runs work that writes files.
  ///
  /// - Parameters:
  ///   - failure: What can't be done if the work fails, such as "'a.svg' can't be written".
  ///   - work: The work.
  /// - Returns: The result of the work.
  /// - Throws: `TensorIOError` with the failure and the system's reason.
  package static func writing<Result>(
    _ failure: @autoclosure () -> String, _ work: () throws -> Result
  ) throws -> Result {
    do {
      return try work()
    } catch {
      throw TensorIOError(
        .unwritableFile, "\(failure()): \(reason(for: error)).", cause: error)
    }
  }
}
