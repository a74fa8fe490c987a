// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import TensorIOImageCodecs

/// The quality of segmentation: all values, or one of them.
///
/// The pixels of all images are counted together. Pixels whose true class is the ignored class
/// don't count. Pixels of an image that failed are wrong. The model's map is stretched to the
/// mask's size with the nearest pixel. This requires equal proportions, because a model that sees
/// only a part of the image can't be judged by a mask of the whole image.
struct SegmentationMetric: Metric {
  enum Value: String, CaseIterable {
    case meanIoU = "mean_iou"
    case pixelAccuracy = "pixel_accuracy"
  }

  /// The data that is kept for an image.
  struct Item: Sendable, Hashable, Codable {
    /// For each class that occurs: its number, and its correct, true and predicted pixel counts.
    var counts: PackedNumbers<Double>
    /// Whether the image or the run failed.
    var failed = false
  }

  /// The name for all values together.
  static let familyName = "segmentation"
  /// The names in the registry.
  static let names = [familyName] + Value.allCases.map(\.rawValue)
  /// The maximum difference between the proportions of a map and a mask.
  static let proportionTolerance = 0.01

  let name: String
  let context: MetricContext
  private let decoder = ImageDecoder()

  init(name: String, context: MetricContext) {
    self.name = name
    self.context = context
  }

  func evaluate(_ truth: GroundTruth, _ prediction: Prediction?) throws -> Item? {
    guard case .classMap(let path) = truth else { return nil }
    let mask = try decoder.numbers(contentsOf: path)
    var counts = PixelCounts(ignored: context.ignoredClass, offset: context.labelOffset)
    guard let prediction else {
      counts.add(mask: mask, map: nil)
      return Item(counts: counts.packed, failed: true)
    }
    guard let map = prediction.classMap else {
      throw TensorIOError(
        .wrongOutputType,
        "Metric '\(name)' needs a class map, but the model has no output of the format CLASSES.")
    }
    let proportions =
      Double(map.width) * Double(mask.height) / (Double(map.height) * Double(mask.width))
    guard abs(proportions - 1) <= Self.proportionTolerance else {
      throw TensorIOError(
        .unsupportedImage,
        "The mask '\(path)' has \(mask.width) x \(mask.height) pixels, but the model's map has "
          + "\(map.width) x \(map.height): their proportions must be equal within 1%. Use masks "
          + "of the part that the model sees, or set \"crop\": \"none\" in model.json.")
    }
    counts.add(mask: mask, map: map)
    return Item(counts: counts.packed)
  }

  func reduce(_ items: [Item]) throws -> MetricReport {
    let pictures = try items.map { try PixelCounts(packed: $0.counts, metric: name) }
    let classes = Set(pictures.flatMap(\.classes.keys)).sorted()
    let indexes = Dictionary(uniqueKeysWithValues: classes.enumerated().map { ($1, $0) })
    let rows = pictures.map { picture in
      picture.classes.compactMap { number, count in indexes[number].map { ($0, count) } }
    }
    let total = PixelCounts.sums(rows, classes: classes.count)
    let values = Value.allCases.filter { name == Self.familyName || name == $0.rawValue }
    let resampled = Bootstrap(context).intervals(
      pictures: items.count, steps: rows.reduce(0) { $0 + $1.count } + items.count + classes.count
    ) { weights in
      let sums = PixelCounts.sums(rows, classes: classes.count, weights: weights)
      return [PixelCounts.meanIoU(sums), PixelCounts.accuracy(sums)]
    }
    var report = MetricReport(values: [])
    for value in values {
      let number = value == .meanIoU ? PixelCounts.meanIoU(total) : PixelCounts.accuracy(total)
      report.values.append(
        MetricValue(
          value.rawValue, number,
          interval: number == nil ? nil : resampled?[value == .meanIoU ? 0 : 1], count: items.count)
      )
      if number == nil {
        report.notes.append("\(value.rawValue) is not defined: no pixel has a truth that counts.")
      }
    }
    let failed = items.count(where: \.failed)
    if failed > 0 {
      report.notes.append(
        "\(failed) of \(counted(items.count, "image")) failed: all their pixels count as wrong.")
    }
    if name == Self.familyName {
      report.classes = zip(classes, total).map { number, count in
        ClassMetrics(
          label: label(number), support: count.truth,
          values: [
            "iou": count.iou, "recall": count.share(of: count.truth),
            "precision": count.share(of: count.predicted),
          ])
      }
    }
    return report
  }

  private func label(_ number: Int) -> String {
    context.labels.indices.contains(number) ? context.labels[number] : "\(number)"
  }
}
