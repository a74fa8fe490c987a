// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

extension COCOReader {
  /// The segments of each image, by the image's identifier, if the annotations are panoptic.
  func panopticTruths(
    _ options: DatasetOptions, _ notes: inout [String]
  ) throws -> [COCODocument.Identifier: GroundTruth]? {
    guard let annotations = document.annotations,
      annotations.contains(where: { $0.segments != nil })
    else { return nil }
    let known = try categories()
    let list = document.categories ?? []
    let classes = list.map {
      GroundTruthSegments.Class(name: $0.name, isThing: $0.isThing?.isSet ?? true)
    }
    let indices = Dictionary(
      list.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { old, _ in old })
    let folder = try mapsFolder(annotations, options, &notes)
    var truths: [COCODocument.Identifier: GroundTruth] = [:]
    var count = 0
    for annotation in annotations {
      guard let segments = annotation.segments, let file = annotation.fileName, !file.isEmpty,
        !file.utf8.contains(0), !file.hasPrefix("/")
      else {
        throw error(
          "the annotation of the image \(annotation.imageID) must have segments_info and the "
            + "file_name of a PNG file, as all annotations of a panoptic dataset")
      }
      var ids: Set<Int> = []
      let own = try segments.map { segment in
        guard let index = indices[segment.categoryID], known[segment.categoryID] != nil else {
          throw error(
            "a segment of the image \(annotation.imageID) has the category \(segment.categoryID), "
              + "which the file doesn't list")
        }
        guard (1..<(1 << 24)) ~= segment.id, ids.insert(segment.id).inserted else {
          throw error(
            "each segment of the image \(annotation.imageID) needs an id of its own, from 1 to "
              + "16777215, but one has \(segment.id)")
        }
        return GroundTruthSegments.Segment(
          id: segment.id, classIndex: index, isCrowd: segment.isCrowd?.isSet ?? false)
      }
      count += own.count
      let truth = GroundTruth.segments(
        GroundTruthSegments(path: folder + "/" + file, segments: own, classes: classes))
      if truths.updateValue(truth, forKey: annotation.imageID) != nil {
        throw error("the image \(annotation.imageID) has several annotations with segments")
      }
    }
    notes.append(
      "read as COCO's panoptic annotations: \(counted(document.images.count, "image")), "
        + "\(counted(count, "segment")) of \(counted(classes.count, "class", "classes"))")
    return truths
  }

  /// The folder of the PNG files: the one with the file's name, such as `panoptic_val2017`, or the
  /// file's own.
  private func mapsFolder(
    _ annotations: [COCODocument.Annotation], _ options: DatasetOptions, _ notes: inout [String]
  ) throws -> String {
    let named = path.hasSuffix(".json") ? String(path.dropLast(5)) : path + "_maps"
    let own = FileSystem.folder(of: path)
    let first = annotations.lazy.compactMap(\.fileName).first ?? ""
    let found = [named, own].first { folder in
      let file = folder + "/" + first
      return options.confinedFolder.map { $0.confinedPath(of: file) != nil } ?? true
        && FileSystem.isFile(file)
    }
    if found == nil {
      let shown = options.confinedFolder?.shown(named) ?? named
      notes.append("the first PNG file of segments was not found in '\(shown)' or beside the file")
    }
    return found ?? named
  }
}
