// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import ModelRepositoryAPI
import NIOPosix

extension UploadStore {
  /// Refuses bytes that would take the disk's last room.
  ///
  /// The rest is for changes of channels and tokens, for garbage collection and for the audit log:
  /// with them an operator makes room, and brings a bad version back.
  ///
  /// - Parameter count: How many bytes are to come.
  /// - Throws: ``Problem``, 507.
  func checkRoom(for count: Int) async throws {
    let (folder, options) = (repository.folder.path, options)
    try await NIOThreadPool.singleton.runIfActive {
      try Self.checkRoom(for: count, folder, options)
    }
  }

  /// Refuses bytes that would take the disk's last room; see ``checkRoom(for:)``.
  static func checkRoom(
    for count: Int, _ folder: String, _ options: ModelRepositoryOptions
  ) throws {
    // A disk that does not tell its room refuses by itself what it has no room for.
    guard let room = FileSystem.room(at: folder) else { return }
    let reserve = options.reservedBytes ?? min(64 << 20, max(2 << 20, room.total / 20))
    guard room.free < reserve || room.free - reserve < count else { return }
    throw Problem(
      HTTPStatus.insufficientStorage, "disk_full",
      "The server's disk is full: it has \(room.free) bytes left, and \(reserve) of them are kept "
        + "for changes of channels and for garbage collection. Collect garbage, or make room.",
      endsConnection: true)
  }
}
#endif
