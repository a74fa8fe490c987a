// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import HTTPTypes
import NetRunner
import Synchronization
import TensorIO
import TensorIOImageCodecs

/// The photos that people labelled for a model, and their labels and shapes.
///
/// All members block the calling thread.
final class LabelFolder: Sendable {
  private let model: String
  private let path: String
  private let photos: String
  private let store: LabelStore
  private let shapeFolder: ShapeFolder
  /// Allows one change at a time, because a photo and its label belong together.
  private let changes = Mutex(())

  init(_ path: String, for model: String) throws {
    self.model = model
    self.path = path
    photos = path + "/photos"
    try ScratchFolder.makeFolder(photos, "for labelled photos ", attributes: nil)
    store = try LabelStore(path: path + "/labels.sqlite", root: photos)
    shapeFolder = try ShapeFolder(path + "/shapes")
  }

  /// All labels, sorted by the photos' names.
  var labels: [LabelledPhoto] { get throws { try store.labels(for: model) } }

  /// The photos that have shapes, or that are known to have nothing to find, and their numbers of
  /// shapes, sorted by name.
  var annotated: [(photo: String, count: Int)] { shapeFolder.all }

  /// The total size of the photos in bytes.
  var byteCount: Int {
    get throws {
      try FileSystem.contents(of: photos).reduce(0) {
        $0 + (FileSystem.byteCount(of: photos + "/" + $1) ?? 0)
      }
    }
  }

  /// Returns a photo's size in bytes, or nil if there is none.
  func byteCount(of name: String) -> Int? { FileSystem.byteCount(of: file(name)) }

  /// Returns the bytes of a photo, or nil if there is none.
  func photo(_ name: String) throws -> Data? {
    FileSystem.isFile(file(name)) ? try FileSystem.read(file(name)) : nil
  }

  func shapes(of name: String) throws -> ImageShapes? { try shapeFolder.shapes(of: name) }

  func set(_ label: PhotoLabel, of name: String, _ image: [UInt8]) throws {
    try changes.withLock { _ in
      try write(image, as: name)
      try store.setLabel(label, of: file(name), for: model)
    }
  }

  /// Keeps a photo, to which shapes can then be added.
  ///
  /// If another photo had the name, its label and shapes are deleted, because they don't describe
  /// this one.
  func keep(_ image: [UInt8], as name: String) throws {
    try changes.withLock { _ in
      try write(image, as: name)
    }
  }

  /// Sets a photo's shapes, whose size must be that of the photo.
  func set(_ shapes: ImageShapes, of name: String) throws {
    try changes.withLock { _ in
      guard FileSystem.isFile(file(name)) else {
        throw WebError(
          status: .conflict, code: "no_picture",
          message: "The image '\(name.prefix(200))' isn't kept yet. Send it before its shapes.")
      }
      let image = try [UInt8](FileSystem.read(file(name)))
      let size = try InferenceRunner.decoder.uprightSize(of: image, named: "'\(name)'")
      guard size == (shapes.width, shapes.height) else {
        throw WebError(
          status: .unprocessableContent, code: "wrong_size",
          message: "The shapes are for an image of \(shapes.width) x \(shapes.height) pixels, but "
            + "'\(name.prefix(200))' has \(size.width) x \(size.height).")
      }
      try shapeFolder.set(shapes, of: name)
    }
  }

  /// Deletes a photo's label, and returns whether it had one.
  ///
  /// The photo is deleted with it, unless it has shapes.
  func remove(_ name: String) throws -> Bool {
    try changes.withLock { _ in
      let wasLabelled = try store.removeLabel(of: file(name), for: model)
      guard !shapeFolder.has(name) else { return wasLabelled }
      let wasThere = FileSystem.isFile(file(name))
      try FileSystem.remove(file(name))
      return wasLabelled || wasThere
    }
  }

  /// Deletes a photo's shapes, and returns whether it had some.
  ///
  /// The photo is deleted with them, unless it has a label.
  func removeShapes(_ name: String) throws -> Bool {
    try changes.withLock { _ in
      guard try shapeFolder.remove(name) else { return false }
      // Names that only look the same are names of different photos.
      let isLabelled = try store.labels(for: model).contains {
        $0.path.utf8.elementsEqual(name.utf8)
      }
      if !isLabelled {
        try FileSystem.remove(file(name))
      }
      return true
    }
  }

  /// Writes a photo.
  ///
  /// If it replaces another one, that one's label and shapes are deleted first. An error or a power
  /// cut at any time then leaves no photo with the label of another one.
  private func write(_ image: [UInt8], as name: String) throws {
    let isReplaced = FileSystem.isFile(file(name))
    if isReplaced, try FileSystem.read(file(name)).elementsEqual(image) { return }
    let fresh = path + "/.\(UUID().uuidString)"
    defer { try? FileSystem.remove(fresh) }
    try WebError.storing {
      try Data(image).write(to: URL(filePath: fresh))
      try FileSystem.flush(fresh)
    }
    if isReplaced {
      try store.removeLabel(of: file(name), for: model)
      try shapeFolder.remove(name)
    }
    try WebError.storing {
      try FileSystem.rename(fresh, to: file(name))
      try FileSystem.flush(photos)
    }
  }

  private func file(_ name: String) -> String { photos + "/" + name }
}

extension LabelFolder {
  /// Whether there is something to export in a format.
  func hasContent(for format: LabelExportFormat) throws -> Bool {
    format == .coco ? !annotated.isEmpty : try !labels.isEmpty
  }

  /// Writes an export as a zip file in a folder, and returns the file's path.
  func export(
    _ format: LabelExportFormat, into folder: String, named name: String, labels: [String]
  ) throws -> String {
    let zip = folder + "/labels.zip"
    if format == .zip {
      try store.export(model, to: zip)
      return zip
    }
    let root = try write(format, into: folder, named: name, labels: labels)
    let writer = try ZipWriter(zip)
    let files = FileManager.default.enumerator(atPath: folder + "/" + root)
    for file in (files?.compactMap { $0 as? String } ?? []).sorted() {
      let source = folder + "/" + root + "/" + file
      guard FileSystem.isFile(source) else { continue }
      try writer.addFile(source, named: root + "/" + file)
    }
    try writer.close()
    return zip
  }

  /// Writes a dataset that can be evaluated as a folder within a folder, and returns its name.
  func write(
    _ format: LabelExportFormat, into folder: String, named name: String, labels: [String]
  ) throws -> String {
    guard format == .coco else {
      try store.export(model, to: "\(folder)/\(name).testbundle")
      return name + ".testbundle"
    }
    let root = name + "-coco"
    let images = "\(folder)/\(root)/images"
    try ScratchFolder.makeFolder(images)
    var exported: [(name: String, shapes: ImageShapes)] = []
    for (photo, _) in annotated {
      // The lock is released between photos, so that labelling goes on during a long export.
      try changes.withLock { _ in
        guard let shapes = try shapes(of: photo) else { return }
        try WebError.storing {
          try FileManager.default.copyItem(atPath: file(photo), toPath: "\(images)/\(photo)")
        }
        exported.append((photo, shapes))
      }
    }
    let document = try COCOExport(exported, labels: labels).encoded()
    try WebError.storing {
      try document.write(to: URL(filePath: "\(folder)/\(root)/annotations.json"))
    }
    return root
  }
}

/// The formats in which labels can be downloaded.
enum LabelExportFormat: String, Sendable, CaseIterable {
  /// A test bundle, which can be evaluated.
  case testBundle = "testbundle"
  /// Net Runner's own format: the photos and a labels.json.
  case zip
  /// The photos that have shapes, and COCO annotations, which can be evaluated.
  case coco
}

extension ImageDecoder {
  /// Returns an image's size after its EXIF orientation is applied, without decoding its pixels.
  fileprivate func uprightSize(
    of bytes: [UInt8], named name: String
  ) throws -> (width: Int, height: Int) {
    try bytes.withUnsafeBytes { bytes in
      let reader = try ImageReader(bytes, named: name, limits: limits, pool: pool)
      return reader.orientation.swapsAxes
        ? (reader.height, reader.width) : (reader.width, reader.height)
    }
  }
}
#endif
