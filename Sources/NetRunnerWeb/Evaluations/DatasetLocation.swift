// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import HTTPTypes
import NetRunner
import TensorIO

/// The location of an evaluation's images, and the folder that confines all reads.
struct DatasetLocation: Sendable {
  /// The path to read: a folder, or a file that lists images.
  let path: String
  let name: String
  /// The folder that must contain every file that is read.
  let confinedFolder: ConfinedFolder
  /// The lease that keeps an upload from being deleted, or nil for other locations.
  var use: UploadLease?
  /// Whether to descend into a folder that contains only another folder, as an uploaded folder
  /// does.
  var stepsInto = false

  /// Reads the dataset, blocking the calling thread.
  ///
  /// Images outside of the confined folder are errors. Messages don't contain the server's own paths.
  func dataset() throws -> Dataset {
    do {
      let folder =
        stepsInto ? try DatasetReader.innermostFolder(of: path, within: confinedFolder) : path
      let name = folder == path ? self.name : FileSystem.name(of: folder)
      var options = DatasetOptions()
      options.confinedFolder = confinedFolder
      var dataset = try Dataset(contentsOf: folder, options: options)
      switch dataset.layout {
      case .folder, .classFolders, .classMaps, .mlperfTiny: dataset.name = name
      case .testBundle, .csv, .coco, .rows, .arrays: break
      }
      dataset.path = name
      return dataset
    } catch let error as TensorIOError {
      throw WebError(
        status: .unprocessableContent, code: "invalid_dataset",
        message: error.naming(confinedFolder.shown).message)
    }
  }
}

/// Finds the images that clients may evaluate.
///
/// These are their uploads, the server's photo folders and the samples. Clients can't evaluate
/// anything else.
struct DatasetLocations: Sendable {
  let uploads: UploadStore
  let folders: [String]
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
