// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Where the scores of each box are.
struct ScoreLayout {
  /// The index of the first class among the values of a box.
  var first: Int
  var classes: Int
  var activation: BoxActivation
  /// Whether a background class is before the first class.
  var hasBackground = false
  /// The index of the value that all scores are multiplied with.
  var objectness: Int?
}

extension CandidateQueue {
  /// Adds the best class of each box of a tensor that has a row for each class.
  ///
  /// The tensor is read in the order of memory. The blocks are small enough for the processor's
  /// first cache.
  mutating func addColumns(
    of tensor: Span<Float>, count: Int, _ layout: ScoreLayout, threshold: Float,
    where isUsable: (Int) -> Bool
  ) {
    let block = 2048
    let least = layout.activation.least(threshold)
    var bestStorage = [Float](repeating: 0, count: min(block, count))
    var classStorage = [Int32](repeating: 0, count: min(block, count))
    var best = bestStorage.mutableSpan
    var classes = classStorage.mutableSpan
    for start in stride(from: 0, to: count, by: block) {
      let size = min(block, count - start)
      best.update(repeating: -.infinity)
      for number in 0..<layout.classes {
        let from = (layout.first + number) * count + start
        raise(&best, &classes, to: tensor.extracting(from..<from + size), Int32(number))
      }
      for offset in 0..<size where best[offset] > least {
        guard best[offset] < .infinity, isUsable(start + offset) else { continue }
        add(
          layout.activation.score(best[offset]), at: start + offset,
          classIndex: Int(classes[offset]))
      }
    }
  }

  /// Adds the best class of each box of a tensor that has a row for each box.
  mutating func addRows(
    of tensor: Span<Float>, count: Int, stride: Int, _ layout: ScoreLayout, threshold: Float,
    where isUsable: (Int) -> Bool
  ) {
    let isPlain = layout.objectness == nil && layout.activation != .softmax
    let least = isPlain ? layout.activation.least(threshold) : -.infinity
    for index in 0..<count {
      var weight: Float = 1
      if let objectness = layout.objectness {
        let value = tensor[index * stride + objectness]
        weight = layout.activation.score(value)
        guard weight > threshold, value < .infinity else { continue }
      }
      let row = tensor.extracting(
        index * stride + layout.first..<index * stride + layout.first + layout.classes)
      let best = row.greatest()
      guard best > least, best < .infinity else { continue }
      if layout.activation == .softmax {
        let before = layout.hasBackground ? tensor[index * stride + layout.first - 1] : -.infinity
        weight = row.share(of: best, before: before, threshold: threshold)
      } else {
        weight *= layout.activation.score(best)
      }
      guard weight > threshold, isUsable(index) else { continue }
      add(weight, at: index, classIndex: row.firstIndex(of: best))
    }
  }
}

/// Replaces the scores that are lower than those of a class.
///
/// The compiler makes vector instructions of this loop because it has no branches.
private func raise(
  _ best: inout MutableSpan<Float>, _ classes: inout MutableSpan<Int32>, to row: Span<Float>,
  _ number: Int32
) {
  precondition(best.count >= row.count && classes.count >= row.count)
  for index in row.indices {
    let value = row[index]
    let old = best[index]
    let oldClass = classes[index]
    let new = value > old ? value : old
    best[index] = new
    classes[index] = new == old ? oldClass : number
  }
}

extension Span<Float> {
  /// Returns the greatest value, ignoring undefined ones; negative infinity if there is none.
  fileprivate func greatest() -> Float {
    // Four values at a time, because each comparison would wait for the one before.
    var first: Float = -.infinity
    var (second, third, fourth) = (first, first, first)
    var index = 0
    while index + 4 <= count {
      first = self[index] > first ? self[index] : first
      second = self[index + 1] > second ? self[index + 1] : second
      third = self[index + 2] > third ? self[index + 2] : third
      fourth = self[index + 3] > fourth ? self[index + 3] : fourth
      index += 4
    }
    while index < count {
      first = self[index] > first ? self[index] : first
      index += 1
    }
    return max(max(first, second), max(third, fourth))
  }

  fileprivate func firstIndex(of value: Float) -> Int {
    for index in indices where self[index] == value { return index }
    return 0
  }

  /// Returns the softmax of a value of this row and one value before it.
  ///
  /// It is 0 if it can't reach the threshold, so that most rows need no exponential function.
  fileprivate func share(of value: Float, before: Float, threshold: Float) -> Float {
    let highest = Double(max(value, before))
    let own = exp(Double(value) - highest)
    guard own > Double(threshold) || !(threshold > 0) else { return 0 }
    var sum = exp(Double(before) - highest)
    for index in indices { sum += exp(Double(self[index]) - highest) }
    return Float(own / sum)
  }
}
