// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import TensorIOImageCodecs

/// Compares a model's predictions with the truth of their images.
struct TruthComparer: Sendable {
  private let context: MetricContext
  private let classes: ClassList
  private let detection: DetectionMetric
  private let poses: DetectionMetric

  init(_ context: MetricContext) {
    self.context = context
    classes = ClassList(context)
    detection = DetectionMetric(name: "detection", context: context)
    poses = DetectionMetric(
      name: "keypoints", context: context, hasOneClass: context.labels.count < 2)
  }

  /// Compares a prediction with a truth.
  ///
  /// - Parameters:
  ///   - prediction: The prediction, or nil if the image failed.
  ///   - truth: The truth, or nil if it isn't known.
  ///   - drawing: Whether the result has shapes.
  /// - Returns: The comparison, or nil for kinds of answers that have none.
  /// - Throws: `TensorIOError` if the truth can't be read or doesn't suit the model.
  func comparison(
    of prediction: Prediction?, with truth: GroundTruth?, drawing: Bool
  ) throws -> TruthComparison? {
    switch truth {
    case .boxes(let objects): return try compare(prediction, objects, drawing)
    case .classMap(let path): return try compare(prediction, mapAt: path, drawing)
    case .values(let truth):
      guard let found = prediction?.values, found.count == truth.count, !found.isEmpty else {
        return nil
      }
      let errors = zip(found, truth).map { abs(Double($0) - $1) }
      return TruthComparison(error: errors.mean)
    case .label, .anomaly, .segments, .results, nil:
      return prediction?.detections == nil ? nil : try compare(prediction, nil, drawing)
    }
  }

  // MARK: - Class maps

  private func compare(
    _ prediction: Prediction?, mapAt path: String, _ drawing: Bool
  ) throws -> TruthComparison? {
    guard let map = prediction?.classMap else { return nil }
    let mask = try ImageDecoder().numbers(contentsOf: path)
    try SegmentationMetric.checkProportions(map, mask.width, mask.height, path)
    var counts = PixelCounts(ignored: context.ignoredClass, offset: context.labelOffset)
    counts.add(mask: mask, map: map)
    var comparison = TruthComparison(iou: PixelCounts.meanIoU(Array(counts.classes.values)))
    if drawing {
      var shapes = ComparedShapes(width: mask.width, height: mask.height, truth: [], predicted: [])
      shapes.truthPicture = try ResultPicture(
        truth: ClassMap(mask, labels: map.labels, context: context))
      comparison.shapes = shapes
    }
    return comparison
  }

  // MARK: - Objects

  private func compare(
    _ prediction: Prediction?, _ objects: [GroundTruthBox]?, _ drawing: Bool
  ) throws -> TruthComparison? {
    let detections = prediction?.detections ?? []
    let names = objects?.lazy.compactMap { $0.keypoints?.map(\.name) }.first
    let hasPoints = names != nil && detections.allSatisfy { $0.keypoints?.isEmpty == false }
    let metric = names != nil ? poses : detection
    let size = prediction?.imageSize ?? (0, 0)
    let found = DetectionItem.ranked(
      try metric.boxes(of: detections, size: size) { detection in
        hasPoints ? detection.points(named: names ?? []) : []
      }, most: DetectionEvaluation.maximumDetections)
    let truths = try metric.objects(objects ?? [])
    let similarity = hasPoints ? KeypointSimilarity(points: names?.count ?? 0) : nil
    let matching = ObjectMatching(
      .init(detections: found.map(\.detection), objects: truths), keypoints: similarity)
    var comparison = TruthComparison(
      detections: found.count { $0.detection.score >= ObjectMatching.minimumScore })
    var states = found.map { _ in ComparedObject.State.unknown }
    var fates = truths.map { $0.isIgnored ? ComparedObject.State.ignored : .missed }
    if objects != nil {
      for (index, assignment) in matching.assignments.enumerated() {
        switch assignment {
        case .ignored: states[index] = .ignored
        case .nothing: states[index] = .extra
        case .object(let object):
          let isSame = truths[object].category == found[index].detection.category
          states[index] = isSame ? .matched : .confused
          fates[object] = states[index]
        }
      }
      comparison.found = fates.count { $0 == .matched }
      comparison.confused = fates.count { $0 == .confused }
      comparison.missed = fates.count { $0 == .missed }
      comparison.extra = states.count { $0 == .extra }
      if hasPoints {
        comparison.similarity =
          zip(truths, matching.overlaps).filter { !$0.0.isIgnored }.map(\.1).meanIfAny
      }
    }
    if drawing, size.0 > 0, size.1 > 0 {
      comparison.shapes = ComparedShapes(
        width: size.0, height: size.1,
        truth: zip(objects ?? [], fates).enumerated().map { index, pair in
          object(pair.0, pair.1, matching.detections[index])
        },
        predicted: zip(found, states).enumerated().map { index, pair in
          let partner: Int? =
            if case .object(let object) = matching.assignments[index] { object } else { nil }
          return detections[pair.0.index].compared(pair.1, partner, size)
        })
      comparison.shapes?.limit(to: ComparedShapes.maximumCount)
    }
    return comparison
  }

  private func object(
    _ object: GroundTruthBox, _ state: ComparedObject.State, _ partner: Int?
  ) -> ComparedObject {
    ComparedObject(
      label: classes.classes(for: object.label).first.map { classes.names[$0] } ?? object.label,
      box: object.box,
      keypoints: object.keypoints?.map {
        $0.isLabelled ? ComparedObject.Point(name: $0.name, x: $0.x, y: $0.y) : nil
      }, outline: object.outline, state: state, partner: partner)
  }
}

extension Detection {
  /// The keypoints in the order of their names, or in their own order if a name is missing.
  fileprivate func points(named names: [String]) -> [SIMD2<Double>] {
    let found = keypoints ?? []
    let positions = Dictionary(
      found.enumerated().map { (ClassList.plain($1.name), $0) }, uniquingKeysWith: { old, _ in old }
    )
    let order = names.compactMap { positions[ClassList.plain($0)] }
    let chosen = order.count == names.count ? order.map { found[$0] } : found
    return chosen.map { SIMD2($0.x, $0.y) }
  }

  /// The detection in pixels, made from one in fractions of an image's sides.
  fileprivate func compared(
    _ state: ComparedObject.State, _ partner: Int?, _ size: (width: Int, height: Int)
  ) -> ComparedObject {
    let (width, height) = (Double(size.width), Double(size.height))
    return ComparedObject(
      label: label, score: score.shortestDouble,
      box: Box(
        x: box.x * width, y: box.y * height, width: box.width * width, height: box.height * height),
      angle: angle,
      keypoints: keypoints?.map {
        $0.x.isFinite && $0.y.isFinite
          ? ComparedObject.Point(name: $0.name, x: $0.x * width, y: $0.y * height) : nil
      }, mask: mask, state: state, partner: partner)
  }
}

extension ComparedShapes {
  /// Drops the last objects and detections, and the partners that are no longer there.
  fileprivate mutating func limit(to count: Int) {
    truth = Array(truth.prefix(count))
    predicted = Array(predicted.prefix(count))
    for index in truth.indices where truth[index].partner.map({ $0 >= predicted.count }) == true {
      truth[index].partner = nil
    }
    for index in predicted.indices
    where predicted[index].partner.map({ $0 >= truth.count }) == true {
      predicted[index].partner = nil
    }
  }
}

extension ClassMap {
  /// The class map of a mask, whose numbers have the offset of the dataset's classes.
  fileprivate init(_ mask: PixelBuffer, labels: Labels?, context: MetricContext) {
    var classes: [UInt16] = []
    classes.reserveCapacity(mask.width * mask.height)
    let ignored = context.ignoredClass.flatMap(UInt8.init(exactly:))
    mask.withBytes { bytes in
      bytes.withUnsafeBytes { bytes in
        for y in 0..<mask.height {
          for x in 0..<mask.width {
            let number = bytes[y * mask.bytesPerRow + x]
            let own = number == ignored ? 0 : context.labelOffset
            let (sum, overflow) = Int(number).addingReportingOverflow(own)
            classes.append(overflow ? UInt16(number) : UInt16(exactly: sum) ?? UInt16(number))
          }
        }
      }
    }
    self.init(width: mask.width, height: mask.height, classes: classes, labels: labels)
  }
}
