// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Foundation
import ModelRepositoryAPI
import NIOHTTP1
import TensorIO
import WebClient

/// Uploads a file in parts, and resumes where an earlier attempt or process stopped.
struct BlobUploader: Sendable {
  let connection: RepositoryConnection
  /// The folder in which unfinished uploads are remembered, or nil to forget them when the process
  /// ends.
  let memory: String?
  /// How long to wait while the server still handles a request whose response was lost.
  ///
  /// The server notices a lost connection after a minute or so.
  var patience: Duration = .seconds(100)

  private static let partSize = 4 << 20
  private static let retries = RetryPolicy(
    attempts: 6, pause: .milliseconds(600), longestPause: .seconds(8))

  /// Uploads a file, unless the server already has the blob.
  ///
  /// `onProgress` is called with the number of bytes that the server has.
  ///
  /// - Throws: ``PublishingError``, or `TensorIOError` if the file can't be read.
  func upload(
    _ path: String, as blob: BlobReference, onProgress: @Sendable (Int) -> Void
  ) async throws {
    guard var state = try await begin(blob) else { return onProgress(blob.size) }
    guard let file = FileHandle(forReadingAtPath: path) else {
      throw TensorIOError(.unreadableFile, "'\(path)' cannot be read.")
    }
    defer { try? file.close() }
    do {
      try await send(file, path, as: blob, in: &state, onProgress)
      try await finish(state, blob)
    } catch let error as PublishingError where error.isRefusalOfBytes {
      // The server counts the bytes of an unfinished upload for a day. If it can't be cancelled, the
      // refusal is what the caller needs to know.
      _ = try? await connection.send(.DELETE, "/v1/uploads/\(state.id)")
      forget(blob)
      throw error
    }
    forget(blob)
  }

  /// Sends the rest of a file in parts, and retries those that fail.
  private func send(
    _ file: FileHandle, _ path: String, as blob: BlobReference, in state: inout UploadState,
    _ onProgress: @Sendable (Int) -> Void
  ) async throws {
    var failures = 0
    var isUnsure = false
    var wait = Wait(patience)
    while state.offset < blob.size {
      do {
        if isUnsure {
          state = try await connection.get(UploadState.self, "/v1/uploads/\(state.id)")
          isUnsure = false
          continue
        }
        state = try await send(Self.part(of: file, path, at: state.offset), of: state)
        failures = 0
        wait = Wait(patience)
        onProgress(state.offset)
      } catch let error as PublishingError where error.code == .uploadBusy {
        // The server hasn't noticed yet that the connection of an earlier request was lost.
        isUnsure = true
        try await wait.pause(after: error)
      } catch let error as PublishingError {
        failures += 1
        isUnsure = true
        try await Self.pause(after: error, number: failures)
      }
    }
  }

  private static func part(of file: FileHandle, _ path: String, at offset: Int) throws -> Data {
    guard let position = UInt64(exactly: offset) else {
      throw PublishingError(
        .invalidAnswer, "The server reported an invalid upload offset: \(offset).")
    }
    try file.seek(toOffset: position)
    guard let part = try file.read(upToCount: partSize), !part.isEmpty else {
      throw PublishingError(.fileChanged, "'\(path)' became shorter while it was being sent.")
    }
    return part
  }

  /// Finishes an upload, which turns it into a blob.
  ///
  /// A server whose blobs are on another machine copies the upload there now. That may take longer
  /// than the request's timeout, or may have to be retried.
  private func finish(_ state: UploadState, _ blob: BlobReference) async throws {
    var failures = 0
    var wait = Wait(patience)
    while true {
      do {
        _ = try await connection.send(.PUT, "/v1/uploads/\(state.id)?digest=\(blob.digest)")
        return
      } catch let error as PublishingError where error.code == .uploadBusy {
        // The server is still handling the request whose response was lost.
        try await wait.pause(after: error)
      } catch let error as PublishingError where failures > 0 && error.code == .uploadNotFound {
        guard try await connection.send(.POST, "/v1/uploads?digest=\(blob.digest)").status == 200
        else { throw error }
        return
      } catch let error as PublishingError {
        failures += 1
        try await Self.pause(after: error, number: failures)
      }
    }
  }

  private func send(_ part: Data, of state: UploadState) async throws -> UploadState {
    let next = try await connection.send(
      .PATCH, "/v1/uploads/\(state.id)",
      headers: [
        ("Content-Type", "application/octet-stream"),
        ("Content-Range", "bytes \(state.offset)-\(state.offset + part.count - 1)/*"),
      ], body: part
    ).decode(UploadState.self)
    guard next.offset > state.offset else {
      throw PublishingError(
        .invalidAnswer, "The server accepted \(part.count) bytes, but reported no progress.")
    }
    return next
  }

  /// Waiting for a server that is busy with an earlier request.
  private struct Wait {
    private let patience: Duration
    private var end: ContinuousClock.Instant?

    init(_ patience: Duration) { self.patience = patience }

    /// Waits for a second.
    ///
    /// - Throws: The error if the time since the first call is over.
    mutating func pause(after error: PublishingError) async throws {
      let end = end ?? .now + patience
      guard .now < end else { throw error }
      self.end = end
      try await Task.sleep(for: .seconds(1))
    }
  }

  /// Resumes an unfinished upload or starts a new one, or returns nil if the server has the blob.
  ///
  /// Transient failures are retried.
  private func begin(_ blob: BlobReference) async throws -> UploadState? {
    var failures = 0
    while true {
      do {
        return try await beginOnce(blob)
      } catch let error as PublishingError {
        // A server that never responded has a wrong address, or isn't running.
        let mayPass =
          error.status.map { [429, 502, 503, 504].contains($0) } ?? connection.wasReached
        guard mayPass else { throw error }
        failures += 1
        try await Self.pause(after: error, number: failures)
      }
    }
  }

  private func beginOnce(_ blob: BlobReference) async throws -> UploadState? {
    if let id = remembered(blob) {
      do {
        return try await connection.get(UploadState.self, "/v1/uploads/\(id)")
      } catch let error as PublishingError where error.status == 404 {
        // The upload was discarded or is already finished, so start a new one.
      }
    }
    let answer = try await connection.send(
      .POST, "/v1/uploads?digest=\(blob.digest)&size=\(blob.size)")
    guard answer.status == 201 else { return nil }
    let state = try answer.decode(UploadState.self)
    remember(state.id, blob)
    return state
  }

  /// Waits before the next attempt.
  ///
  /// - Throws: The error if there is no further attempt.
  private static func pause(after error: PublishingError, number: Int) async throws {
    let isTransient =
      !error.isRefusalOfBytes
      && (error.status.map { $0 >= 500 || $0 == 429 || $0 == 416 } ?? (error.code == .noAnswer))
    let failure = FailedAttempt(error, isTransient: isTransient)
    guard let pause = retries.pause(after: failure, number: number) else { throw error }
    try await Task.sleep(for: pause)
  }

  // Failing to remember an upload isn't an error. An interrupted upload then starts again.

  private func memoryPath(of blob: BlobReference) -> String? {
    memory.map { $0 + "/" + blob.digest.hexadecimal }
  }

  private func remembered(_ blob: BlobReference) -> String? {
    guard let memoryPath = memoryPath(of: blob), let data = try? FileSystem.read(memoryPath),
      let id = RepositoryName(String(decoding: data, as: UTF8.self))
    else { return nil }
    return id.text
  }

  private func remember(_ id: String, _ blob: BlobReference) {
    guard let memory, let memoryPath = memoryPath(of: blob) else { return }
    try? FileManager.default.createDirectory(
      atPath: memory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try? Data(id.utf8).write(to: URL(filePath: memoryPath), options: .atomic)
  }

  private func forget(_ blob: BlobReference) {
    if let memoryPath = memoryPath(of: blob) {
      try? FileManager.default.removeItem(atPath: memoryPath)
    }
  }
}

extension PublishingError {
  /// Whether the server won't store the bytes, however often they are sent.
  fileprivate var isRefusalOfBytes: Bool {
    code == Code(rawValue: "quota_exceeded") || code == Code(rawValue: "blob_too_large")
  }
}
#endif
