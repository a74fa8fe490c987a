// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Files
import ModelRepositoryAPI
import NIOPosix

extension UploadStore {
  /// Rejects bytes that would use up the disk's last space.
  ///
  /// That space is reserved for changes of channels and tokens, for garbage collection and for the
  /// audit log. An operator needs them to free space or to roll back a bad version.
  ///
  /// - Parameter count: The number of bytes to store.
  /// - Throws: ``Problem`` with the status 507.
  func checkRoom(for count: Int) async throws {
    let (folder, options) = (repository.folder.path, options)
    try await NIOThreadPool.singleton.runIfActive {
      try Self.checkRoom(for: count, folder, options)
    }
  }

  /// Rejects bytes that would use up the disk's last space; see ``checkRoom(for:)``.
  static func checkRoom(
    for count: Int, _ folder: String, _ options: ModelRepositoryOptions
  ) throws {
    // If the free space is unknown, the disk itself will reject what doesn't fit.
    guard let room = try? FileOperations.room(at: folder) else { return }
    let reserve = options.reservedBytes ?? min(64 << 20, max(2 << 20, room.total / 20))
    guard room.free < reserve || room.free - reserve < count else { return }
    throw Problem(
      HTTPStatus.insufficientStorage, "disk_full",
      "The server's disk is full: it has \(room.free) bytes left, and \(reserve) of them are "
        + "reserved for channel changes and garbage collection. Collect garbage, or free some "
        + "space.",
      endsConnection: true)
  }
}
#endif
