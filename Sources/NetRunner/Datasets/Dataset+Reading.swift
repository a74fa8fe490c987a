// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

extension Dataset {
  /// Reads a dataset: a test bundle, a folder, a table, COCO annotations or an image.
  ///
  /// ``notes`` tells people what was guessed and what was left out. A missing image isn't an error
  /// here. It becomes a row with an error when it is evaluated.
  ///
  /// ```swift
  /// let dataset = try Dataset(contentsOf: "photos").limited(to: 500, seed: 7)
  /// ```
  ///
  /// - Parameters:
  ///   - path: A folder or a file.
  ///   - layout: The layout of the dataset. If nil, it is guessed, unless two layouts are equally
  ///     likely.
  ///   - options: Options for what the layout leaves open.
  /// - Throws: `TensorIOError` that says where the problem is, what was expected and what was
  ///   found.
  public init(
    contentsOf path: String, layout: Layout? = nil, options: DatasetOptions = DatasetOptions()
  ) throws {
    let path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    guard FileSystem.isFolder(path) || FileSystem.isFile(path) else {
      throw TensorIOError(.fileNotFound, "There is no file or folder '\(path)'.")
    }
    do {
      var reader = DatasetReader(path: path, options: options)
      try reader.checkEnclosed(path)
      self = try reader.read(layout)
      if let confinedFolder = options.confinedFolder { self = confined(to: confinedFolder) }
      try checkIdentifiers()
    } catch let error as TensorIOError {
      throw error.about(path + "/", path)
    }
  }

  /// Creates a dataset of individual images and of all images in folders.
  ///
  /// - Parameter paths: Images, folders and URLs (https:// or http://). A missing file isn't an
  ///   error here: it becomes a row with an error. Duplicate paths are counted once.
  /// - Throws: `TensorIOError` if a folder can't be read, or if there are no images.
  public init(pictures paths: [String]) throws {
    var samples: [Sample] = []
    var notes: [String] = []
    var seen: Set<String> = []
    var repeated = 0
    func add(_ id: String, _ source: ImageSource) {
      if seen.insert(id).inserted {
        samples.append(Sample(id: id, source: source))
      } else {
        repeated += 1
      }
    }
    for path in paths {
      if path.hasPrefix("https://") || path.hasPrefix("http://") {
        add(path, .url(path))
      } else if FileSystem.isFolder(path) {
        let prefix = path.hasSuffix("/") ? path : path + "/"
        let folder = try PictureFolder(path)
        notes += folder.notes.map { "\(path): \($0)" }
        for picture in folder.pictures { add(prefix + picture, .file(prefix + picture)) }
      } else {
        add(path, .file(path))
      }
    }
    guard !samples.isEmpty else {
      throw DatasetReader.noPictures(in: paths, notes, code: .fileNotFound)
    }
    if repeated > 0 { notes.append("left out: \(counted(repeated, "repeated path"))") }
    let name =
      paths.count == 1 ? FileSystem.name(of: paths[0]) : counted(samples.count, "image")
    self.init(
      layout: .folder, name: name, path: paths.count == 1 ? paths[0] : ".", samples: samples,
      notes: notes)
  }

  /// Throws if an identifier occurs twice, because the results couldn't be told apart.
  private func checkIdentifiers() throws {
    var seen: Set<String> = []
    for sample in samples where !seen.insert(sample.id).inserted {
      throw TensorIOError(
        .wrongKind,
        "'\(path)' has two images '\(sample.id)', or two whose names look the same; rename one.")
    }
  }
}

/// Options for reading a dataset whose layout leaves something open.
public struct DatasetOptions: Sendable, Hashable {
  /// The folder that the paths in a table or in COCO annotations are relative to.
  ///
  /// If nil, a table's own folder is used, and the images of COCO annotations are looked for near
  /// the file.
  public var imagesFolder: String?
  /// The folder that all files must lie in, even when they are reached through links.
  ///
  /// If nil, the dataset can name any file.
  package var confinedFolder: ConfinedFolder?

  /// Creates options.
  public init(imagesFolder: String? = nil) {
    self.imagesFolder = imagesFolder
  }
}
