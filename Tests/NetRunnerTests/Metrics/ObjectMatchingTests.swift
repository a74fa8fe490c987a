// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import TestSupport
import Testing

@testable import NetRunner

@Suite struct ObjectMatchingTests {
  private static func found(_ category: Int, _ score: Double, x: Double = 0) -> DetectedBox {
    DetectedBox(category: category, score: score, box: Box(x: x, y: 0, width: 10, height: 10))
  }

  private static func object(_ category: Int, x: Double = 0, isCrowd: Bool = false) -> TrueBox {
    TrueBox(
      category: category, box: Box(x: x, y: 0, width: 10, height: 10), area: 100, isCrowd: isCrowd)
  }

  private static func assignments(
    _ detections: [DetectedBox], _ objects: [TrueBox]
  ) -> [ObjectMatching.Assignment] {
    ObjectMatching(.init(detections: detections, objects: objects)).assignments
  }

  @Test func `the detection with the highest score chooses first, whatever its class`() {
    let objects = [Self.object(0)]
    #expect(
      Self.assignments([Self.found(1, 0.9), Self.found(0, 0.8)], objects)
        == [.object(0), .nothing])
  }

  @Test func `a detection takes the object that it overlaps most`() {
    let objects = [Self.object(0, x: 3), Self.object(0, x: 1)]
    #expect(Self.assignments([Self.found(0, 0.9)], objects) == [.object(1)])
    // For equal overlaps, the object of its own class is better.
    let equal = [Self.object(1), Self.object(0)]
    #expect(Self.assignments([Self.found(0, 0.9)], equal) == [.object(1)])
    #expect(
      Self.assignments([Self.found(1, 0.9), Self.found(1, 0.8)], equal) == [.object(0), .object(1)])
  }

  @Test func `an overlap of less than one half is no match`() {
    // 10 x 10 boxes that are 3.4 apart share 6.6 of 13.4 columns.
    #expect(Self.assignments([Self.found(0, 0.9)], [Self.object(0, x: 3.4)]) == [.nothing])
    #expect(Self.assignments([Self.found(0, 0.9)], [Self.object(0, x: 3.3)]) == [.object(0)])
  }

  @Test func `low scores and crowds don't count`() {
    #expect(Self.assignments([Self.found(0, 0.249)], [Self.object(0)]) == [.ignored])
    let crowd = [Self.object(0, isCrowd: true)]
    #expect(
      Self.assignments([Self.found(0, 0.9), Self.found(0, 0.8), Self.found(1, 0.7)], crowd)
        == [.ignored, .ignored, .nothing])
  }

  @Test(.enabled(if: MetricPeer.isThere, MetricPeer.reason))
  func `confusion matrices equal an independent computation`() async throws {
    let cases =
      (DetectionCase.all
      + (200..<240).map { seed in
        DetectionCase.random(
          "random \(seed)", seed: seed, steps: seed % 2 == 0 ? 1000 : 5,
          noise: Double(seed % 5) / 5, crowds: 0.15, failing: seed % 3 == 0 ? 0.2 : 0)
      }).map { item in
        var item = item
        item.kind = "detection_confusion"
        return item
      }
    let answers = try await MetricPeer.answers(cases)
    try #require(answers.count == cases.count)
    var isAnyFound = false
    for (item, theirs) in zip(cases, answers) {
      var mine: [String: Double] = [:]
      if let matrix = try item.report().confusion {
        #expect(matrix.labels.last == "background")
        for (row, counts) in zip(matrix.labels, matrix.counts) {
          for (column, count) in zip(matrix.labels, counts) where count > 0 {
            mine["\(row) > \(column)"] = Double(count)
          }
        }
        for (label, count) in zip(matrix.labels, matrix.failed) where count > 0 {
          mine["\(label) failed"] = Double(count)
        }
      }
      isAnyFound = isAnyFound || mine.count > 4
      #expect(mine == theirs.compactMapValues(\.self), "\(item.name)")
    }
    #expect(isAnyFound)
  }
}
