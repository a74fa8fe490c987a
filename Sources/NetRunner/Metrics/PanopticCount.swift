// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// The number of each pixel's predicted segment.
struct SegmentMap {
  let width: Int
  let height: Int
  /// The number of each pixel's segment, or 0 for none.
  private(set) var pixels: [UInt32]
  /// The class of each segment, from segment 1.
  private(set) var classes: [Int] = []

  init(width: Int, height: Int) {
    self.width = width
    self.height = height
    pixels = Array(repeating: 0, count: width * height)
  }

  /// Adds a segment for each class of a map, which is stretched to the size with the nearest pixel.
  mutating func add(_ map: ClassMap, _ owners: [Int: Int]) {
    var numbers = [UInt32](repeating: 0, count: Int(UInt16.max) + 1)
    var segments: [Int: UInt32] = [:]
    for (index, owner) in owners.sorted(by: { $0.key < $1.key }) where numbers.indices ~= index {
      if segments[owner] == nil {
        classes.append(owner)
        segments[owner] = UInt32(classes.count)
      }
      numbers[index] = segments[owner] ?? 0
    }
    let columns = (0..<width).map { (2 * $0 + 1) * map.width / (2 * width) }
    for y in 0..<height {
      let row = (2 * y + 1) * map.height / (2 * height) * map.width
      for x in 0..<width { pixels[y * width + x] = numbers[Int(map.classes[row + columns[x]])] }
    }
  }

  /// Adds an object over what is there.
  mutating func add(_ mask: ObjectMask, _ owner: Int) {
    guard mask.width > 0 else { return }
    classes.append(owner)
    var at = 0
    for (index, length) in mask.runs.enumerated() {
      if index % 2 == 1 {
        for pixel in at..<(at + length) {
          let (x, y) = (mask.x + pixel % mask.width, mask.y + pixel / mask.width)
          if (0..<width) ~= x, (0..<height) ~= y { pixels[y * width + x] = UInt32(classes.count) }
        }
      }
      at += length
    }
  }
}

/// The matches of a class, from which panoptic quality is computed.
struct PanopticCount {
  /// The sum of the matches' overlaps.
  private var overlap = 0.0
  private var matched = 0.0
  /// The numbers of predicted segments that match nothing, and of true ones that aren't found.
  private var extra = 0.0
  private var missed = 0.0

  var numbers: [Double] { [overlap, matched, extra, missed] }
  var size: Double { matched + extra / 2 + missed / 2 }
  var truths: Int { Int(min(max(matched + missed, 0), 0x1p52)) }

  /// Adds a number that says whether the class has things, which is skipped, and ``numbers``.
  mutating func add(_ numbers: [Double]) {
    overlap += numbers[1]
    matched += numbers[2]
    extra += numbers[3]
    missed += numbers[4]
  }

  func number(_ value: PanopticMetric.Value) -> Double {
    switch value {
    case .sq: matched > 0 ? overlap / matched : 0
    case .rq: matched / size
    case .pq, .pqThings, .pqStuff: overlap / size
    }
  }

  /// Matches the segments of an image.
  ///
  /// A match is a pair of the same class whose overlap is more than one half, so that each segment
  /// has at most one. Void pixels of the truth, whose number is 0, don't count for the overlap. A
  /// predicted segment without a match isn't counted if more than half of it is void or in a crowd
  /// of its class.
  static func counts(
    _ truth: GroundTruthSegments, _ ids: [UInt32], _ found: SegmentMap
  ) -> [Int: PanopticCount] {
    let stride = found.classes.count + 1
    var both: [Int: Int] = [:]
    var last = (key: 0, count: 0)
    // Neighbouring pixels usually have the same pair, so that most need no look-up.
    for (id, segment) in zip(ids, found.pixels) {
      let key = Int(id) * stride + Int(segment)
      if key != last.key {
        both[last.key, default: 0] += last.count
        last = (key, 0)
      }
      last.count += 1
    }
    both[last.key, default: 0] += last.count
    var areas: (truth: [Int: Int], found: [Int: Int]) = ([:], [:])
    for (key, count) in both where count > 0 {
      areas.truth[key / stride, default: 0] += count
      areas.found[key % stride, default: 0] += count
    }
    let segments = Dictionary(truth.segments.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
    var counts: [Int: PanopticCount] = [:]
    var matched: (truth: Set<Int>, found: Set<Int>) = ([], [])
    for (key, shared) in both.sorted(by: { $0.key < $1.key }) where key % stride > 0 {
      let (id, number) = (key / stride, key % stride)
      guard let segment = segments[id], !segment.isCrowd,
        segment.classIndex == found.classes[number - 1]
      else { continue }
      let union =
        areas.truth[id, default: 0] + areas.found[number, default: 0] - shared
        - both[number, default: 0]
      guard 2 * shared > union else { continue }
      counts[segment.classIndex, default: .init()].overlap += Double(shared) / Double(union)
      counts[segment.classIndex, default: .init()].matched += 1
      matched.truth.insert(id)
      matched.found.insert(number)
    }
    var crowds: [Int: Int] = [:]
    for segment in truth.segments where !matched.truth.contains(segment.id) {
      if segment.isCrowd {
        crowds[segment.classIndex] = segment.id
      } else {
        counts[segment.classIndex, default: .init()].missed += 1
      }
    }
    for (number, area) in areas.found where number > 0 && !matched.found.contains(number) {
      let owner = found.classes[number - 1]
      let crowd = crowds[owner].flatMap { both[$0 * stride + number] } ?? 0
      if 2 * (both[number, default: 0] + crowd) > area { continue }
      counts[owner, default: .init()].extra += 1
    }
    return counts
  }
}
