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
  /// If the folder has a single table or COCO document, that file determines the images. Images
  /// outside of the confined folder are errors. Messages don't contain the server's own paths.
  func dataset() throws -> Dataset {
    do {
      let (folder, name) = try start()
      var dataset = try read(folder)
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

  private func start() throws -> (path: String, name: String) {
    var (path, name) = (path, name)
    guard stepsInto else { return (path, name) }
    for _ in 0..<RelativePath.maximumDepth {
      let contents = try Self.contents(of: path)
      guard contents.count == 1, FileSystem.isFolder(path + "/" + contents[0]) else { break }
      name = contents[0]
      path += "/" + name
    }
    return (path, name)
  }

  private func read(_ path: String) throws -> Dataset {
    guard FileSystem.isFolder(path), !path.hasSuffix(".testbundle"),
      !FileSystem.isFile(path + "/test.json")
    else { return try dataset(path) }
    let contents = try Self.contents(of: path)
    let tables = contents.filter { name in
      [".csv", ".tsv", ".jsonl", ".ndjson"].contains { name.hasEnding($0) }
    }
    if tables.count == 1 { return try list(tables[0], in: path, nil) }
    var documents = contents.filter { $0.hasEnding(".json") }
    if documents.isEmpty, FileSystem.isFolder(path + "/annotations"),
      confinedFolder.confinedPath(of: path + "/annotations") != nil
    {
      documents = try Self.contents(of: path + "/annotations")
        .filter { $0.hasEnding(".json") }.map { "annotations/" + $0 }
    }
    guard documents.count == 1 else { return try dataset(path) }
    return try list(documents[0], in: path, .coco)
  }

  /// Reads a table or COCO annotations, or all samples of the folder if the file isn't valid or is a
  /// table that lists no existing file.
  ///
  /// Without a layout, the file is a table: of files, of values, or of MLPerf Tiny's sample files.
  private func list(
    _ file: String, in folder: String, _ layout: Dataset.Layout?
  ) throws -> Dataset {
    let named = Result { try dataset(folder + "/" + file, layout: layout) }
    if let dataset = try? named.get(),
      layout != nil || dataset.samples.contains(where: \.isThere)
    {
      return dataset
    }
    guard var images = try? dataset(folder) else { return try named.get() }
    let reason =
      switch named {
      case .success: "none of the files that it lists exist"
      case .failure(let error):
        (error as? TensorIOError)?.naming(confinedFolder.shown).message ?? "\(error)"
      }
    images.notes.append("left out: \(layout == nil ? "the table " : "")'\(file)': \(reason)")
    return images
  }

  private func dataset(_ path: String, layout: Dataset.Layout? = nil) throws -> Dataset {
    var options = DatasetOptions()
    options.confinedFolder = confinedFolder
    return try Dataset(contentsOf: path, layout: layout, options: options)
  }

  /// Returns the sorted contents of a folder, without hidden files and `__MACOSX`.
  private static func contents(of path: String) throws -> [String] {
    try FileSystem.contents(of: path).filter { !$0.hasPrefix(".") && $0 != "__MACOSX" }.sorted()
  }
}

extension Sample {
  /// Whether the sample is an existing file inside the confined folder, or needs none.
  fileprivate var isThere: Bool {
    switch source {
    case .file(let path): FileSystem.isFile(path)
    case .numbers(let file): FileSystem.isFile(file.path)
    case .row, .tensor: true
    case .url, .bytes, .pixels, .refused: false
    }
  }
}

extension String {
  fileprivate func hasEnding(_ ending: String) -> Bool { lowercased().hasSuffix(ending) }
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
