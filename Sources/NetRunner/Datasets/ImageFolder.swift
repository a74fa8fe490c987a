// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// The images in a folder and its subfolders.
///
/// If there are none, these are the recordings, and otherwise the NumPy files.
struct ImageFolder {
  /// The file name extensions of images, in lowercase.
  static let extensions = ["jpg", "jpeg", "png", "bmp", "webp"]
  /// The file name extensions of recordings, in lowercase.
  static let soundExtensions = ["wav", "flac", "ogg"]
  /// The file name extension of NumPy files.
  static let arrayExtensions = ["npy"]

  /// The files' paths relative to the folder, sorted by their bytes.
  private(set) var paths: [String] = []
  /// The names of the direct subfolders, sorted by their bytes.
  private(set) var subfolders: [String] = []
  private(set) var notes: [String] = []

  /// Finds the images in a folder, or the other files if there are no images and they are allowed.
  ///
  /// ``FolderWalk`` decides which files are left out.
  init(_ path: String, isConfined: Bool = false, allowsOthers: Bool = false) throws {
    var walk = try FolderWalk(path, isConfined: isConfined)
    var soundPaths: [String] = []
    var arrayPaths: [String] = []
    while let file = try walk.next() {
      if Self.isImage(file) {
        paths.append(file)
      } else if Self.isSound(file) {
        soundPaths.append(file)
      } else {
        arrayPaths.append(file)
      }
    }
    subfolders = walk.subfolders
    if allowsOthers, paths.isEmpty {
      paths = soundPaths.isEmpty ? arrayPaths : soundPaths
      soundPaths = []
    }
    if allowsOthers, !soundPaths.isEmpty {
      notes.append("left out: \(counted(soundPaths.count, "recording")) beside images")
    }
    notes += walk.notes
  }

  /// Whether a path has the file name extension of an image.
  static func isImage(_ path: String) -> Bool { has(extensions, path) }

  /// Whether a path has the file name extension of an image, a recording or a NumPy file.
  static func isSample(_ path: String) -> Bool {
    has(extensions + soundExtensions + arrayExtensions, path)
  }

  /// Whether a path has the file name extension of a NumPy file.
  static func isArray(_ path: String) -> Bool { has(arrayExtensions, path) }

  /// Whether a path has the file name extension of a recording.
  static func isSound(_ path: String) -> Bool { has(soundExtensions, path) }

  private static func has(_ extensions: [String], _ path: String) -> Bool {
    let name = FileSystem.name(of: path)
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return false }
    return extensions.contains(name[name.index(after: dot)...].lowercased())
  }

  /// Orders paths by their bytes, so that the order doesn't depend on the locale.
  static func precedes(_ left: String, _ right: String) -> Bool {
    left.utf8.lexicographicallyPrecedes(right.utf8)
  }
}

extension Dataset {
  /// Creates a dataset of individual images, of all images in folders, and of the rows of tables.
  ///
  /// Recordings and NumPy files are taken as images are.
  ///
  /// - Parameter paths: Images, folders, tables (.csv, .jsonl, .npz) and URLs (https://, http:// or
  ///   s3://). A missing file isn't an error here: it becomes a row with an error. Duplicate paths
  ///   are counted once. ``BulkRun`` finds the samples in tar archives and below `s3://bucket/folder/`.
  /// - Throws: `TensorIOError` if a folder can't be read, or if there are no images.
  public init(images paths: [String]) throws {
    var samples: [Sample] = []
    var notes: [String] = []
    var seen: Set<ExactName> = []
    var repeated = 0
    func add(_ id: String, _ source: ImageSource) {
      if seen.insert(ExactName(id)).inserted {
        samples.append(Sample(id: id, source: source))
      } else {
        repeated += 1
      }
    }
    for path in paths {
      if ObjectAddress.isAddress(path) {
        let address = ObjectAddress.withSlash(path)
        add(address, .url(address))
      } else if FileSystem.isFolder(path) {
        let prefix = path.hasSuffix("/") ? path : path + "/"
        let folder = try ImageFolder(path, allowsOthers: true)
        notes += folder.notes.map { "\(path): \($0)" }
        for image in folder.paths { add(prefix + image, .file(prefix + image)) }
      } else if Self.isTable(path), FileSystem.isFile(path) {
        let table = try Dataset(contentsOf: path)
        notes += table.notes.map { "\(path): \($0)" }
        for sample in table.samples { add("\(path): \(sample.id)", sample.source) }
      } else {
        add(path, ImageSource(item: path))
      }
    }
    guard !samples.isEmpty else {
      throw DatasetReader.noImages(in: paths, notes, code: .fileNotFound)
    }
    let (prefixes, count) = (samples.map(\.id).filter(ObjectAddress.isPrefix), samples.count)
    samples.removeAll { sample in
      prefixes.contains { ObjectAddress.isListed(sample.id, below: $0) }
    }
    repeated += count - samples.count
    if repeated > 0 { notes.append("left out: \(counted(repeated, "repeated path"))") }
    self.init(
      layout: .folder, name: "", path: paths.count == 1 ? paths[0] : ".", samples: samples,
      notes: notes)
    name = paths.count == 1 ? FileSystem.name(of: paths[0]) : content.counted(samples.count)
  }

  static func isTable(_ path: String) -> Bool {
    let lowercased = path.lowercased()
    return [".csv", ".tsv", ".jsonl", ".ndjson", ".npz"].contains(where: lowercased.hasSuffix)
  }
}
