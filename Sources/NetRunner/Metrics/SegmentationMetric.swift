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
struct SegmentationMetric: MetricFamily {
  enum Value: String, CaseIterable {
    case meanIoU = "mean_iou"
    case pixelAccuracy = "pixel_accuracy"
  }

  struct Item: Sendable, Hashable, Codable {
    /// For each class that occurs: its number, and its correct, true and predicted pixel counts.
    var counts: PackedNumbers<Double>
    var failed = false
  }

  static let familyName = "segmentation"
  /// The maximum difference between the proportions of a map and a mask.
  static let proportionTolerance = 0.01

  let name: String
  let context: MetricContext
  let decoder = ImageDecoder()

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
    try Self.checkProportions(map, mask.width, mask.height, path)
    counts.add(mask: mask, map: map)
    return Item(counts: counts.packed)
  }

  /// Throws if a map and a mask don't show the same part of an image.
  static func checkProportions(
    _ map: ClassMap, _ width: Int, _ height: Int, _ path: String
  ) throws {
    let proportions = Double(map.width) * Double(height) / (Double(map.height) * Double(width))
    guard abs(proportions - 1) <= proportionTolerance else {
      throw TensorIOError(
        .unsupportedImage,
        "The mask '\(path)' has \(width) x \(height) pixels, but the model's map has "
          + "\(map.width) x \(map.height): their proportions must be equal within 1%. Use masks "
          + "of the part that the model sees, or set \"crop\": \"stretch\" in model.json.")
    }
  }

  func reduce(_ items: [Item]) throws -> MetricReport {
    let images = try items.map { try PixelCounts(packed: $0.counts, metric: name) }
    let classes = Set(images.flatMap(\.classes.keys)).sorted()
    let indexes = Dictionary(uniqueKeysWithValues: classes.enumerated().map { ($1, $0) })
    let rows = images.map { image in
      image.classes.compactMap { number, count in indexes[number].map { ($0, count) } }
    }
    let total = PixelCounts.sums(rows, classes: classes.count)
    let resampled = Bootstrap(context).intervals(
      images: items.count, steps: rows.reduce(0) { $0 + $1.count } + items.count + classes.count
    ) { weights in
      let sums = PixelCounts.sums(rows, classes: classes.count, weights: weights)
      return [PixelCounts.meanIoU(sums), PixelCounts.accuracy(sums)]
    }
    var report = MetricReport(values: [])
    for value in values {
      let (number, interval): (Double?, MetricValue.Interval?) =
        switch value {
        case .meanIoU: (PixelCounts.meanIoU(total), resampled?[0])
        case .pixelAccuracy: (PixelCounts.accuracy(total), resampled?[1])
        }
      report.values.append(
        MetricValue(
          value.rawValue, number, interval: number == nil ? nil : interval, count: items.count))
      if number == nil {
        report.notes.append("\(value.rawValue) is not defined: no pixel has a truth that counts.")
      }
    }
    let failed = items.count(where: \.failed)
    if failed > 0 {
      report.notes.append(
        "\(failed) of \(counted(items.count, "image")) failed: all their pixels count as wrong.")
    }
    if isFamily {
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

/// The numbers of pixels of each class: true, predicted, and correctly predicted.
struct PixelCounts {
  struct Count: Hashable {
    var both = 0
    var truth = 0
    var predicted = 0

    /// The intersection over union, or nil if the class doesn't occur.
    var iou: Double? {
      let union = truth + predicted - both
      return union > 0 ? Double(both) / Double(union) : nil
    }

    /// The number of correct pixels divided by a total, or nil if the total is 0.
    func share(of whole: Int) -> Double? { whole > 0 ? Double(both) / Double(whole) : nil }
  }

  private(set) var classes: [Int: Count] = [:]
  /// The mask's value for pixels that don't count.
  var ignored: Int?
  /// A number that is added to the mask's other values.
  var offset = 0

  /// Counts the pixels of a mask, and of a class map at the same positions if there is one.
  mutating func add(mask: PixelBuffer, map: ClassMap?) {
    let columns = map.map { map in
      (0..<mask.width).map { (2 * $0 + 1) * map.width / (2 * mask.width) }
    }
    // A mask has one byte per pixel. There is one table for its values and one for the map's.
    var truths = [Int](repeating: 0, count: 256)
    var boths = truths
    var predictions = [Int](repeating: 0, count: map == nil ? 0 : Int(UInt16.max) + 1)
    let offset = offset
    let ignored = ignored.flatMap(UInt8.init(exactly:))
    mask.withBytes { bytes in
      bytes.withUnsafeBytes { bytes in
        for y in 0..<mask.height {
          let row = map.map { (2 * y + 1) * $0.height / (2 * mask.height) * $0.width } ?? 0
          for x in 0..<mask.width {
            let number = bytes[y * mask.bytesPerRow + x]
            if number == ignored { continue }
            truths[Int(number)] += 1
            guard let map, let columns else { continue }
            let said = Int(map.classes[row + columns[x]])
            predictions[said] += 1
            let (truth, overflow) = Int(number).addingReportingOverflow(offset)
            if !overflow, truth == said { boths[Int(number)] += 1 }
          }
        }
      }
    }
    for number in truths.indices where truths[number] > 0 {
      let (truth, overflow) = number.addingReportingOverflow(offset)
      let key = overflow ? number : truth
      classes[key, default: Count()].truth += truths[number]
      classes[key, default: Count()].both += boths[number]
    }
    for number in predictions.indices where predictions[number] > 0 {
      classes[number, default: Count()].predicted += predictions[number]
    }
  }
}

extension PixelCounts {
  var packed: PackedNumbers<Double> {
    PackedNumbers(
      classes.sorted { $0.key < $1.key }.flatMap { number, count in
        [number, count.both, count.truth, count.predicted].map(Double.init)
      })
  }

  init(packed: PackedNumbers<Double>, metric: String) throws {
    self.init()
    let numbers = packed.numbers.compactMap { number in
      number.magnitude <= 0x1p53 ? Int(exactly: number) : nil
    }
    let isValid =
      numbers.count == packed.numbers.count && numbers.count.isMultiple(of: 4)
      && numbers.indices.allSatisfy {
        $0.isMultiple(of: 4) || (0...(1 << 32)).contains(numbers[$0])
      }
    guard isValid else {
      throw TensorIOError(
        .wrongKind, "Metric '\(metric)' was given items that are not its own counts of pixels.")
    }
    for start in stride(from: 0, to: numbers.count, by: 4) {
      classes[numbers[start]] = Count(
        both: numbers[start + 1], truth: numbers[start + 2], predicted: numbers[start + 3])
    }
  }

  // MARK: - Sums

  static func sums(
    _ images: [[(classIndex: Int, count: Count)]], classes: Int, weights: [Int]? = nil
  ) -> [Count] {
    var sums = Array(repeating: Count(), count: classes)
    for (image, rows) in images.enumerated() {
      let weight = weights?[image] ?? 1
      if weight == 0 { continue }
      for row in rows {
        sums[row.classIndex].both += weight * row.count.both
        sums[row.classIndex].truth += weight * row.count.truth
        sums[row.classIndex].predicted += weight * row.count.predicted
      }
    }
    return sums
  }

  static func meanIoU(_ counts: [Count]) -> Double? {
    counts.compactMap(\.iou).meanIfAny
  }

  static func accuracy(_ counts: [Count]) -> Double? {
    let truth = counts.reduce(0) { $0 + $1.truth }
    return truth > 0 ? Double(counts.reduce(0) { $0 + $1.both }) / Double(truth) : nil
  }
}
