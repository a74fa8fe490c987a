// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import MetricMath
import TensorIO

extension ClassificationReduction {
  /// Adds the area under the ROC curve and the average precision, for each class against all
  /// others.
  mutating func addCurves() throws {
    guard wants(.rocAUC) || wants(.averagePrecision) else { return }
    let values = [Value.rocAUC, .averagePrecision].filter(wants)
    let images = items.indices.filter { items[$0].truth != nil && items[$0].scores != nil }
    if let reason = reasonAgainstCurves(images) {
      report.notes.append("\(values.map(\.rawValue).joined(separator: " and ")) \(reason)")
      for value in values { add(value, nil, interval: nil, count: 0) }
      return
    }
    let isBinary = metric.classes.names.count == 2
    let candidates =
      isBinary ? [1] : occurring.names.indices.filter { !occurring.members[$0].isEmpty }
    let bootstrap = Bootstrap(metric.context)
    let keepsAll = bootstrap.allows(steps: images.count * candidates.count)
    var curves: [ROCCurve] = []
    var areas: [Double] = []
    var precisions: [Double] = []
    var scored: [RankedScores] = []
    for candidate in candidates {
      let one = try isBinary ? second(images) : self.scored(candidate, images)
      // A class without images has neither value. A class with all the images has no area.
      let measures = one.measures()
      guard let precision = measures.averagePrecision else { continue }
      precisions.append(precision)
      if let area = measures.area {
        areas.append(area)
        let label = isBinary ? metric.classes.names[1] : occurring.names[candidate]
        if wants(.rocAUC) {
          curves.append(ROCCurve(label: label, area: area, points: ROCCurve.thinned(one.points())))
        }
      }
      if keepsAll { scored.append(one) }
    }
    let resampled =
      keepsAll
      ? bootstrap.intervals(
        images: images.count, steps: images.count * scored.count
      ) { weights in
        let measures = scored.map { $0.measures(weights: weights) }
        return [
          measures.compactMap(\.area).meanIfAny,
          measures.compactMap(\.averagePrecision).meanIfAny,
        ]
      } : nil
    if wants(.rocAUC) {
      let interval = try isBinary ? second(images).areaInterval() : resampled?[0]
      add(.rocAUC, areas.meanIfAny, interval: interval, count: images.count)
      noteClasses(
        .rocAUC, areas.count, needing: "\(content.plural) of their own and of other classes")
    }
    if wants(.averagePrecision) {
      add(.averagePrecision, precisions.meanIfAny, interval: resampled?[1], count: images.count)
      noteClasses(.averagePrecision, precisions.count, needing: "\(content.plural)")
    }
    for value in values {
      noteCount(value, images.count, of: "a known label and a prediction")
    }
    if !curves.isEmpty { report.roc = curves }
  }

  private func reasonAgainstCurves(_ images: [Int]) -> String? {
    let limit = ClassificationMetric.maximumScoredClasses
    if metric.value == nil, metric.classes.names.count > limit {
      return "are left out for more than \(limit) classes; request them by name."
    }
    if images.isEmpty {
      return "are not defined: no \(content.noun) has a known label and a prediction."
    }
    let broken = images.count { items[$0].scores?.numbers.contains(where: \.isNaN) ?? true }
    return broken == 0
      ? nil
      : "are not defined: \(broken) of \(content.counted(images.count)) have NaN among the scores."
  }

  /// Scores each image for a class, with the sum of the scores of the class's members.
  private func scored(_ index: Int, _ images: [Int]) throws -> RankedScores {
    let members = occurring.members[index]
    return try RankedScores(
      scores: images.map { score(of: members, items[$0]) },
      isPositive: images.map { occurring.pairs[$0].truth == index })
  }

  /// Scores each image for the second of two classes.
  private func second(_ images: [Int]) throws -> RankedScores {
    try RankedScores(
      scores: images.map { score(of: [1], items[$0]) },
      isPositive: images.map { items[$0].truth == 1 })
  }

  private func score(of members: [Int], _ item: ClassificationItem) -> Double {
    let scores = item.scores?.numbers ?? []
    let sum = members.filter(scores.indices.contains).reduce(0) { $0 + Double(scores[$1]) }
    // The sum of both infinities isn't a number, which can't be sorted.
    return sum.isNaN ? -.infinity : sum
  }

  private mutating func noteClasses(_ value: Value, _ count: Int, needing what: String) {
    let all = metric.classes.names.count
    guard count < (all == 2 ? 1 : all) else { return }
    let name = value.rawValue
    report.notes.append(
      count == 0
        ? "\(name) is not defined: it needs classes that have \(what)."
        : "\(name) is the mean over the \(count) of \(all) classes that have \(what).")
  }
}

extension ROCCurve {
  static let maximumPoints = 200

  /// Selects the points that shape a curve most.
  ///
  /// Like the Ramer–Douglas–Peucker algorithm, it keeps both ends. It then repeatedly keeps the
  /// point that is farthest from the line between its kept neighbours. Points that lie on such a
  /// line are never kept.
  static func thinned(_ points: [Point], to count: Int = maximumPoints) -> [Point] {
    guard points.count > 2 else { return points }
    var kept: Set<Int> = [0, points.count - 1]
    var pieces = [Piece(points, from: 0, to: points.count - 1)]
    while kept.count < count {
      guard
        let position = pieces.indices.max(by: { pieces[$0].distance < pieces[$1].distance }),
        pieces[position].distance > 1e-12
      else { break }
      let piece = pieces.remove(at: position)
      kept.insert(piece.farthest)
      pieces.append(Piece(points, from: piece.first, to: piece.farthest))
      pieces.append(Piece(points, from: piece.farthest, to: piece.last))
    }
    return kept.sorted().map { points[$0] }
  }

  /// The part of a curve between two kept points.
  private struct Piece {
    let first: Int
    let last: Int
    var farthest: Int
    var distance = 0.0

    init(_ points: [Point], from first: Int, to last: Int) {
      self.first = first
      self.last = last
      farthest = first
      let start = points[first]
      let x = points[last].falsePositiveRate - start.falsePositiveRate
      let y = points[last].truePositiveRate - start.truePositiveRate
      let length = (x * x + y * y).squareRoot()
      guard length > 0 else { return }
      for index in first..<last {
        let point = points[index]
        let cross =
          x * (point.truePositiveRate - start.truePositiveRate)
          - y * (point.falsePositiveRate - start.falsePositiveRate)
        if cross.magnitude / length > distance {
          distance = cross.magnitude / length
          farthest = index
        }
      }
    }
  }
}
