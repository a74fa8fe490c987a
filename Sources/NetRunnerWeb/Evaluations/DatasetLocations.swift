// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import HTTPTypes
import NetRunner
import TensorIO

/// Finds the images that clients may evaluate.
///
/// These are their uploads, the server's photo folders and the samples. Clients can't evaluate
/// anything else.
struct DatasetLocations: Sendable {
  let uploads: UploadStore
  /// The server's photo folders.
  let folders: [String]
  /// The folder with the samples.
  let samples: String

  /// Finds a location, blocking the calling thread.
  ///
  /// - Throws: ``WebError`` if the location doesn't exist, or is outside of its folder.
  func location(of source: EvaluationRequest.Source) throws -> DatasetLocation {
    switch source {
    case .upload(let id):
      let use = try uploads.use(id)
      guard let confinedFolder = ConfinedFolder(use.upload.filesFolder, named: "upload") else {
        throw WebError.noUpload(id)
      }
      return DatasetLocation(
        path: confinedFolder.path, name: "upload", confinedFolder: confinedFolder, use: use,
        stepsInto: true)
    case .samples:
      guard let confinedFolder = ConfinedFolder(samples, named: "samples") else {
        throw Self.noFolder("samples")
      }
      return DatasetLocation(
        path: confinedFolder.path, name: "samples", confinedFolder: confinedFolder)
    case .folder(let text): return try folder(text)
    }
  }

  private func folder(_ text: String) throws -> DatasetLocation {
    // Accept a trailing slash: "photos/" is the same as "photos".
    let parts = try RelativePath(text.hasSuffix("/") ? String(text.dropLast()) : text).parts
    guard let folder = folders.first(where: { FileSystem.name(of: $0) == parts[0] }),
      let confinedFolder = ConfinedFolder(folder),
      let path = confinedFolder.confinedPath(
        of: ([confinedFolder.path] + parts.dropFirst()).joined(separator: "/"))
    else { throw Self.noFolder(text) }
    return DatasetLocation(path: path, name: parts[parts.count - 1], confinedFolder: confinedFolder)
  }

  private static func noFolder(_ name: String) -> WebError {
    WebError(
      status: .notFound, code: "folder_not_found",
      message:
        "There is no folder '\(name.prefix(200))'. Use a folder that GET /api/v1/server lists, or "
        + "a path inside it.")
  }
}
#endif
