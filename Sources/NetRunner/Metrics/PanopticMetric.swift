// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import TensorIOImageCodecs

/// The quality of segments of things and stuff: panoptic quality (PQ) as in panopticapi, or a part
/// of it.
///
/// Each object with a mask is a segment, and so is all that a class map has of a class. Nothing is
/// found in an image that failed.
struct PanopticMetric: MetricFamily {
  enum Value: String, CaseIterable {
    case pq, sq, rq
    case pqThings = "pq_things"
    case pqStuff = "pq_stuff"
  }

  struct Item: Sendable, Hashable, Codable {
    /// The classes of segments, true or predicted.
    var classes: [String]
    /// For each class: 1 for things or 0, and the numbers of ``PanopticCount``.
    var counts: PackedNumbers<Double>
    /// The classes of true segments that the model doesn't have.
    var unknown: [String]
    var failed: Bool
  }

  static let familyName = "panoptic"

  let name: String
  let context: MetricContext
  private let classes: ClassList
  private let decoder = ImageDecoder()

  init(name: String, context: MetricContext) throws {
    guard !context.labels.isEmpty else {
      throw TensorIOError(
        .invalidOption,
        "Metric '\(name)' needs the model's labels, but the model has none. Add \"labels\" to an "
          + "output in its model.json.")
    }
    self.name = name
    self.context = context
    classes = ClassList(context)
  }

  // MARK: - Images

  func evaluate(_ truth: GroundTruth, _ prediction: Prediction?) throws -> Item? {
    guard case .segments(let truth) = truth else { return nil }
    let image = try decoder.decode(contentsOf: truth.path)
    let members = truth.classes.map { classes.classes(for: $0.name) }
    var found = SegmentMap(width: image.width, height: image.height)
    if let prediction {
      let owners = Dictionary(
        members.enumerated().flatMap { index, classes in classes.map { ($0, index) } },
        uniquingKeysWith: { old, _ in old })
      try add(prediction, to: &found, truth, owners)
    }
    let counts = PanopticCount.counts(truth, ids(image), found)
    let occurring = counts.keys.sorted()
    return Item(
      classes: occurring.map { truth.classes[$0].name },
      counts: PackedNumbers(
        occurring.flatMap { index in
          [truth.classes[index].isThing ? 1 : 0] + (counts[index]?.numbers ?? [])
        }),
      unknown: Set(truth.segments.map(\.classIndex)).sorted().filter { members[$0].isEmpty }
        .map { truth.classes[$0].name },
      failed: prediction == nil)
  }

  /// The number of each pixel's segment in COCO's format.
  private func ids(_ image: PixelBuffer) -> [UInt32] {
    let step = image.format.bytesPerPixel
    var ids: [UInt32] = []
    ids.reserveCapacity(image.width * image.height)
    image.withBytes { bytes in
      bytes.withUnsafeBytes { bytes in
        for y in 0..<image.height {
          for x in 0..<image.width {
            let at = y * image.bytesPerRow + x * step
            ids.append(
              UInt32(bytes[at]) | UInt32(bytes[at + 1]) << 8 | UInt32(bytes[at + 2]) << 16)
          }
        }
      }
    }
    return ids
  }

  private func add(
    _ prediction: Prediction, to found: inout SegmentMap, _ truth: GroundTruthSegments,
    _ owners: [Int: Int]
  ) throws {
    let objects = (prediction.detections ?? []).filter { $0.mask != nil }
    guard prediction.classMap != nil || prediction.detections != nil else {
      throw TensorIOError(
        .wrongOutputType,
        "Metric '\(name)' needs a class map or objects with masks, but the model gives neither.")
    }
    if let map = prediction.classMap {
      try SegmentationMetric.checkProportions(map, found.width, found.height, truth.path)
      // Things that have masks are only those of the masks.
      let used =
        objects.isEmpty ? owners : owners.filter { !truth.classes[$0.value].isThing }
      found.add(map, used)
    }
    guard let size = prediction.imageSize, !objects.isEmpty else { return }
    guard size == (found.width, found.height) else {
      throw TensorIOError(
        .unsupportedImage,
        "The segments '\(truth.path)' have \(found.width) x \(found.height) pixels, but the image "
          + "has \(size.width) x \(size.height).")
    }
    // The best objects are drawn last, over the others.
    let order = objects.indices.sorted {
      (objects[$0].score, $1) < (objects[$1].score, $0)
    }
    for index in order {
      guard let mask = objects[index].mask, let owner = owners[objects[index].classIndex] else {
        continue
      }
      found.add(mask, owner)
    }
  }

  // MARK: - Report

  func reduce(_ items: [Item]) throws -> MetricReport {
    var sums: [String: (isThing: Bool, count: PanopticCount)] = [:]
    for item in items {
      let numbers = item.counts.numbers
      guard numbers.count == 5 * item.classes.count else {
        throw TensorIOError(
          .wrongKind, "Metric '\(name)' was given items that are not its own counts of segments.")
      }
      // The limit keeps the sums of all images exact.
      if let wrong = numbers.first(where: { !(0...0x1p40).contains($0) }) {
        throw TensorIOError(
          .wrongKind,
          "Metric '\(name)': the counts of segments must lie between 0 and 2^40, found \(wrong). "
            + "The report is damaged. Evaluate the images again.")
      }
      for (index, label) in item.classes.enumerated() {
        let own = Array(numbers[(5 * index)..<(5 * index + 5)])
        var sum = sums[label] ?? (own[0] == 1, PanopticCount())
        sum.count.add(own)
        sums[label] = sum
      }
    }
    let classes = sums.sorted { $0.key < $1.key }.filter { $0.value.count.size > 0 }
    var report = MetricReport(values: [])
    for value in values {
      let used = classes.map(\.value).filter { entry in
        value == .pqThings ? entry.isThing : value == .pqStuff ? !entry.isThing : true
      }
      let number = used.map { $0.count.number(value) }.meanIfAny
      let count = used.reduce(0) { min($0 + $1.count.truths, 1 << 52) }
      report.values.append(MetricValue(value.rawValue, number, count: count))
      if number == nil {
        report.notes.append("\(value.rawValue) is not defined: there are no such segments.")
      }
    }
    let failed = items.count(where: \.failed)
    if failed > 0 {
      report.notes.append(
        "\(failed) of \(counted(items.count, "image")) failed: their segments count as not found.")
    }
    let unknown = Set(items.flatMap(\.unknown)).sorted()
    if !unknown.isEmpty {
      report.notes.append(
        "The model can't find the segments of \(counted(unknown.count, "class", "classes")) that "
          + "none of its labels names: \(ClassList.list(unknown)). --label-map can match them.")
    }
    if isFamily {
      report.classes = classes.map { label, entry in
        ClassMetrics(
          label: label, support: entry.count.truths,
          values: Dictionary(
            uniqueKeysWithValues: [Value.pq, .sq, .rq].map {
              ($0.rawValue, entry.count.number($0))
            }))
      }
    }
    return report
  }
}
