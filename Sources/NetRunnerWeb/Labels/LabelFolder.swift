// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import ModelRepositoryAPI
import NetRunner
import Synchronization
import TensorIO

/// The photos that people labelled for a model, and their labels.
///
/// All members block the calling thread.
final class LabelFolder: Sendable {
  private let model: String
  private let path: String
  private let photos: String
  private let store: LabelStore
  /// Allows one change at a time, because a photo and its label belong together.
  private let changes = Mutex(())

  init(_ path: String, for model: String) throws {
    self.model = model
    self.path = path
    photos = path + "/photos"
    try ScratchFolder.makeFolder(photos, "for labelled photos ", attributes: nil)
    store = try LabelStore(path: path + "/labels.sqlite", root: photos)
  }

  /// All labels, sorted by the photos' names.
  var labels: [LabelledPhoto] { get throws { try store.labels(for: model) } }

  func set(_ label: PhotoLabel, of name: String, _ image: [UInt8]) throws {
    try changes.withLock { _ in
      let fresh = path + "/.\(UUID().uuidString)"
      defer { try? FileSystem.remove(fresh) }
      try WebError.storing {
        try Data(image).write(to: URL(filePath: fresh))
        try FileSystem.flush(fresh)
        try FileSystem.rename(fresh, to: photos + "/" + name)
      }
      try store.setLabel(label, of: photos + "/" + name, for: model)
    }
  }

  /// Deletes a photo and its label, and returns whether either existed.
  func remove(_ name: String) throws -> Bool {
    try changes.withLock { _ in
      let wasLabelled = try store.removeLabel(of: photos + "/" + name, for: model)
      let wasThere = FileSystem.isFile(photos + "/" + name)
      try FileSystem.remove(photos + "/" + name)
      return wasLabelled || wasThere
    }
  }

  /// Writes the labels and photos as a zip file in a folder, and returns the file's path.
  func export(_ format: LabelExportFormat, into folder: String, named name: String) throws -> String
  {
    let zip = folder + "/labels.zip"
    switch format {
    case .zip: try store.export(model, to: zip)
    case .testBundle:
      let bundle = name + ".testbundle"
      try store.export(model, to: folder + "/" + bundle)
      let writer = try ZipWriter(zip)
      let files = FileManager.default.enumerator(atPath: folder + "/" + bundle)
      for file in (files?.compactMap { $0 as? String } ?? []).sorted() {
        let source = folder + "/" + bundle + "/" + file
        guard FileSystem.isFile(source) else { continue }
        try writer.addFile(source, named: bundle + "/" + file)
      }
      try writer.close()
    }
    return zip
  }
}

/// The formats in which labels can be downloaded.
enum LabelExportFormat: String, Sendable, CaseIterable {
  /// A test bundle, which can be evaluated.
  case testBundle = "testbundle"
  /// Net Runner's own format: the photos and a labels.json.
  case zip
}

/// The folders of labelled photos, one for each model.
final class LabelFolders: Sendable {
  private let root: String
  /// Keeps the temporary folder as long as it is used.
  let scratch: ScratchFolder
  private let folders = Mutex<[String: LabelFolder]>([:])

  init(dataFolder: String?, scratch: ScratchFolder) {
    root = (dataFolder ?? scratch.path) + "/labels"
    self.scratch = scratch
  }

  /// Returns a model's folder, creating it if it is missing, and blocks the calling thread.
  func folder(for model: String) throws -> LabelFolder {
    try folders.withLock { folders in
      if let folder = folders[model] { return folder }
      let folder = try LabelFolder(root + "/" + Self.name(for: model), for: model)
      folders[model] = folder
      return folder
    }
  }

  /// Returns a model's folder, or nil if it has no labels yet.
  func existingFolder(for model: String) throws -> LabelFolder? {
    guard FileSystem.isFile("\(root)/\(Self.name(for: model))/labels.sqlite") else { return nil }
    return try folder(for: model)
  }

  /// Returns a model's folder name: its identifier if every file system accepts it, otherwise its
  /// hash.
  private static func name(for model: String) -> String {
    let isPlain =
      model.utf8.count <= 100
      && model.utf8.allSatisfy { byte in
        (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
          || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
      }
    guard !isPlain else { return model }
    // A plain identifier has no full stop, so it can't be the same as a hash.
    return "sha256." + BlobDigest(of: model.utf8).hexadecimal.prefix(32)
  }
}
#endif
