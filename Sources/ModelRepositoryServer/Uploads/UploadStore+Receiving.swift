// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Crypto
import Files
import GRDB
import HTTPTypes
import Hummingbird
import ModelRepositoryAPI
import NIOPosix

extension UploadStore {
  /// The number of bytes after which an upload's offset is saved to the disk.
  private static let checkpointBytes = 64 << 20

  /// Receives the next bytes of an upload.
  ///
  /// If the client disconnects before the end, the bytes that arrived are kept.
  func append(
    _ id: String, _ token: String, _ range: ContentRange, _ body: RequestBody
  ) async throws -> UploadState {
    try await exclusively(id) {
      let upload = try await upload(id, token)
      guard upload.offset == range.first else {
        throw Problem(
          .rangeNotSatisfiable, "wrong_offset",
          "The upload has \(upload.offset) bytes, so the next part must begin there, not at "
            + "\(range.first).",
          headers: Self.headers(upload))
      }
      try checkSize(range.last < .max ? range.last + 1 : .max)
      try await checkRoom(for: range.count)
      return try await reserving(range.count) {
        try await receive(upload, range.count, body)
      }
    }
  }

  /// Rejects a blob that would be too large.
  func checkSize(_ size: Int) throws {
    guard size > options.maximumBlobBytes else { return }
    throw Problem(
      .contentTooLarge, "blob_too_large",
      "A blob can have at most \(options.maximumBlobBytes) bytes.", endsConnection: true)
  }

  /// Returns the header fields that tell a client where to continue.
  static func headers(_ state: UploadState) -> HTTPFields {
    var headers: HTTPFields = [.location: "/v1/uploads/\(state.id)"]
    headers[.range] = state.offset > 0 ? "bytes=0-\(state.offset - 1)" : nil
    if let name = HTTPField.Name("Upload-Offset") { headers[name] = "\(state.offset)" }
    return headers
  }

  private func receive(
    _ upload: UploadState, _ count: Int, _ body: RequestBody
  ) async throws -> UploadState {
    do {
      let file = try await UploadFile.open(
        path(upload.id), at: upload.offset, hash: knownHash(upload))
      var receiver = Receiver(store: self, upload: upload, file: file)
      var refusal: (any Error)?
      do {
        try await receiver.receive(body, count)
      } catch let error as RepositoryError {
        throw error
      } catch {
        refusal = error
      }
      // This task isn't cancelled together with the request, because the bytes that arrived are
      // kept.
      let state = try await Task { [receiver] in
        var receiver = receiver
        try await receiver.write()
        return try await receiver.checkpoint()
      }.value
      if let refusal { throw refusal }
      return state
    } catch let error as RepositoryError where error.code == .storage {
      // After a failed fsync, it is unknown which bytes are on the disk.
      try await Task { try await discard(upload.id, because: error) }.value
      throw Problem.notStored(error)
    }
  }

  /// Writes the bytes of one request to the disk.
  private struct Receiver: Sendable {
    let store: UploadStore
    let upload: UploadState
    let file: UploadFile
    var written = 0
    var pending = ByteBuffer()

    mutating func receive(_ body: RequestBody, _ count: Int) async throws {
      var pace = MinimumRateCheck(store.options)
      var received = 0
      var checked = 0
      for try await part in body {
        try pace.received(part.readableBytes)
        received += part.readableBytes
        guard received <= count else {
          throw Problem(
            .badRequest, "wrong_length",
            "The body has more than the \(count) bytes of its Content-Range.", endsConnection: true)
        }
        pending.writeImmutableBuffer(part)
        if pending.readableBytes >= blobPieceSize { try await write() }
        if written - checked >= UploadStore.checkpointBytes {
          _ = try await checkpoint()
          checked = written
        }
      }
      guard received == count else {
        throw Problem(
          .badRequest, "wrong_length",
          "The body has \(received) bytes, but its Content-Range has \(count).")
      }
    }

    mutating func write() async throws {
      // The space is checked again, because other requests write, too.
      try await store.checkRoom(for: pending.readableBytes)
      try await file.write(pending)
      written += pending.readableBytes
      pending.clear()
    }

    /// Flushes the bytes to the disk, and then saves their number.
    func checkpoint() async throws -> UploadState {
      let hash = try await file.flush()
      let now = store.repository.now
      var state = upload
      state.offset += written
      try await store.repository.database.write { [state] in
        try $0.execute(
          sql: "UPDATE uploads SET offset = ?, used = ? WHERE id = ?",
          arguments: [state.offset, now, state.id])
      }
      store.remember(hash, of: state.id, at: state.offset)
      return state
    }
  }
}

extension UploadStore {
  /// Rejects bytes that would use up the disk's last space.
  ///
  /// That space is reserved for changes of channels and tokens, for garbage collection and for the
  /// audit log. An operator needs them to free space or to roll back a bad version.
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
