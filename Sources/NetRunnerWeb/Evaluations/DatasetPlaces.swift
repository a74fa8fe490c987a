// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import HTTPTypes
import NetRunner
import TensorIO

/// The only places that clients may have evaluated: their uploads, the server's folders of photos,
/// and the samples.
struct DatasetPlaces: Sendable {
  let uploads: UploadStore
  /// The server's folders.
  let folders: [String]
  /// The folder of the samples.
  let samples: String

  /// Finds a place, which blocks.
  ///
  /// - Throws: ``WebError`` where there is no such place, or it leads out of a folder.
  func place(of source: EvaluationRequest.Source) throws -> DatasetPlace {
    switch source {
    case .upload(let id):
      let use = try uploads.use(id)
      guard let confinedFolder = ConfinedFolder(use.upload.filesFolder) else {
        throw WebError.noUpload(id)
      }
      return DatasetPlace(
        path: confinedFolder.path, name: "upload", confinedFolder: confinedFolder, use: use,
        stepsInto: true)
    case .samples:
      guard let confinedFolder = ConfinedFolder(samples) else { throw Self.noFolder("samples") }
      return DatasetPlace(
        path: confinedFolder.path, name: "samples", confinedFolder: confinedFolder)
    case .folder(let text): return try folder(text)
    }
  }

  private func folder(_ text: String) throws -> DatasetPlace {
    // "photos/" is "photos".
    let parts = try RelativePath(text.hasSuffix("/") ? String(text.dropLast()) : text).parts
    guard let folder = folders.first(where: { FileSystem.name(of: $0) == parts[0] }),
      let confinedFolder = ConfinedFolder(folder),
      let path = confinedFolder.place(
        of: ([confinedFolder.path] + parts.dropFirst()).joined(separator: "/"))
    else { throw Self.noFolder(text) }
    return DatasetPlace(path: path, name: parts[parts.count - 1], confinedFolder: confinedFolder)
  }

  private static func noFolder(_ name: String) -> WebError {
    WebError(
      status: .notFound, code: "folder_not_found",
      message:
        "There is no folder '\(name.prefix(200))' among those of GET /api/v1/server, or no such path "
        + "in it.")
  }
}
#endif
