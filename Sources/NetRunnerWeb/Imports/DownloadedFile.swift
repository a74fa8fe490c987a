// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import NIOPosix
import TensorIO

/// Writes to the file of a download.
enum DownloadedFile {
  /// Runs work on the file on a thread that may block.
  ///
  /// - Throws: ``DownloadError`` with the code `cannotWrite`, or `CancellationError`.
  static func writing<Result: Sendable>(
    _ work: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    do {
      return try await NIOThreadPool.singleton.runIfActive(work)
    } catch let error as CancellationError {
      throw error
    } catch {
      throw DownloadError(
        .cannotWrite, "The download can't be written: \(FileSystem.reason(for: error)).",
        cause: error)
    }
  }
}
#endif
