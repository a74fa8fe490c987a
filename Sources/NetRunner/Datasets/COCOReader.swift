// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension DatasetReader {
  /// Reads COCO annotations: objects, or classes of whole images if no annotation has a box.
  func readCOCO() throws -> Dataset {
    let reader = COCOReader(path: path, document: try readDocument())
    var notes: [String] = []
    let truths = try reader.panopticTruths(options, &notes) ?? reader.truths(&notes)
    let folder = reader.imagesFolder(options, &notes)
    let samples = try reader.document.images.enumerated().map { index, image in
      guard !image.fileName.isEmpty, !image.fileName.utf8.contains(0) else {
        throw reader.error("images[\(index)].file_name is empty or isn't a valid file name")
      }
      let file = image.fileName.hasPrefix("/") ? image.fileName : folder + "/" + image.fileName
      return Sample(id: image.fileName, source: .file(file), truth: truths[image.id])
    }
    guard !samples.isEmpty else { throw reader.error("the list 'images' is empty") }
    return Dataset(layout: .coco, name: name, path: path, samples: samples, notes: notes)
  }

  private func readDocument() throws -> COCODocument {
    let data = try FileSystem.read(path)
    do {
      return try JSONDecoder().decode(COCODocument.self, from: data)
    } catch let error as DecodingError {
      var reason = error.explanation
      if case .dataCorrupted(let context) = error, context.codingPath.isEmpty {
        // The decoder doesn't say where the error is. `JSONValue` does, but is slower, so it is
        // used only here.
        do {
          _ = try JSONValue(parsing: data)
        } catch let fault as JSONSyntaxError {
          reason = "\(fault)"
        }
      }
      throw TensorIOError(
        .wrongKind, "'\(path)' cannot be read as COCO annotations: \(reason).", cause: error)
    }
  }
}

struct COCOReader {
  let path: String
  let document: COCODocument

  func error(_ message: String) -> TensorIOError {
    TensorIOError(.wrongKind, "'\(path)': \(message).")
  }

  // MARK: - Truths

  /// The ground truth of each image, by the image's identifier.
  func truths(_ notes: inout [String]) throws -> [COCODocument.Identifier: GroundTruth] {
    var images: Set<COCODocument.Identifier> = []
    for (index, image) in document.images.enumerated() where !images.insert(image.id).inserted {
      throw error("images[\(index)] has the id \(image.id), which an earlier image already has")
    }
    let count = counted(document.images.count, "image")
    guard let annotations = document.annotations else {
      notes.append("read as COCO annotations: \(count), no labels")
      return [:]
    }
    let categories = try self.categories()
    let known = annotations.filter { images.contains($0.imageID) }
    if known.count < annotations.count {
      notes.append(
        "left out: \(counted(annotations.count - known.count, "annotation")) of images that the "
          + "file doesn't list")
    }
    let boxed = known.count { $0.bbox?.isEmpty == false }
    if boxed == 0, !known.isEmpty { return try labels(known, categories, &notes) }
    guard boxed == known.count else {
      let first = known.first { $0.bbox?.isEmpty != false }
      throw error(
        "\(boxed) of \(known.count) annotations have a bbox, but annotation "
          + "\(first?.id.map { "\($0)" } ?? "?") has none; give a bbox to all of them, or to none")
    }
    var boxes: [COCODocument.Identifier: [GroundTruthBox]] = [:]
    for annotation in known {
      boxes[annotation.imageID, default: []].append(try box(annotation, categories))
    }
    let posed = boxes.values.joined().count { $0.keypoints != nil }
    notes.append(
      "read as COCO annotations: \(count), \(counted(known.count, "box", "boxes")) of "
        + counted(categories.count, "class", "classes")
        + (posed > 0 ? ", \(posed) with keypoints" : ""))
    return Dictionary(
      document.images.map { ($0.id, .boxes(boxes[$0.id] ?? [])) }, uniquingKeysWith: { $1 })
  }

  func categories() throws -> [COCODocument.Identifier: COCODocument.Category] {
    guard let list = document.categories else {
      throw error("there are annotations, but no categories to name their classes")
    }
    var categories: [COCODocument.Identifier: COCODocument.Category] = [:]
    var names: [String: COCODocument.Identifier] = [:]
    for (index, category) in list.enumerated() {
      guard categories.updateValue(category, forKey: category.id) == nil else {
        throw error(
          "categories[\(index)] has the id \(category.id), which an earlier category already has")
      }
      if let other = names.updateValue(category.id, forKey: category.name) {
        throw error("the categories \(other) and \(category.id) are both named '\(category.name)'")
      }
    }
    return categories
  }

  private func category(
    of annotation: COCODocument.Annotation,
    _ categories: [COCODocument.Identifier: COCODocument.Category]
  ) throws -> COCODocument.Category {
    guard let category = categories[annotation.categoryID] else {
      throw error(
        "\(naming(annotation)) has the category \(annotation.categoryID), which the "
          + "file doesn't list")
    }
    return category
  }

  private func naming(_ annotation: COCODocument.Annotation) -> String {
    "annotation \(annotation.id.map { "\($0)" } ?? "of the image \(annotation.imageID)")"
  }

  private func box(
    _ annotation: COCODocument.Annotation,
    _ categories: [COCODocument.Identifier: COCODocument.Category]
  ) throws -> GroundTruthBox {
    let numbers = annotation.bbox ?? []
    guard numbers.count == 4, numbers.allSatisfy(\.isFinite), numbers[2] >= 0, numbers[3] >= 0
    else {
      throw error(
        "the bbox of \(naming(annotation)) must be x, y, and a width and height of 0 or more, got "
          + "\(numbers)")
    }
    if let area = annotation.area, !(area.isFinite && area >= 0) {
      throw error("the area of \(naming(annotation)) must be 0 or more, got \(area)")
    }
    let category = try category(of: annotation, categories)
    var object = GroundTruthBox(
      label: category.name,
      box: Box(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3]),
      isCrowd: annotation.isCrowd?.isSet ?? false, area: annotation.area)
    object.keypoints = try keypoints(annotation, category)
    object.outline = annotation.outline?.polygons
    return object
  }

  private func keypoints(
    _ annotation: COCODocument.Annotation, _ category: COCODocument.Category
  ) throws -> [GroundTruthKeypoint]? {
    guard let numbers = annotation.keypoints, !numbers.isEmpty else { return nil }
    let count = category.keypoints?.count ?? numbers.count / 3
    guard numbers.count == 3 * count, numbers.allSatisfy(\.isFinite) else {
      throw error(
        "the keypoints of \(naming(annotation)) must be x, y and v for each of "
          + "\(counted(count, "point")), got \(counted(numbers.count, "number"))")
    }
    return (0..<count).map { index in
      GroundTruthKeypoint(
        name: category.keypoints?[index] ?? "\(index)", x: numbers[3 * index],
        y: numbers[3 * index + 1], isLabelled: numbers[3 * index + 2] > 0)
    }
  }

  /// One class per image, for documents in which no annotation has a box.
  private func labels(
    _ annotations: [COCODocument.Annotation],
    _ categories: [COCODocument.Identifier: COCODocument.Category], _ notes: inout [String]
  ) throws -> [COCODocument.Identifier: GroundTruth] {
    var labels: [COCODocument.Identifier: GroundTruth] = [:]
    for annotation in annotations {
      let label = GroundTruth.label(try category(of: annotation, categories).name)
      if labels.updateValue(label, forKey: annotation.imageID) != nil {
        throw error(
          "the image \(annotation.imageID) has several annotations without a bbox; an image has "
            + "one class")
      }
    }
    notes.append(
      "read as COCO annotations without boxes: "
        + "\(counted(document.images.count, "image")), a class for \(labels.count) of them")
    return labels
  }

  // MARK: - Images

  /// Finds the folder that contains most of the first 20 images.
  func imagesFolder(_ options: DatasetOptions, _ notes: inout [String]) -> String {
    if let folder = options.imagesFolder { return folder }
    let own = FileSystem.folder(of: path)
    let parent = own + "/.."
    let stem = FileSystem.name(of: path).split(separator: ".").first.map(String.init) ?? ""
    // For example, instances_val2017.json describes the images in val2017.
    let part = stem.split(separator: "_").last.map(String.init) ?? stem
    let candidates =
      [own, own + "/images", own + "/" + part, own + "/images/" + part]
      + [parent + "/images", parent + "/" + part, parent + "/images/" + part]
    let firsts = document.images.prefix(20).map(\.fileName)
    let found = candidates.map { folder in
      firsts.count { file in
        let path = folder + "/" + file
        return options.confinedFolder.map { $0.confinedPath(of: path) != nil } ?? true
          && FileSystem.isFile(path)
      }
    }
    func shown(_ path: String) -> String { options.confinedFolder?.shown(path) ?? path }
    guard let most = found.max(), most > 0, let best = found.firstIndex(of: most) else {
      notes.append("none of the first images was found in '\(shown(own))' or beside it")
      return own
    }
    if best > 0 { notes.append("images found in '\(shown(candidates[best]))'") }
    return candidates[best]
  }
}

extension DecodingError {
  /// A human-readable description of what is wrong and where.
  fileprivate var explanation: String {
    switch self {
    case .keyNotFound(let key, let context):
      "\(Self.location(context)) lacks the required key \"\(key.stringValue)\""
    case .typeMismatch(_, let context), .valueNotFound(_, let context),
      .dataCorrupted(let context):
      "\(Self.location(context)): "
        + (context.debugDescription.hasSuffix(".")
          ? String(context.debugDescription.dropLast()) : context.debugDescription)
    @unknown default: "\(self)"
    }
  }

  private static func location(_ context: Context) -> String {
    context.codingPath.isEmpty ? "the document" : context.codingPath.jsonPath
  }
}

/// The parts of COCO's JSON that are read; everything else is ignored.
struct COCODocument: Decodable {
  var images: [Image]
  var annotations: [Annotation]?
  var categories: [Category]?

  struct Image: Decodable {
    var id: Identifier
    var fileName: String

    private enum CodingKeys: String, CodingKey {
      case id
      case fileName = "file_name"
    }
  }

  struct Annotation: Decodable {
    var id: Identifier?
    var imageID: Identifier
    var categoryID: Identifier
    /// x, y, width and height in pixels; some programs write an empty array for a missing box.
    var bbox: [Double]?
    var area: Double?
    var isCrowd: Flag?
    /// x, y and v of each point; v is 0 for points without a position.
    var keypoints: [Double]?
    var outline: Outline?
    /// The segments of an image, instead of an object.
    var segments: [Segment]?
    /// The file with the segments' pixels.
    var fileName: String?

    private enum CodingKeys: String, CodingKey {
      case id, bbox, area, keypoints
      case imageID = "image_id"
      case categoryID = "category_id"
      case isCrowd = "iscrowd"
      case outline = "segmentation"
      case segments = "segments_info"
      case fileName = "file_name"
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      imageID = try container.decode(Identifier.self, forKey: .imageID)
      segments = try container.decodeIfPresent([Segment].self, forKey: .segments)
      fileName = try container.decodeIfPresent(String.self, forKey: .fileName)
      // Each segment has a category of its own.
      categoryID =
        segments != nil ? .number(0) : try container.decode(Identifier.self, forKey: .categoryID)
      id = try container.decodeIfPresent(Identifier.self, forKey: .id)
      bbox = try container.decodeIfPresent([Double].self, forKey: .bbox)
      area = try container.decodeIfPresent(Double.self, forKey: .area)
      isCrowd = try container.decodeIfPresent(Flag.self, forKey: .isCrowd)
      keypoints = try container.decodeIfPresent([Double].self, forKey: .keypoints)
      outline = try container.decodeIfPresent(Outline.self, forKey: .outline)
    }
  }

  /// The polygons of an object, each with the x and y of its corners in turn.
  ///
  /// They are only drawn, so run-length codes and polygons that can't be drawn are left out.
  struct Outline: Decodable {
    var polygons: [[Double]]?

    init(from decoder: any Decoder) throws {
      guard let all = try? decoder.singleValueContainer().decode([[Double]].self) else { return }
      let drawable = all.filter { polygon in
        polygon.count >= 6 && polygon.count.isMultiple(of: 2) && polygon.allSatisfy(\.isFinite)
      }
      polygons = drawable.isEmpty ? nil : drawable
    }
  }

  struct Segment: Decodable {
    var id: Int
    var categoryID: Identifier
    var isCrowd: Flag?

    private enum CodingKeys: String, CodingKey {
      case id
      case categoryID = "category_id"
      case isCrowd = "iscrowd"
    }
  }

  struct Category: Decodable {
    var id: Identifier
    var name: String
    /// The names of the keypoints.
    var keypoints: [String]?
    /// Whether each object is a segment of its own.
    var isThing: Flag?

    private enum CodingKeys: String, CodingKey {
      case id, name, keypoints
      case isThing = "isthing"
    }
  }

  /// A number in COCO's own format, or a string from some programs.
  enum Identifier: Decodable, Hashable, CustomStringConvertible {
    case number(Int)
    case text(String)

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let number = try? container.decode(Int.self) {
        self = .number(number)
      } else {
        self = .text(try container.decode(String.self))
      }
    }

    var description: String {
      switch self {
      case .number(let number): "\(number)"
      case .text(let text): "'\(text)'"
      }
    }
  }

  /// 0 or 1 in COCO's own format, or a Boolean from some programs.
  struct Flag: Decodable {
    var isSet: Bool

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let number = try? container.decode(Int.self) {
        guard number == 0 || number == 1 else {
          throw DecodingError.dataCorruptedError(
            in: container, debugDescription: "expected 0 or 1, got \(number)")
        }
        isSet = number == 1
      } else {
        isSet = try container.decode(Bool.self)
      }
    }
  }
}
