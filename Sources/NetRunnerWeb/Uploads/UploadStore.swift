// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Dispatch
import Foundation
import Hummingbird
import NIOCore
import Synchronization
import TensorIO

/// The files that clients send for evaluations, each upload in a folder of its own.
///
/// A file is there when it is whole; what comes is written to the disk piece by piece. An upload goes
/// away when it is deleted, or was not used for some hours.
final class UploadStore: Sendable {
  private let scratch: ScratchFolder
  private let root: String
  private let limits: UploadLimits
  private let now: @Sendable () -> ContinuousClock.Instant
  /// Reads and writes files.
  let disk: WorkQueue
  /// Deletes folders, which takes long for large ones.
  private let cleaner = DispatchQueue(label: "tensorio.web.uploads")
  private let uploads = Mutex<[String: Upload]>([:])

  private static let pieceSize = 1 << 17
  private static let sweepInterval = DispatchTimeInterval.seconds(600)

  /// Makes a store.
  ///
  /// - Parameters:
  ///   - scratch: Where uploads lie.
  ///   - disk: Where files are read and written.
  ///   - limits: What uploads may have.
  ///   - now: The clock.
  /// - Throws: `TensorIOError` when there can be no folder.
  init(
    scratch: ScratchFolder, disk: WorkQueue, limits: UploadLimits = UploadLimits(),
    now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
  ) throws {
    self.scratch = scratch
    self.disk = disk
    self.limits = limits
    self.now = now
    root = try scratch.folder("uploads")
    sweepLater()
  }

  /// Begins an upload, which blocks.
  ///
  /// One that was not used for a while makes room where there are too many.
  ///
  /// - Returns: Its identifier.
  /// - Throws: ``WebError`` when there are too many.
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
      throw WebError.tooManyUploads(limits.uploads)
    }
    return id
  }

  /// Receives a file.
  ///
  /// - Parameters:
  ///   - path: Its path in the upload.
  ///   - id: The upload.
  ///   - request: The request that brings it.
  /// - Throws: ``WebError`` for an upload that is not there, a name that is taken and a file that is
  ///   too large; nothing of the file is left then.
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
      let file = try await disk.run { try PartialFile(name) }
      do {
        try await receive(path, for: id, request.body, announced, into: file, &count)
        let destination = use.upload.filesFolder + "/" + path.text
        // A deleted upload takes nothing more.
        try change(id) { $0.lastUse = now() }
        try await disk.run { try file.move(to: destination) }
      } catch {
        try? await disk.run { file.discard() }
        throw error
      }
    } catch {
      try? change(id) { $0.release(path, count) }
      // What else is thrown is the connection's end.
      throw error as? WebError ?? WebError.incomplete(path)
    }
  }

  private func receive(
    _ path: RelativePath, for id: String, _ body: RequestBody, _ announced: Int?,
    into file: PartialFile, _ count: inout Int
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
      try await disk.run { try file.write(piece) }
    }
    // A connection that was cut can look like the body's end.
    guard announced ?? count == count else { throw WebError.incomplete(path) }
    let rest = pending
    try await disk.run { try file.write(rest) }
  }

  /// Keeps an upload as long as what is returned lives.
  ///
  /// - Throws: ``WebError`` for an upload that is not there.
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

  /// Notes that an upload is used; one that is gone is no error.
  func touch(_ id: String) { try? change(id) { $0.lastUse = now() } }

  /// Deletes an upload: at once, or when nobody is at work with it any more.
  ///
  /// - Throws: ``WebError`` for an upload that is not there.
  func delete(_ id: String) throws {
    try change(id) { $0.isDeleted = true }
    sweep()
  }

  /// Deletes uploads that were not used for long, and those that were to be deleted.
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
      // In place: a copy of an upload's names for each of them would take for ever.
      try body(&uploads[id, default: Upload(folder: root, lastUse: now())])
    }
  }

  private func clean(_ folder: String) {
    cleaner.async { try? FileManager.default.removeItem(atPath: folder) }
  }

  private func sweepLater() {
    cleaner.asyncAfter(deadline: .now() + Self.sweepInterval) { [weak self] in
      self?.sweep()
      self?.sweepLater()
    }
  }
}

/// Keeps an upload from being deleted, as long as it lives.
final class UploadLease: Sendable {
  /// The upload as it was.
  let upload: Upload
  private let onEnd: @Sendable () -> Void

  init(_ upload: Upload, onEnd: @escaping @Sendable () -> Void) {
    self.upload = upload
    self.onEnd = onEnd
  }

  deinit { onEnd() }
}
#endif
