// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Files
import Foundation
import Hummingbird
import Synchronization
import TensorIO

/// The files that clients send for evaluations, with a separate folder for each upload.
///
/// A file belongs to its upload when it is complete, and is written to disk in chunks until then.
/// An upload is removed when it is deleted, or when it wasn't used for some hours.
final class UploadStore: Sendable {
  private let scratch: ScratchFolder
  private let root: String
  private let limits: UploadLimits
  private let now: @Sendable () -> ContinuousClock.Instant
  /// The queue that reads and writes files.
  let disk: WorkQueue
  /// The queue that deletes folders, which takes long for large ones.
  private let cleaner = DispatchQueue(label: "tensorio.web.uploads")
  private let uploads = Mutex<[String: Upload]>([:])

  private static let pieceSize = 1 << 17
  private static let sweepInterval = DispatchTimeInterval.seconds(600)

  /// Makes a store.
  init(
    scratch: ScratchFolder, disk: WorkQueue, limits: UploadLimits = UploadLimits(),
    now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
  ) throws {
    self.scratch = scratch
    self.disk = disk
    self.limits = limits
    self.now = now
    root = try scratch.folder("uploads")
    scheduleSweep()
  }

  /// Creates an upload, blocking the calling thread, and returns its identifier.
  ///
  /// If there are too many uploads, one that wasn't used for a while is removed.
  func create() throws -> String {
    sweep()
    let id = UUID().uuidString.lowercased()
    let upload = Upload(folder: root + "/" + id, lastUse: now())
    for folder in [upload.filesFolder, upload.partialFolder] {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true)
    }
    let (isAdded, evicted) = uploads.withLock { uploads -> (Bool, String?) in
      var evicted: String?
      if uploads.count >= limits.uploads {
        let idle = uploads.filter {
          $0.value.uses == 0 && $0.value.lastUse.duration(to: now()) >= limits.idleTime
        }
        guard let oldest = idle.min(by: { $0.value.lastUse < $1.value.lastUse }) else {
          return (false, nil)
        }
        evicted = oldest.value.folder
        uploads[oldest.key] = nil
      }
      uploads[id] = upload
      return (true, evicted)
    }
    if let evicted { clean(evicted) }
    guard isAdded else {
      clean(upload.folder)
      throw WebError(
        status: .conflict, code: "too_many_uploads",
        message: "There are already \(limits.uploads) uploads in use. Delete one, or try again "
          + "later.")
    }
    return id
  }

  /// Receives a file, of which nothing is left if this throws.
  func receive(_ path: RelativePath, for id: String, from request: Request) async throws {
    let announced = request.headers[.contentLength].flatMap(Int.init)
    guard announced ?? 0 <= limits.fileBytes else {
      throw WebError.fileTooLarge(limits.fileBytes, path)
    }
    let use = try use(id)
    try change(id) { try $0.reserve(path, limits) }
    var count = 0
    do {
      let name = use.upload.partialFolder + "/" + UUID().uuidString
      do {
        let file = try await writing { try OpenFile(creating: name) }
        try await receive(path, for: id, request.body, announced, into: file, &count)
        let destination = use.upload.filesFolder + "/" + path.text
        // A deleted upload doesn't accept any more files.
        try change(id) { $0.lastUse = now() }
        try await writing {
          try FileManager.default.createDirectory(
            atPath: FileSystem.folder(of: destination), withIntermediateDirectories: true)
          try file.checkWritten()
          try FileSystem.rename(name, to: destination)
        }
      } catch {
        try? await disk.run { try FileSystem.remove(name) }
        throw error
      }
    } catch {
      try? change(id) { $0.release(path, count) }
      // Any other error means that the connection ended.
      throw error as? WebError ?? WebError.incomplete(path)
    }
  }

  private func receive(
    _ path: RelativePath, for id: String, _ body: RequestBody, _ announced: Int?,
    into file: OpenFile, _ count: inout Int
  ) async throws {
    var pending = ByteBuffer()
    for try await part in body {
      guard count + part.readableBytes <= limits.fileBytes else {
        throw WebError.fileTooLarge(limits.fileBytes, path)
      }
      try change(id) { try $0.add(part.readableBytes, limits) }
      count += part.readableBytes
      pending.writeImmutableBuffer(part)
      guard pending.readableBytes >= Self.pieceSize else { continue }
      let piece = pending
      pending = ByteBuffer()
      try await writing { try piece.withUnsafeReadableBytes(file.write) }
    }
    // A connection that was cut off can look like the end of the body.
    guard announced ?? count == count else { throw WebError.incomplete(path) }
    let rest = pending
    try await writing { try rest.withUnsafeReadableBytes(file.write) }
  }

  /// Runs work that writes files on the disk's queue.
  private func writing<Result: Sendable>(
    _ work: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await disk.run { try WebError.storing(work) }
  }

  /// Returns a lease that keeps an upload from being deleted while the lease exists.
  func use(_ id: String) throws -> UploadLease {
    let upload = try uploads.withLock { uploads in
      guard var upload = uploads[id], !upload.isDeleted else { throw WebError.noUpload(id) }
      upload.uses += 1
      upload.lastUse = now()
      uploads[id] = upload
      return upload
    }
    return UploadLease(upload) { [weak self] in self?.release(id) }
  }

  /// Records that an upload is used, ignoring an upload that no longer exists.
  func touch(_ id: String) { try? change(id) { $0.lastUse = now() } }

  /// Deletes an upload, immediately or as soon as it has no users.
  func delete(_ id: String) throws {
    try change(id) { $0.isDeleted = true }
    sweep()
  }

  /// Deletes uploads that weren't used for a long time, and those that are marked for deletion.
  func sweep() {
    let old = uploads.withLock { uploads -> [String] in
      let old = uploads.filter { _, upload in
        upload.uses == 0
          && (upload.isDeleted || upload.lastUse.duration(to: now()) >= limits.unusedTime)
      }
      for id in old.keys { uploads[id] = nil }
      return old.values.map(\.folder)
    }
    for folder in old { clean(folder) }
  }

  private func release(_ id: String) {
    uploads.withLock { uploads in
      uploads[id]?.uses -= 1
      uploads[id]?.lastUse = now()
    }
    sweep()
  }

  private func change(_ id: String, _ body: (inout Upload) throws -> Void) throws {
    try uploads.withLock { uploads in
      guard uploads[id]?.isDeleted == false else { throw WebError.noUpload(id) }
      // Change the upload in place, because copying all its paths for each new one would take far
      // too long.
      try body(&uploads[id, default: Upload(folder: root, lastUse: now())])
    }
  }

  private func clean(_ folder: String) {
    cleaner.async { try? FileManager.default.removeItem(atPath: folder) }
  }

  private func scheduleSweep() {
    cleaner.asyncAfter(deadline: .now() + Self.sweepInterval) { [weak self] in
      self?.sweep()
      self?.scheduleSweep()
    }
  }
}

final class UploadLease: Sendable {
  /// The upload as it was when the lease began.
  let upload: Upload
  private let onEnd: @Sendable () -> Void

  init(_ upload: Upload, onEnd: @escaping @Sendable () -> Void) {
    self.upload = upload
    self.onEnd = onEnd
  }

  deinit { onEnd() }
}
#endif
