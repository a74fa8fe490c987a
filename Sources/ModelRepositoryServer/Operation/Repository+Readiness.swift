// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Files
import Foundation
import GRDB
import Logging
import ModelRepositoryAPI
import NIOPosix
import Synchronization

extension Repository {
  /// Returns the reason why the server can't work; nil if it can.
  ///
  /// It checks that the database and the disk are writable and have space, and that the blobs are
  /// reachable.
  func unreadiness(_ logger: Logger) async throws -> String? {
    reloadChangedKeys()
    if let problem = signingWatch.withLock({ $0.problem }) {
      logger.error("\(problem)")
      return "The signing keys can't be used."
    }
    let minimum = options.minimumFreeBytes
    let probe = folder.path + "/.probe-\(UUID().uuidString)"
    do {
      try await database.write { try $0.execute(sql: "PRAGMA user_version = 0") }
      try await NIOThreadPool.singleton.runIfActive {
        defer { try? FileSystem.remove(probe) }
        try Data("ready\n".utf8).write(to: URL(filePath: probe))
        try FileSystem.flush(probe)
      }
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      return "The database or the disk can't be written."
    }
    let free = try await freeBytes() ?? .max
    guard free >= minimum else {
      return "The disk has \(free) bytes left, but at least \(minimum) are required."
    }
    do {
      try await blobs.check()
    } catch let error as RepositoryError {
      logger.error("the blob store failed: \(error)")
      return "The blobs can't be reached."
    }
    return nil
  }

  /// Returns how many bytes are free on the disk, or nil if the system doesn't say.
  func freeBytes() async throws -> Int? {
    let path = folder.path
    return try await NIOThreadPool.singleton.runIfActive {
      try? FileOperations.room(at: path).free
    }
  }
}
#endif
