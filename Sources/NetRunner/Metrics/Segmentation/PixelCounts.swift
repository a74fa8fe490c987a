// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

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
  private let ignored: Int?
  private let offset: Int

  /// Creates empty counts.
  ///
  /// - Parameters:
  ///   - ignored: The mask's value for pixels that don't count.
  ///   - offset: A number that is added to the mask's other values.
  init(ignored: Int?, offset: Int) {
    self.ignored = ignored
    self.offset = offset
  }

  /// Counts the pixels of a mask and of the class map at the same positions.
  ///
  /// The map can be nil.
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

  // MARK: - Kept

  var packed: PackedNumbers<Double> {
    PackedNumbers(
      classes.sorted { $0.key < $1.key }.flatMap { number, count in
        [number, count.both, count.truth, count.predicted].map(Double.init)
      })
  }

  init(packed: PackedNumbers<Double>, metric: String) throws {
    self.init(ignored: nil, offset: 0)
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
    _ pictures: [[(classIndex: Int, count: Count)]], classes: Int, weights: [Int]? = nil
  ) -> [Count] {
    var sums = Array(repeating: Count(), count: classes)
    for (picture, rows) in pictures.enumerated() {
      let weight = weights?[picture] ?? 1
      if weight == 0 { continue }
      for row in rows {
        sums[row.classIndex].both += weight * row.count.both
        sums[row.classIndex].truth += weight * row.count.truth
        sums[row.classIndex].predicted += weight * row.count.predicted
      }
    }
    return sums
  }

  /// The mean over all classes that occur, or nil if there are none.
  static func meanIoU(_ counts: [Count]) -> Double? {
    let found = counts.compactMap(\.iou)
    return found.isEmpty ? nil : found.mean
  }

  /// The fraction of correct pixels, or nil if there are no pixels.
  static func accuracy(_ counts: [Count]) -> Double? {
    let truth = counts.reduce(0) { $0 + $1.truth }
    return truth > 0 ? Double(counts.reduce(0) { $0 + $1.both }) / Double(truth) : nil
  }
}
