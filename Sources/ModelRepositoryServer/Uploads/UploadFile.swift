// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Crypto
import Foundation
import ModelRepositoryAPI
import NIOCore
import NIOPosix
import Synchronization

/// The file of an upload, and the SHA-256 of its content.
final class UploadFile: Sendable {
  private let handle: FileHandle
  private let hash: Mutex<SHA256>

  private init(_ handle: FileHandle, _ hash: SHA256) {
    self.handle = handle
    self.hash = Mutex(hash)
  }

  deinit { try? handle.close() }

  /// Opens a file to continue writing it, and truncates it to the offset.
  ///
  /// The file is created for the first bytes. If the hash of the bytes before the offset is nil,
  /// they are read again.
  static func open(_ path: String, at offset: Int, hash: SHA256?) async throws -> UploadFile {
    try await blocking {
      if offset == 0, !FileManager.default.fileExists(atPath: path) {
        guard
          FileManager.default.createFile(
            atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
        else { throw RepositoryError(.storage, "An upload can't be created.") }
      }
      let hash = try hash ?? Self.hash(of: path, count: offset)
      let handle = try FileHandle(forUpdating: URL(filePath: path))
      try handle.truncate(atOffset: UInt64(offset))
      try handle.seek(toOffset: UInt64(offset))
      return UploadFile(handle, hash)
    }
  }

  /// Returns the SHA-256 of a file's first bytes.
  static func hash(of path: String, count: Int) throws -> SHA256 {
    var hash = SHA256()
    guard count > 0 else { return hash }
    let handle = try FileHandle(forReadingFrom: URL(filePath: path))
    defer { try? handle.close() }
    var left = count
    while left > 0 {
      guard let piece = try handle.read(upToCount: min(left, blobPieceSize)), !piece.isEmpty else {
        throw RepositoryError(.storage, "'\(path)' has fewer than \(count) bytes.")
      }
      hash.update(data: piece)
      left -= piece.count
    }
    return hash
  }

  func write(_ bytes: ByteBuffer) async throws {
    try await Self.blocking { [self] in
      let data = Data(bytes.readableBytesView)
      try handle.write(contentsOf: data)
      hash.withLock { $0.update(data: data) }
    }
  }

  /// Flushes all bytes to the disk, and returns the SHA-256 of all bytes so far.
  func flush() async throws -> SHA256 {
    try await Self.blocking { [self] in
      try handle.synchronize()
      return hash.withLock { $0 }
    }
  }

  /// Runs work on a thread pool, because it blocks, and explains its errors.
  private static func blocking<Value: Sendable>(
    _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await NIOThreadPool.singleton.runIfActive {
      do {
        return try work()
      } catch {
        throw RepositoryError(storage: "An upload can't be written", FileSystem.reason(for: error))
      }
    }
  }
}
#endif
