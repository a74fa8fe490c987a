// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Files
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

  private let root: String
  private let realRoot: String
  private let isConfined: Bool
  private var soundPaths: [String] = []
  private var arrayPaths: [String] = []
  private var brokenLinks: [String] = []
  private var leavingLinks: [String] = []
  private var folderLinks: [String] = []
  private var specialFiles: [String] = []
  private var unreadableNames: [String] = []

  /// Finds the images in a folder, or the other files if there are no images and they are allowed.
  ///
  /// Hidden files and `__MACOSX` are skipped. Links to images are followed, wherever they lead. If
  /// the folder is confined, because its author must not read other files of this machine, links
  /// that lead out of it are skipped, too. Links to folders aren't followed, because they could
  /// form a cycle or lead to the same images twice. Pipes and devices with the name of an image are
  /// skipped because reading them might never end.
  init(_ path: String, isConfined: Bool = false, allowsOthers: Bool = false) throws {
    root = path
    self.isConfined = isConfined
    guard let real = FileOperations.realPath(path) else {
      throw TensorIOError(.fileNotFound, "There is no folder '\(path)'.")
    }
    realRoot = real
    var folders = [""]
    while let folder = folders.popLast() {
      try read(folder, into: &folders)
    }
    if allowsOthers, paths.isEmpty {
      paths = soundPaths.isEmpty ? arrayPaths : soundPaths
      soundPaths = []
    }
    if allowsOthers, !soundPaths.isEmpty {
      notes.append("left out: \(counted(soundPaths.count, "recording")) beside images")
    }
    paths.sort(by: Self.precedes)
    subfolders.sort(by: Self.precedes)
    note(brokenLinks, "link", "leads nowhere", "lead nowhere")
    note(leavingLinks, "link", "leads out of the folder", "lead out of the folder")
    note(folderLinks, "link to a folder", "is not followed", "are not followed", "links to folders")
    note(specialFiles, "file", "is a pipe or a device", "are pipes or devices")
    note(unreadableNames, "name", "is not UTF-8", "are not UTF-8")
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

  private mutating func read(_ folder: String, into folders: inout [String]) throws {
    let path = folder.isEmpty ? root : root + "/" + folder
    for name in try FileSystem.contents(of: path) where !name.hasPrefix(".") && name != "__MACOSX" {
      let relative = folder.isEmpty ? name : folder + "/" + name
      guard let status = try? FileStatus(of: root + "/" + relative, followsLinks: false) else {
        if name.unicodeScalars.contains("\u{FFFD}") { unreadableNames.append(relative) }
        continue
      }
      switch status.kind {
      case .folder:
        folders.append(relative)
        if folder.isEmpty { subfolders.append(name) }
      case .file where Self.isSample(name): add(relative)
      case .link: readLink(relative, name)
      case _ where Self.isSample(name): specialFiles.append(relative)
      default: break
      }
    }
  }

  private mutating func add(_ relative: String) {
    if Self.isImage(relative) {
      paths.append(relative)
    } else if Self.isSound(relative) {
      soundPaths.append(relative)
    } else {
      arrayPaths.append(relative)
    }
  }

  private mutating func readLink(_ relative: String, _ name: String) {
    guard let target = FileOperations.realPath(root + "/" + relative) else {
      if Self.isSample(name) { brokenLinks.append(relative) }
      return
    }
    if FileSystem.isFolder(target) {
      folderLinks.append(relative)
    } else if Self.isSample(name) {
      let prefix = realRoot.hasSuffix("/") ? realRoot : realRoot + "/"
      if isConfined, !target.hasPrefix(prefix) {
        leavingLinks.append(relative)
      } else if isRegularFile(target) {
        add(relative)
      } else {
        specialFiles.append(relative)
      }
    }
  }

  private func isRegularFile(_ path: String) -> Bool {
    (try? FileStatus(of: path))?.kind == .file
  }

  private mutating func note(
    _ paths: [String], _ noun: String, _ singular: String, _ plural: String, _ nouns: String? = nil
  ) {
    guard let first = paths.min(by: Self.precedes) else { return }
    let verb = paths.count == 1 ? singular : plural
    let example = paths.count == 1 ? "'\(first)'" : "the first is '\(first)'"
    notes.append("left out: \(counted(paths.count, noun, nouns)) that \(verb) (\(example))")
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
      if ObjectAddress.isAddress(path) {
        let isBucket = ObjectAddress.isPrefix(path) && !path.hasSuffix("/")
        add(isBucket ? path + "/" : path, .url(isBucket ? path + "/" : path))
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
        add(path, .file(path))
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
  private static func isTable(_ path: String) -> Bool {
    let lowercased = path.lowercased()
    return [".csv", ".tsv", ".jsonl", ".ndjson", ".npz"].contains(where: lowercased.hasSuffix)
  }
}
