// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Files
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
    do {
      guard FileSystem.isFolder(path) || FileSystem.isFile(path) else {
        throw TensorIOError(.fileNotFound, "There is no file or folder '\(path)'.")
      }
      var reader = DatasetReader(path: path, options: options)
      try reader.checkEnclosed(path)
      self = try reader.read(layout)
      if let confinedFolder = options.confinedFolder { self = confined(to: confinedFolder) }
      try checkIdentifiers()
    } catch let error as TensorIOError {
      throw error.about(path + "/", path)
    }
  }

  /// Throws if an identifier occurs twice, because the results couldn't be told apart.
  private func checkIdentifiers() throws {
    var seen: Set<String> = []
    for sample in samples where !seen.insert(sample.id).inserted {
      throw TensorIOError(
        .wrongKind,
        "'\(path)' has two \(content.plural) '\(sample.id)', or two whose names look the same; rename one."
      )
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

package struct DatasetReader {
  let path: String
  let options: DatasetOptions

  /// The dataset's name, which is the real folder's if the path is empty, `.` or `..`.
  var name: String {
    let name = FileSystem.name(of: path)
    guard name.isEmpty || name == "." || name == ".." else { return name }
    return FileOperations.realPath(path).map(FileSystem.name(of:)) ?? path
  }

  mutating func read(_ layout: Dataset.Layout?) throws -> Dataset {
    guard let layout else {
      return try FileSystem.isFolder(path) ? guessFolder() : guessFile()
    }
    let isFolder = FileSystem.isFolder(path)
    if isFolder, layout == .coco, let file = try annotationsPath() {
      var dataset = try Dataset(contentsOf: file, layout: layout, options: options)
      dataset.notes.insert("read with the annotations in '\(FileSystem.name(of: file))'", at: 0)
      return dataset
    }
    switch layout {
    case .testBundle: return try readTestBundle()
    case .mlperfTiny: return try readSampleFiles()
    case .csv, .coco, .rows, .arrays:
      guard !isFolder else {
        throw TensorIOError(
          .wrongKind, "'\(path)' is a folder, but the layout '\(layout.rawValue)' needs a file.")
      }
      switch layout {
      case .csv: return try readTable()
      case .coco: return try readCOCO()
      case .rows: return try readRows()
      default: return try readArrays()
      }
    case .folder:
      return try isFolder ? readFolder(imageFolder(path)) : readImage()
    case .classFolders, .classMaps:
      guard isFolder else {
        throw TensorIOError(
          .wrongKind, "'\(path)' is a file, but the layout '\(layout.rawValue)' needs a folder.")
      }
      return try layout == .classMaps
        ? readClassMaps(mapFolders() ?? ("images", "masks"))
        : readClassFolders(imageFolder(path))
    }
  }

  func checkEnclosed(_ path: String) throws {
    guard let confinedFolder = options.confinedFolder, confinedFolder.confinedPath(of: path) == nil
    else {
      return
    }
    throw TensorIOError(
      .fileNotFound,
      "'\(path)' is missing, or lies outside the dataset's folder, so it was not read.")
  }

  private func imageFolder(_ folder: String) throws -> ImageFolder {
    try ImageFolder(folder, isConfined: options.confinedFolder != nil, allowsOthers: true)
  }

  /// The error for paths without images, with notes that say what was left out there.
  static func noImages(
    in paths: [String], _ notes: [String], code: TensorIOError.Code = .wrongKind
  ) -> TensorIOError {
    let list = paths.map { "'\($0)'" }.joined(separator: ", ")
    func names(_ extensions: [String]) -> String {
      extensions.map { "." + $0 }.joined(separator: ", ")
    }
    let message =
      "There are no images (\(names(ImageFolder.extensions))), recordings "
      + "(\(names(ImageFolder.soundExtensions))) or NumPy files (.npy) in \(list.isEmpty ? "an empty list" : list)."
    let hints = paths.compactMap { archiveHint(in: $0) }
    return TensorIOError(
      code, ([message] + hints + notes.map { "Note: \($0)." }).joined(separator: " "))
  }

  /// Says how archives in a folder are run; nil if it has none, or isn't a folder that can be read.
  private static func archiveHint(in folder: String) -> String? {
    let names = (try? FileSystem.contents(of: folder)) ?? []
    let count = names.count(where: ObjectAddress.isArchive)
    guard count > 0 else { return nil }
    return "'\(folder)' has \(counted(count, "archive")): pass archives themselves, such as "
      + "'\(folder.hasSuffix("/") ? folder : folder + "/")*.tar'."
  }

  // MARK: - Guesses

  private func guessFile() throws -> Dataset {
    let lowercased = FileSystem.name(of: path).lowercased()
    if lowercased == "test.json" { return try readTestBundle() }
    if lowercased == Self.sampleLabels { return try readSampleFiles() }
    if lowercased.hasSuffix(".json") { return try readCOCO() }
    if [".jsonl", ".ndjson"].contains(where: lowercased.hasSuffix) { return try readRows() }
    if [".npy", ".npz"].contains(where: lowercased.hasSuffix) { return try readArrays() }
    if [".csv", ".tsv", ".txt"].contains(where: lowercased.hasSuffix) { return try readTable() }
    if ImageFolder.isSample(path) { return try readImage() }
    throw TensorIOError(
      .wrongKind,
      "The name '\(path)' doesn't say what kind of dataset this is. A dataset is a folder of "
        + "images, a table (.csv, .tsv, .jsonl), NumPy arrays (.npy, .npz), COCO annotations (.json) "
        + "or an image. If it is one of them, name its layout (--layout).")
  }

  private func guessFolder() throws -> Dataset {
    if path.hasSuffix(".testbundle") || FileSystem.isFile(path + "/test.json") {
      return try readTestBundle()
    }
    return try readListing() ?? readWithoutListing()
  }

  /// Reads a folder whose samples no file lists.
  func readWithoutListing() throws -> Dataset {
    if FileSystem.isFile(path + "/" + Self.sampleLabels) { return try readSampleFiles() }
    if let folders = try mapFolders() { return try readClassMaps(folders) }
    let folder = try imageFolder(path)
    let anomalies = folder.paths.compactMap(AnomalyLabel.truth)
    if !anomalies.isEmpty, anomalies.count == folder.paths.count {
      return try readAnomalies(folder, anomalies)
    }
    let atRoot = folder.paths.count { !$0.contains("/") }
    let classes = Set(folder.paths.compactMap(Self.className(of:)))
    if atRoot == 0, !classes.isEmpty, try isSplit(folder) {
      let list = folder.subfolders.map { "'\($0)'" }.joined(separator: ", ")
      throw TensorIOError(
        .wrongKind,
        "'\(path)' has the parts \(list) of a dataset. Name one of them, as in "
          + "'\(path)/\(folder.subfolders.last ?? "test")', or specify the layout.")
    }
    if atRoot == 0, classes.count > 1 { return try readClassFolders(folder) }
    var dataset = try readFolder(folder)
    if classes.count == 1, atRoot == 0 {
      dataset.notes.append(
        "a single sub-folder is read as \(dataset.content.plural) without labels, not as a class")
    } else if !classes.isEmpty {
      dataset.notes.append(
        "sub-folders beside \(dataset.content.plural) are read as \(dataset.content.plural) without "
          + "labels, not as classes")
    }
    return dataset
  }

  /// Whether the subfolders are parts of a dataset, such as training and test images, instead of
  /// classes.
  private func isSplit(_ folder: ImageFolder) throws -> Bool {
    let parts: Set = ["train", "training", "val", "valid", "validation", "test", "testing"]
    return folder.subfolders.allSatisfy { parts.contains($0.lowercased()) }
  }

  /// The folders of images and of class maps, or nil if there are none.
  private func mapFolders() throws -> (images: String, maps: String)? {
    for maps in ["masks", "annotations"] {
      guard FileSystem.isFolder(path + "/images"), FileSystem.isFolder(path + "/" + maps),
        options.confinedFolder.map({ confinedFolder in
          [maps, "images"].allSatisfy { confinedFolder.confinedPath(of: path + "/" + $0) != nil }
        }) ?? true,
        try !imageFolder(path + "/" + maps).paths.isEmpty
      else { continue }
      return ("images", maps)
    }
    return nil
  }

  static func className(of image: String) -> String? {
    guard let slash = image.firstIndex(of: "/") else { return nil }
    return String(image[..<slash])
  }

  // MARK: - Folders

  private func readTestBundle() throws -> Dataset {
    var folder = path
    if FileSystem.isFile(path), FileSystem.name(of: path) == "test.json" {
      folder = FileSystem.folder(of: path)
    }
    if FileSystem.isFile(folder + "/test.json") { try checkEnclosed(folder + "/test.json") }
    var dataset = try TestBundleReader.read(folder)
    if !folder.hasSuffix(".testbundle") {
      dataset.notes.insert("read as a test bundle, because it has a test.json", at: 0)
    }
    return dataset
  }

  private func readFolder(_ folder: ImageFolder) throws -> Dataset {
    guard !folder.paths.isEmpty else { throw noImages(folder) }
    let content = Dataset.Content(ofFile: folder.paths[0])
    return Dataset(
      layout: .folder, name: name, path: path,
      samples: folder.paths.map { Sample(id: $0, source: .file(path + "/" + $0)) },
      notes: [
        "read as a folder of \(content.plural) without labels: "
          + content.counted(folder.paths.count)
      ] + folder.notes)
  }

  private func readAnomalies(_ folder: ImageFolder, _ truths: [GroundTruth]) throws -> Dataset {
    var dataset = try readFolder(folder)
    for index in truths.indices { dataset.samples[index].truth = truths[index] }
    dataset.notes[0] =
      "read as recordings of machines, whose names say whether they are anomalies: "
      + "\(counted(truths.count, "file"))"
    return dataset
  }

  private func readImage() throws -> Dataset {
    Dataset(
      layout: .folder, name: name, path: path,
      samples: [Sample(id: FileSystem.name(of: path), source: .file(path))],
      notes: ["read as a single \(Dataset.Content(ofFile: path).noun) without a label"])
  }

  private func readClassFolders(_ folder: ImageFolder) throws -> Dataset {
    var samples: [Sample] = []
    var classes: Set<String> = []
    for image in folder.paths {
      guard let label = Self.className(of: image) else { continue }
      classes.insert(label)
      samples.append(
        Sample(id: image, source: .file(path + "/" + image), truth: .label(label)))
    }
    guard !samples.isEmpty else { throw noImages(folder) }
    let content = Dataset.Content(ofFile: samples[0].id)
    var notes = [
      "read as one folder per class: \(counted(classes.count, "class", "classes")), "
        + content.counted(samples.count)
    ]
    let strays = folder.paths.count - samples.count
    if strays > 0 {
      notes.append("left out: \(content.counted(strays)) outside the class folders")
    }
    let empty = folder.subfolders.filter { !classes.contains($0) }
    if let first = empty.first {
      notes.append(
        "\(counted(empty.count, "folder")) without \(content.plural) "
          + "\(empty.count == 1 ? "isn't a class" : "aren't classes"), such as '\(first)'")
    }
    return Dataset(
      layout: .classFolders, name: name, path: path, samples: samples, notes: notes + folder.notes)
  }

  private func noImages(_ folder: ImageFolder) -> TensorIOError {
    Self.noImages(in: [path], folder.notes)
  }

  // MARK: - Class maps

  private func readClassMaps(_ folders: (images: String, maps: String)) throws -> Dataset {
    let images = try imageFolder(path + "/" + folders.images)
    let maps = try imageFolder(path + "/" + folders.maps)
    guard !images.paths.isEmpty else { throw noImages(images) }
    let imagesByStem = try byStem(images.paths, in: folders.images)
    let lossless = maps.paths.filter { !Self.isLossy($0) }
    guard !lossless.isEmpty else {
      throw TensorIOError(
        .wrongKind,
        "'\(path)/\(folders.maps)' has no class maps. Class maps are PNG or BMP images, because "
          + "JPEG changes the class numbers.")
    }
    let mapsByStem = try byStem(lossless, in: folders.maps)
    let samples = images.paths.map { image in
      Sample(
        id: folders.images + "/" + image,
        source: .file(path + "/" + folders.images + "/" + image),
        truth: mapsByStem[Self.stem(of: image)].map {
          .classMap(path + "/" + folders.maps + "/" + $0)
        })
    }
    let without = samples.count { $0.truth == nil }
    guard without < samples.count else {
      throw TensorIOError(
        .wrongKind,
        "No class map in '\(path)/\(folders.maps)' has the same name as an image in "
          + "'\(path)/\(folders.images)'. The first class map is '\(lossless[0])', and the first "
          + "image is '\(images.paths[0])'.")
    }
    var notes = [
      "read as images and class maps with the same names: "
        + "\(counted(samples.count, "image")) in '\(folders.images)', maps in '\(folders.maps)'"
    ]
    if without > 0 { notes.append("\(counted(without, "image")) without a map") }
    let strays = mapsByStem.keys.count { imagesByStem[$0] == nil }
    if strays > 0 { notes.append("\(counted(strays, "map")) without an image") }
    let lossy = maps.paths.count - lossless.count
    if lossy > 0 { notes.append("left out: \(counted(lossy, "map")) in JPEG or WebP") }
    return Dataset(
      layout: .classMaps, name: name, path: path, samples: samples,
      notes: notes + images.notes + maps.notes)
  }

  private func byStem(_ images: [String], in folder: String) throws -> [String: String] {
    var found: [String: String] = [:]
    for image in images {
      if let other = found.updateValue(image, forKey: Self.stem(of: image)) {
        throw TensorIOError(
          .wrongKind,
          "'\(path)/\(folder)' has '\(other)' and '\(image)': only one may have that name.")
      }
    }
    return found
  }

  private static func stem(of image: String) -> String {
    image.lastIndex(of: ".").map { String(image[..<$0]) } ?? image
  }

  private static func isLossy(_ image: String) -> Bool {
    [".jpg", ".jpeg", ".webp"].contains(where: image.lowercased().hasSuffix)
  }
}
