// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// The quality of poses and other keypoints: COCO's ten values as pycocotools computes them, the
/// percentage of correct keypoints, or one of them.
///
/// The objects in an image that failed count as not found. Objects that the dataset gives no
/// keypoints don't count.
struct KeypointMetric: MetricFamily {
  enum Value: String, CaseIterable {
    case ap = "oks_ap"
    case ap50 = "oks_ap50"
    case ap75 = "oks_ap75"
    case apMedium = "oks_ap_medium"
    case apLarge = "oks_ap_large"
    case ar = "oks_ar"
    case ar50 = "oks_ar50"
    case ar75 = "oks_ar75"
    case arMedium = "oks_ar_medium"
    case arLarge = "oks_ar_large"
    case pck05, pck10, pck20

    /// The index of the limit of a percentage of correct keypoints.
    fileprivate var limit: Int? { [.pck05, .pck10, .pck20].firstIndex(of: self) }
  }

  static let familyName = "keypoints"
  /// The maximum number of detections of a class and an image.
  static let maximumDetections = 20

  let name: String
  private let detection: DetectionMetric

  init(name: String, context: MetricContext) {
    self.name = name
    // The only class of a pose model has no name, or another one than the dataset's.
    detection = DetectionMetric(
      name: name, context: context, hasOneClass: context.labels.count < 2)
  }

  // MARK: - Images

  func evaluate(_ truth: GroundTruth, _ prediction: Prediction?) throws -> DetectionItem? {
    guard case .boxes(let boxes) = truth else { return nil }
    let objects = boxes.filter { $0.keypoints != nil }
    let names = objects.first?.keypoints?.map(\.name)
    guard objects.allSatisfy({ $0.keypoints?.count == names?.count }) else {
      throw different
    }
    return try detection.item(objects, prediction, most: Self.maximumDetections) {
      try points($0, names)
    }
  }

  /// The points of a detection in the dataset's order, as fractions of the image's sides.
  ///
  /// They are found by name if the model has all the dataset's names.
  private func points(_ detection: Detection, _ names: [String]?) throws -> [SIMD2<Double>] {
    guard let found = detection.keypoints, !found.isEmpty else {
      throw TensorIOError(
        .wrongOutputType,
        "Metric '\(name)' needs keypoints, but the model finds only boxes. Measure these with "
          + "--metric detection.")
    }
    let points = found.map { SIMD2($0.x, $0.y) }
    guard let names else { return points }
    let positions = Dictionary(
      found.enumerated().map { (ClassList.plain($1.name), $0) }, uniquingKeysWith: { old, _ in old }
    )
    let order = names.compactMap { positions[ClassList.plain($0)] }
    if order.count == names.count { return order.map { points[$0] } }
    guard points.count == names.count else {
      throw TensorIOError(
        .wrongOutputType,
        "Metric '\(name)': the dataset's objects have the keypoints \(ClassList.list(names)), but "
          + "the model finds \(ClassList.list(found.map(\.name))). It must have all of these names, "
          + "or as many points in the same order.")
    }
    return points
  }

  private var different: TensorIOError {
    TensorIOError(
      .wrongKind,
      "Metric '\(name)' needs the same number of keypoints for all objects. Make a file of COCO "
        + "annotations for each class that has other keypoints.")
  }

  private var damaged: TensorIOError {
    TensorIOError(
      .wrongKind,
      "Metric '\(name)': an item with objects has no 'pointNames', but it must have as many as the "
        + "other items. The report is damaged. Evaluate the images again.")
  }

  // MARK: - Report

  func reduce(_ items: [DetectionItem]) throws -> MetricReport {
    let first = items.lazy.compactMap(\.pointNames).first
    let names = first ?? []
    guard items.allSatisfy({ $0.pointNames.map { $0.count == names.count } ?? true }) else {
      throw different
    }
    let similarity = KeypointSimilarity(points: names.count)
    let categories = try DetectionCategories(items, metric: name)
    let images = categories.all.map(categories.images)
    // An image without objects has no names, but it can have detections.
    let isWhole = images.joined().allSatisfy { image in
      image.objects.allSatisfy { first != nil && $0.points.count == names.count }
    }
    guard isWhole else { throw damaged }
    let results = images.map { DetectionEvaluation($0, keypoints: similarity) }
    var points = CorrectPoints(points: names.count)
    for image in images.joined() { points.add(image, similarity) }
    var report = MetricReport(values: [])
    report.notes = detection.notes(items, categories)
    if !similarity.isPerson, !names.isEmpty, values.contains(where: { $0.limit == nil }) {
      report.notes.append(
        "COCO defines the weights only of its 17 keypoints. Here, all \(names.count) have the same "
          + "weight, as in Ultralytics.")
    }
    for value in values {
      let (number, count): (Double?, Int) =
        if let limit = value.limit {
          (points.share(limit), points.labelled.reduce(0, +))
        } else {
          (
            results.compactMap(value.number).meanIfAny,
            results.reduce(0) { $0 + $1.objects(value.range) }
          )
        }
      report.values.append(MetricValue(value.rawValue, number, count: count))
      if number == nil {
        report.notes.append(
          "\(value.rawValue) is not defined: no object with labelled keypoints has "
            + "\(value.range.words).")
      }
    }
    if isFamily {
      let shares = Value.allCases.compactMap { value in
        value.limit.map { (value.rawValue, points.shares($0)) }
      }
      report.classes = names.indices.map { index in
        ClassMetrics(
          label: names[index], support: points.labelled[index],
          values: Dictionary(uniqueKeysWithValues: shares.map { ($0, $1[index]) }))
      }
    }
    return report
  }
}

extension KeypointMetric.Value {
  fileprivate var range: DetectionEvaluation.AreaRange {
    switch self {
    case .apMedium, .arMedium: .medium
    case .apLarge, .arLarge: .large
    default: .all
    }
  }

  /// The value of one class, or nil if there are no objects.
  fileprivate func number(_ result: DetectionEvaluation) -> Double? {
    guard let scores = result.scores(range, most: KeypointMetric.maximumDetections) else {
      return nil
    }
    switch self {
    case .ap, .apMedium, .apLarge: return scores.precision.mean
    case .ap50: return scores.precision.first
    case .ap75: return scores.precision[5]
    case .ar50: return scores.recall.first
    case .ar75: return scores.recall[5]
    default: return scores.recall.mean
    }
  }
}
