// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Files
import TensorIO

// Folders with a file that lists the samples: a table, or COCO annotations.
extension DatasetReader {
  /// How many folders inside of each other are opened, as an unpacked archive has them.
  private static let maximumDepth = 16
  /// The part of a JSON file that is searched for the keys of COCO annotations, in bytes.
  private static let headLength = 1 << 16

  /// Returns the folder inside of a folder that has nothing else, and so on, as in an unpacked archive.
  ///
  /// The confined folder isn't left. If it is nil, links can lead anywhere.
  package static func innermostFolder(
    of path: String, within confinedFolder: ConfinedFolder?
  ) throws -> String {
    var path = path
    for _ in 0..<maximumDepth {
      let contents = try visibleContents(of: path)
      guard contents.count == 1 else { break }
      let inner = path + "/" + contents[0]
      guard FileSystem.isFolder(inner), confinedFolder?.contains(inner) ?? true else { break }
      path = inner
    }
    return path
  }

  /// Reads the file that lists a folder's samples, or returns nil if there is none.
  ///
  /// This is the folder's only table, or its only COCO annotations, which can also be in a folder
  /// `annotations`. If that file isn't valid, or is a table that lists no existing file, the
  /// folder's samples are read without it, and a note says why.
  ///
  /// - Throws: `TensorIOError` if there are several files of annotations.
  func readListing() throws -> Dataset? {
    let folder = try Self.innermostFolder(of: path, within: options.confinedFolder)
    if folder != path, FileSystem.isFile(folder + "/test.json") {
      return try Dataset(contentsOf: folder, options: options)
    }
    let tables = try Self.visibleContents(of: folder).filter { name in
      [".csv", ".tsv", ".jsonl", ".ndjson"].contains { name.hasEnding($0) }
    }
    if tables.count == 1 { return try list(tables[0], in: folder, nil) }
    guard let file = try annotations(in: folder) else { return nil }
    return try list(file, in: folder, .coco)
  }

  /// Returns the path of the only COCO annotations in a folder, or nil if there are none.
  func annotationsPath() throws -> String? {
    let folder = try Self.innermostFolder(of: path, within: options.confinedFolder)
    return try annotations(in: folder).map { folder + "/" + $0 }
  }

  /// Returns the name of a folder's only COCO annotations, or nil if there are none.
  private func annotations(in folder: String) throws -> String? {
    var documents = try Self.visibleContents(of: folder).filter { $0.hasEnding(".json") }
    let inner = folder + "/annotations"
    if documents.isEmpty, FileSystem.isFolder(inner),
      options.confinedFolder?.contains(inner) ?? true
    {
      documents = try Self.visibleContents(of: inner).filter { $0.hasEnding(".json") }
        .map { "annotations/" + $0 }
    }
    guard documents.count > 1 else { return documents.first }
    // Other programs keep a JSON file beside each image, which isn't a dataset's annotations.
    let likely = documents.filter { looksLikeAnnotations(folder + "/" + $0) }
    guard likely.count > 1 else { return likely.first }
    let names = likely.prefix(5).map { "'\($0)'" }.joined(separator: ", ")
    throw TensorIOError(
      .wrongKind,
      "'\(folder)' has \(likely.count) files of annotations: \(names)\(likely.count > 5 ? ", …" : ""). "
        + "Name one of them, as in '\(folder)/\(likely[0])'.")
  }

  /// Whether the start of a JSON file has a key of COCO annotations.
  private func looksLikeAnnotations(_ path: String) -> Bool {
    guard options.confinedFolder?.contains(path) ?? true,
      let head = try? FileSystem.open(path).read(atMost: Self.headLength)
    else { return false }
    let text = String(decoding: head, as: UTF8.self)
    return text.contains(#""images""#) || text.contains(#""annotations""#)
  }

  /// Reads a table or COCO annotations, or all samples of the folder if the file can't be used.
  ///
  /// Without a layout, the file is a table: of files, of values, or of MLPerf Tiny's sample files.
  private func list(
    _ file: String, in folder: String, _ layout: Dataset.Layout?
  ) throws -> Dataset {
    let named = Result {
      try Dataset(contentsOf: folder + "/" + file, layout: layout, options: options)
    }
    if var dataset = try? named.get(),
      layout != nil || dataset.samples.contains(where: \.isThere)
    {
      let content = layout == .coco ? "annotations" : "table"
      dataset.notes.insert("read with the \(content) in '\(file)'", at: 0)
      return dataset
    }
    guard var rest = try? readWithoutListing() else { return try named.get() }
    let reason =
      switch named {
      case .success: "none of the files that it lists exist"
      case .failure(let error as TensorIOError):
        (options.confinedFolder.map { error.naming($0.shown) } ?? error).message
      case .failure(let error): "\(error)"
      }
    rest.notes.append("left out: \(layout == nil ? "the table " : "")'\(file)': \(reason)")
    return rest
  }

  /// Returns the sorted contents of a folder, without hidden files and `__MACOSX`.
  private static func visibleContents(of path: String) throws -> [String] {
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
