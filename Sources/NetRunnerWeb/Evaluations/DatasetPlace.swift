// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import HTTPTypes
import NetRunner
import TensorIO

/// Where the pictures of an evaluation lie, and which folder nothing is read outside of.
struct DatasetPlace: Sendable {
  /// What is read: a folder, or a file that names pictures.
  let path: String
  /// What people call it.
  let name: String
  /// The folder that everything must lie in.
  let confinedFolder: ConfinedFolder
  /// What keeps an upload from being deleted; nil for other places.
  var use: UploadLease?
  /// Whether folders that have nothing but a folder are stepped into, as uploads of a folder are.
  var stepsInto = false

  /// Reads the dataset, which blocks.
  ///
  /// A folder whose pictures a single table or COCO document names is read as that says.
  ///
  /// - Returns: The dataset, with errors for pictures outside of the enclosure.
  /// - Throws: ``WebError`` that says what is wrong with it, without the server's own paths.
  func dataset() throws -> Dataset {
    do {
      let (folder, name) = try start()
      var dataset = try read(folder)
      switch dataset.layout {
      case .folder, .classFolders, .classMaps: dataset.name = name
      case .testBundle, .csv, .coco: break
      }
      dataset.path = name
      dataset.notes = dataset.notes.map(cleaned)
      return dataset
    } catch let error as TensorIOError {
      throw WebError(
        status: .unprocessableContent, code: "invalid_dataset", message: cleaned(error.message))
    }
  }

  /// A message without the server's own paths.
  func cleaned(_ message: String) -> String {
    message.replacing(confinedFolder.path + "/", with: "").replacing(
      confinedFolder.path, with: name)
  }

  /// The folder that the dataset begins in, and its name.
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
    let tables = contents.filter { name in [".csv", ".tsv"].contains { name.hasEnding($0) } }
    if tables.count == 1 { return try table(tables[0], in: path) }
    var documents = contents.filter { $0.hasEnding(".json") }
    if documents.isEmpty, FileSystem.isFolder(path + "/annotations"),
      confinedFolder.place(of: path + "/annotations") != nil
    {
      documents = try Self.contents(of: path + "/annotations")
        .filter { $0.hasEnding(".json") }.map { "annotations/" + $0 }
    }
    guard documents.count == 1 else { return try dataset(path) }
    return try annotations(documents[0], in: path)
  }

  /// The pictures of a table; those of the folder where it names none that is there.
  private func table(_ table: String, in folder: String) throws -> Dataset {
    let named = Result { try dataset(folder + "/" + table, layout: .csv) }
    if let dataset = try? named.get(), dataset.samples.contains(where: \.isThere) { return dataset }
    guard var pictures = try? dataset(folder) else { return try named.get() }
    let reason =
      switch named {
      case .success: "it names no picture that is there"
      case .failure(let error): (error as? TensorIOError)?.message ?? "\(error)"
      }
    pictures.notes.append("left out: the table '\(table)': \(reason)")
    return pictures
  }

  /// The pictures of COCO's annotations; those of the folder where the document is none.
  private func annotations(_ document: String, in folder: String) throws -> Dataset {
    let named = Result { try dataset(folder + "/" + document, layout: .coco) }
    if let dataset = try? named.get() { return dataset }
    guard var pictures = try? dataset(folder) else { return try named.get() }
    if case .failure(let error as TensorIOError) = named {
      pictures.notes.append("left out: '\(document)': \(error.message)")
    }
    return pictures
  }

  private func dataset(_ path: String, layout: Dataset.Layout? = nil) throws -> Dataset {
    var options = DatasetOptions()
    options.confinedFolder = confinedFolder
    return try Dataset(contentsOf: path, layout: layout, options: options)
  }

  /// What a folder shows, without what systems put there.
  private static func contents(of path: String) throws -> [String] {
    try FileSystem.contents(of: path).filter { !$0.hasPrefix(".") && $0 != "__MACOSX" }.sorted()
  }
}

extension Sample {
  /// Whether the picture is a file that may be read and is there.
  fileprivate var isThere: Bool {
    guard case .file(let path) = source else { return false }
    return FileSystem.isFile(path)
  }
}

extension String {
  fileprivate func hasEnding(_ ending: String) -> Bool { lowercased().hasSuffix(ending) }
}
#endif
