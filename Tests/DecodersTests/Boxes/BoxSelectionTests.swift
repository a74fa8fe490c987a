// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Decoders
import Testing

struct BoxSelectionTests {
  /// A box from the left to the right edge, which is 1 high.
  private func box(
    _ left: Float, _ right: Float, score: Float, classIndex: Int = 0, source: Int = 0
  ) -> DecodedBox {
    DecodedBox(
      left: left, top: 0, right: right, bottom: 1, score: score, classIndex: classIndex,
      source: source)
  }

  private func sources(_ selection: BoxSelection, _ boxes: [DecodedBox]) throws -> [Int] {
    try selection.select(boxes).boxes.map(\.source)
  }

  @Test func `equal scores are in the order of the list`() throws {
    let boxes = (0..<6).map { box(Float($0) * 10, Float($0) * 10 + 1, score: 0.5, source: $0) }
    #expect(try sources(BoxSelection(), boxes) == [0, 1, 2, 3, 4, 5])
    #expect(try sources(BoxSelection(candidates: 3), boxes) == [0, 1, 2])
    #expect(try sources(BoxSelection(top: 2), boxes) == [0, 1])
  }

  @Test func `of equal boxes with equal scores, the first stays`() throws {
    let boxes = (0..<3).map { box(0, 1, score: 0.5, source: $0) }
    #expect(try sources(BoxSelection(), boxes) == [0])
  }

  @Test func `a box is dropped if its overlap is greater than the limit`() throws {
    // The boxes have 2 of 4 parts in common.
    let boxes = [box(0, 3, score: 0.9, source: 0), box(1, 4, score: 0.8, source: 1)]
    #expect(try sources(BoxSelection(iou: 0.5), boxes) == [0, 1])
    #expect(try sources(BoxSelection(iou: 0.499), boxes) == [0])
  }

  @Test func `a dropped box drops no other`() throws {
    let boxes = [
      box(0, 3, score: 0.9, source: 0), box(1, 4, score: 0.8, source: 1),
      box(2, 5, score: 0.7, source: 2),
    ]
    #expect(try sources(BoxSelection(iou: 0.4), boxes) == [0, 2])
  }

  @Test func `classes decide which boxes compete`() throws {
    let boxes = [
      box(0, 3, score: 0.8, source: 0), box(0, 3, score: 0.9, classIndex: 1, source: 1),
      box(0, 3, score: 0.7, classIndex: 1, source: 2),
    ]
    #expect(try sources(BoxSelection(suppression: .sameClass), boxes) == [1, 0])
    #expect(try sources(BoxSelection(suppression: .all), boxes) == [1])
    #expect(try sources(BoxSelection(suppression: .none), boxes) == [1, 0, 2])
    #expect(try sources(BoxSelection(suppression: .weighted), boxes) == [1])
  }

  @Test func `a score must exceed the threshold`() throws {
    let boxes = [box(0, 1, score: 0.5, source: 0), box(5, 6, score: 0.500_01, source: 1)]
    #expect(try sources(BoxSelection(threshold: 0.5), boxes) == [1])
    #expect(try sources(BoxSelection(threshold: .nan), boxes) == [])
    #expect(try sources(BoxSelection(threshold: -.infinity), boxes) == [1, 0])
  }

  @Test(arguments: BoxSelection.Suppression.allCases)
  func `broken boxes never stay`(suppression: BoxSelection.Suppression) throws {
    let broken: [Float] = [.nan, .infinity, -.infinity]
    var boxes = [box(0, 1, score: 0.5, source: 7)]
    for value in broken {
      boxes += [
        box(value, 1, score: 0.9), box(0, value, score: 0.9), box(0, 1, score: value),
        DecodedBox(left: 0, top: value, right: 1, bottom: 1, score: 0.9),
        DecodedBox(left: 0, top: 0, right: 1, bottom: value, score: 0.9),
        DecodedBox(left: value, top: value, right: value, bottom: value, score: 0.9),
        DecodedBox(left: 0, top: 0, right: 1, bottom: 1, score: 0.9, angle: value),
      ]
    }
    boxes += [box(1, 0, score: 0.9), DecodedBox(left: 0, top: 1, right: 1, bottom: 0, score: 0.9)]
    #expect(try sources(BoxSelection(suppression: suppression), boxes) == [7])
    // Boxes that are dropped take no place of a candidate.
    #expect(try sources(BoxSelection(suppression: suppression, candidates: 1), boxes) == [7])
  }

  @Test(arguments: BoxSelection.Suppression.allCases)
  func `limits of zero or less keep nothing`(suppression: BoxSelection.Suppression) throws {
    let boxes = [box(0, 1, score: 0.5)]
    for limit in [0, -1, Int.min] {
      #expect(try sources(BoxSelection(suppression: suppression, top: limit), boxes) == [])
      #expect(try sources(BoxSelection(suppression: suppression, candidates: limit), boxes) == [])
    }
    let most = BoxSelection(suppression: suppression, top: .max, candidates: .max)
    #expect(try sources(most, boxes) == [0])
    #expect(try sources(most, []) == [])
  }

  @Test(arguments: BoxSelection.Suppression.allCases)
  func `huge boxes and undefined limits don't crash`(suppression: BoxSelection.Suppression) throws {
    let huge = Float.greatestFiniteMagnitude / 4
    var boxes: [DecodedBox] = []
    for angle in [nil, 1] as [Float?] {
      boxes.append(
        DecodedBox(left: -huge, top: -huge, right: huge, bottom: huge, score: 0.9, angle: angle))
      boxes.append(DecodedBox(left: 0, top: 0, right: huge, bottom: 0, score: 0.8, angle: angle))
      boxes.append(DecodedBox(left: 1, top: 1, right: 1, bottom: 1, score: 0.7, angle: angle))
    }
    for limit in [.nan, -1, 0, 1, 2, .infinity] as [Float] {
      let selection = BoxSelection(iou: limit, suppression: suppression)
      #expect(try selection.select(boxes).boxes.first?.score == 0.9)
      #expect(try selection.select(Array(boxes[..<3])).boxes.first?.score == 0.9)
    }
  }

  @Test(arguments: [false, true])
  func `of a million boxes, the best are candidates`(isRising: Bool) throws {
    let count = 1_000_000
    let boxes = (0..<count).map { index -> DecodedBox in
      let score = Float(isRising ? index / 2 : (count - index) / 2) / Float(count) + 0.3
      return box(Float(index) * 2, Float(index) * 2 + 1, score: score, source: index)
    }
    let kept = try sources(BoxSelection(suppression: .none, top: 6, candidates: 5), boxes)
    // Each score occurs twice, and the earlier box comes first.
    #expect(kept == (isRising ? [999_998, 999_999, 999_996, 999_997, 999_994] : [0, 1, 2, 3, 4]))
  }

  @Test func `points must be announced`() {
    let boxes = [box(0, 1, score: 0.5)]
    let selection = BoxSelection()
    for count in [-1, 0, 1, 3, Int.max] {
      #expect(throws: DecodingError.self) {
        try selection.select(
          boxes, points: [BoxPoint(x: 0, y: 0), BoxPoint(x: 1, y: 1)], pointsPerBox: count)
      }
    }
  }

  // MARK: - Weighted

  @Test func `similar boxes and their points are averaged`() throws {
    let boxes = [
      box(1, 5, score: 0.25, source: 0), box(0, 4, score: 0.75, source: 1),
      box(100, 104, score: 0.5, source: 2),
    ]
    let points = [BoxPoint(x: 4, y: 8), BoxPoint(x: 0, y: 0), BoxPoint(x: 1, y: 2)]
    let selection = BoxSelection(threshold: 0.1, iou: 0.3, suppression: .weighted)
    let objects = try selection.select(boxes, points: points, pointsPerBox: 1)
    #expect(
      objects.boxes == [
        box(0.25, 4.25, score: 0.75, source: 1), box(100, 104, score: 0.5, source: 2),
      ]
    )
    #expect(objects.points(of: 0) == [BoxPoint(x: 1, y: 2)])
    #expect(objects.points(of: 1) == [BoxPoint(x: 1, y: 2)])
    #expect(objects.points(of: 2) == [])
  }

  @Test func `boxes without area stay as they are`() throws {
    let boxes = [box(1, 1, score: 0.9, source: 0), box(1, 1, score: 0.8, source: 1)]
    let objects = try BoxSelection(suppression: .weighted).select(boxes)
    #expect(objects.boxes == boxes)
  }

  @Test func `negative scores are no weights`() throws {
    let boxes = [box(0, 4, score: 0, source: 0), box(1, 5, score: -1, source: 1)]
    let selection = BoxSelection(threshold: -2, suppression: .weighted)
    #expect(try selection.select(boxes).boxes == [boxes[0]])
  }

  // MARK: - Oriented

  private func turned(_ x: Float, _ angle: Float, score: Float, source: Int) -> DecodedBox {
    var box = DecodedBox(centerX: x, centerY: 0, width: 40, height: 10, angle: angle)
    box.score = score
    box.source = source
    return box
  }

  @Test func `a box that is turned by half a circle is the same`() throws {
    let boxes = [
      turned(0, 0.2, score: 0.9, source: 0), turned(0, 0.2 + .pi, score: 0.8, source: 1),
    ]
    #expect(try sources(BoxSelection(iou: 0.99), boxes) == [0])
  }

  @Test func `crossing boxes overlap little`() throws {
    let boxes = [turned(0, 0, score: 0.9, source: 0), turned(0, .pi / 2, score: 0.8, source: 1)]
    // The distributions' overlap is 1 - sqrt(1 - 8 / 17).
    #expect(try sources(BoxSelection(iou: 0.26), boxes) == [0])
    #expect(try sources(BoxSelection(iou: 0.28), boxes) == [0, 1])
  }

  @Test func `a dropped oriented box drops others`() throws {
    let boxes = (0..<3).map { turned(Float($0) * 12, 0, score: 0.9 - Float($0) / 10, source: $0) }
    // Neighbors have the overlap 0.64, and the others 0.35.
    #expect(try sources(BoxSelection(iou: 0.6), boxes) == [0])
    #expect(try sources(BoxSelection(iou: 0.7), boxes) == [0, 1, 2])
  }
}
