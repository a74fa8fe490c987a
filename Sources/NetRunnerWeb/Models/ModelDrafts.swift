// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import HTTPTypes
import Synchronization
import TensorIO

/// Changed descriptions of models that are tried out, but not saved.
///
/// A draft is a bundle in a hidden folder, which shares the model's files. Each loaded draft has processes of
/// its own, so only a few are kept, and the oldest ones are removed.
final class ModelDrafts: Sendable {
  struct Draft: Sendable {
    let id: String
    let model: ServedModel
    fileprivate let folder: Folder
  }

  /// A folder that is deleted when no draft and no request uses it any more.
  fileprivate final class Folder: Sendable {
    let path: String

    init(in folder: String) throws {
      path = "\(folder)/\(BundleArchive.freshPrefix)\(UUID().uuidString)"
      try ScratchFolder.makeFolder(path, "for a draft ")
    }

    // If the folder can't be deleted, the next start of the server tries it again.
    deinit { try? FileManager.default.removeItem(atPath: path) }
  }

  /// How many drafts are kept.
  static let limit = 4

  private let catalogue: ModelCatalogue
  /// The drafts, oldest first.
  private let drafts = Mutex<[Draft]>([])

  init(_ catalogue: ModelCatalogue) { self.catalogue = catalogue }

  /// Makes a draft of a model, and loads it.
  ///
  /// - Parameters:
  ///   - description: The changed description.
  ///   - model: The model.
  ///   - queue: The threads that write files.
  /// - Returns: The draft.
  /// - Throws: ``WebError`` with the problems of the description.
  func add(
    _ description: ModelDescription, of model: ServedModel, on queue: WorkQueue
  ) async throws -> Draft {
    let folder = try Folder(in: catalogue.folder)
    let path = folder.path + "/" + FileSystem.name(of: model.bundle.path)
    do {
      let draft = try await queue.run { () throws -> Draft in
        try description.write(to: path, filesOf: model.bundle)
        let bundle = try ModelBundle(path)
        try ModelDescription.requireID(model.id, of: bundle)
        return Draft(
          id: UUID().uuidString.lowercased(), model: ServedModel(bundle, isShipped: false),
          folder: folder)
      }
      _ = try await catalogue.evaluator(of: draft.model)
      let oldest = drafts.withLock { drafts -> Draft? in
        drafts.append(draft)
        return drafts.count > Self.limit ? drafts.removeFirst() : nil
      }
      // Its processes and its folder end here, outside of the lock.
      withExtendedLifetime(oldest) {}
      return draft
    } catch let error as ImportError {
      throw WebError(error)
    } catch let error as TensorIOError where error.code != .missingLibrary {
      throw WebError(invalidDescription: error.about(path))
    }
  }

  func draft(_ id: String, of model: String) throws -> Draft {
    guard let draft = drafts.withLock({ $0.first { $0.id == id && $0.model.id == model } }) else {
      throw Self.noDraft(id)
    }
    return draft
  }

  func remove(_ id: String, of model: String) throws {
    let draft = drafts.withLock { drafts -> Draft? in
      let index = drafts.firstIndex { $0.id == id && $0.model.id == model }
      return index.map { drafts.remove(at: $0) }
    }
    guard let draft else { throw Self.noDraft(id) }
    // Its processes and its folder end here, outside of the lock.
    withExtendedLifetime(draft) {}
  }

  /// Removes all drafts with their folders, before the server ends.
  func removeAll() {
    let all = drafts.withLock { drafts in
      defer { drafts = [] }
      return drafts
    }
    // Their processes and folders end here, outside of the lock.
    withExtendedLifetime(all) {}
  }

  private static func noDraft(_ id: String) -> WebError {
    WebError(
      status: .notFound, code: "draft_not_found",
      message: "There is no draft '\(id.prefix(100))' of this model. Send the description again.")
  }
}

extension WebError {
  /// An error with the problems of a description that can't be used.
  init(invalidDescription error: TensorIOError) {
    let error = error.naming { FileSystem.name(of: $0) }
    let issues = error.issues.filter { $0.severity == .error }
    self.init(
      status: .unprocessableContent, code: "invalid_bundle",
      message: issues.first.map { "\($0)" } ?? error.message)
    self.issues = issues
  }
}

extension BundleIssue {
  var json: JSONObject {
    [
      "code": code.rawValue, "severity": severity.rawValue, "path": path, "message": "\(self)",
      "expected": expected, "found": found, "suggestion": suggestion,
    ]
  }
}
#endif
