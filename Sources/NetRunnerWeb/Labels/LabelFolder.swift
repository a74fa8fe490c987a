// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import NetRunner
import Synchronization
import TensorIO

/// The photos that people labelled for a model, and their labels.
///
/// All of it blocks.
final class LabelFolder: Sendable {
  private let model: String
  private let path: String
  private let photos: String
  private let store: LabelStore
  /// One change at a time: a photo and its label belong together.
  private let changes = Mutex(())

  /// Opens a folder, or makes it.
  ///
  /// - Parameters:
  ///   - path: The folder.
  ///   - model: The model's identifier.
  /// - Throws: `TensorIOError` when it cannot be made or read.
  init(_ path: String, for model: String) throws {
    self.model = model
    self.path = path
    photos = path + "/photos"
    do {
      try FileManager.default.createDirectory(atPath: photos, withIntermediateDirectories: true)
    } catch {
      throw TensorIOError(
        .unwritableFile,
        "The folder '\(photos)' for labelled photos cannot be made: "
          + "\(FileSystem.reason(for: error)).", cause: error)
    }
    store = try LabelStore(path: path + "/labels.sqlite", root: photos)
  }

  /// All labels, in the order of the photos' names.
  var labels: [LabelledPhoto] { get throws { try store.labels(for: model) } }

  /// Keeps a photo and its label; those of the same name are replaced.
  func set(_ label: PhotoLabel, of name: String, _ picture: [UInt8]) throws {
    try changes.withLock { _ in
      let fresh = path + "/.\(UUID().uuidString)"
      defer { try? FileSystem.remove(fresh) }
      do {
        try Data(picture).write(to: URL(filePath: fresh))
        try FileSystem.flush(fresh)
        try FileSystem.rename(fresh, to: photos + "/" + name)
      } catch {
        throw WebError.notStored(FileSystem.reason(for: error))
      }
      try store.setLabel(label, of: photos + "/" + name, for: model)
    }
  }

  /// Deletes a photo and its label.
  ///
  /// - Returns: Whether there was one.
  func remove(_ name: String) throws -> Bool {
    try changes.withLock { _ in
      let wasLabelled = try store.removeLabel(of: photos + "/" + name, for: model)
      let wasThere = FileSystem.isFile(photos + "/" + name)
      try FileSystem.remove(photos + "/" + name)
      return wasLabelled || wasThere
    }
  }

  /// Writes the labels and photos as a zip file.
  ///
  /// - Parameters:
  ///   - format: What is in it.
  ///   - folder: Where it is written, and what it is made of.
  ///   - name: What a test bundle is called.
  /// - Returns: The file.
  /// - Throws: `TensorIOError` when there is nothing to write, or it cannot be written.
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
        let place = folder + "/" + bundle + "/" + file
        guard FileSystem.isFile(place) else { continue }
        try writer.addFile(place, named: bundle + "/" + file)
      }
      try writer.close()
    }
    return zip
  }
}

/// The forms that labels are downloaded in.
enum LabelExportFormat: String, Sendable, CaseIterable {
  /// A test bundle, which evaluations take.
  case testBundle = "testbundle"
  /// Net Runner's own: the photos and a labels.json.
  case zip
}
#endif
