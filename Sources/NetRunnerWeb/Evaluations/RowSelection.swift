// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import NetRunner
import TensorIO

/// A client's selection of an evaluation's rows.
struct RowSelection: Sendable {
  private enum Kind: String, CaseIterable {
    case all, errors, wrong
    /// Samples about which the models disagree.
    case disagree
  }

  private enum Order: String, CaseIterable {
    case index, worst
  }

  private enum Flag: String, CaseIterable {
    case `true`, `false`
  }

  private let model: String?
  private let kind: Kind
  private let order: Order
  private let offset: Int
  private let limit: Int
  private let hasShapes: Bool

  private static let maximumCount = 500
  /// The most rows of a response that has their pictures and shapes.
  private static let maximumDrawnCount = 60

  init(_ query: Query) throws {
    model = query.text("model")
    offset = try query.integer("offset", in: 0...Int(Int32.max)) ?? 0
    hasShapes = try query.choice("shapes") ?? Flag.false == .true
    limit =
      try query.integer(
        "limit", in: 1...(hasShapes ? Self.maximumDrawnCount : Self.maximumCount)) ?? 50
    kind = try query.choice("only") ?? .all
    order = try query.choice("order") ?? .index
  }

  /// Returns one page of the selected rows, and the total number of selected rows.
  func page(of rows: [ResultRow], _ drawings: RowDrawings) -> JSONObject {
    let disputed = kind == .disagree ? Self.disputed(rows) : []
    var wanted = rows.indices.filter { index in
      if let model, rows[index].model != model { return false }
      return switch kind {
      case .all: true
      case .errors: rows[index].error
      case .wrong: rows[index].isWrong
      case .disagree: disputed.contains(rows[index].index)
      }
    }
    if order == .worst {
      let ranked = wanted.map { (badness: rows[$0].badness, index: $0) }
      wanted = ranked.sorted { ($1.badness, $0.index) < ($0.badness, $1.index) }.map(\.index)
    }
    return [
      "rows": wanted.dropFirst(offset).prefix(limit).map { index in
        hasShapes ? rows[index].json(with: drawings) : rows[index].json
      },
      "count": wanted.count,
    ]
  }

  /// The indices of samples for which models have different answers.
  private static func disputed(_ rows: [ResultRow]) -> Set<Int> {
    var answers: [Int: ResultRow] = [:]
    var disputed: Set<Int> = []
    for row in rows {
      if let first = answers[row.index] {
        if !row.agrees(with: first) { disputed.insert(row.index) }
      } else {
        answers[row.index] = row
      }
    }
    return disputed
  }
}

extension ResultRow {
  /// Whether the answer has a wrong class, or objects that are missing, wrong or superfluous.
  fileprivate var isWrong: Bool { isCorrect == false || comparison?.mistakes ?? 0 > 0 }

  /// A number that is larger for a worse answer of the same kind.
  ///
  /// Samples that failed are the worst. Wrong classes with a high score follow, and then right
  /// classes with a low score.
  fileprivate var badness: Double {
    if error { return .infinity }
    let number: Double
    if let similarity = comparison?.similarity {
      number = 1 - similarity
    } else if let mistakes = comparison?.mistakes {
      number = Double(mistakes)
    } else if let iou = comparison?.iou {
      number = 1 - iou
    } else if let error = comparison?.error {
      number = error
    } else if let score, score.isFinite {
      // Scores without limits keep their order between -1 and 1.
      let certainty = score / (1 + score.magnitude)
      number = isCorrect == false ? 3 + certainty : 1 - certainty
    } else {
      number = isCorrect == false ? 3 : 0
    }
    return number.isNaN ? 0 : number
  }

  /// Whether another model has the same answer: the same class or text, the same numbers of objects,
  /// or numbers that look the same with four digits.
  fileprivate func agrees(with other: ResultRow) -> Bool {
    if error || other.error { return error == other.error }
    if predicted != nil || other.predicted != nil { return predicted == other.predicted }
    guard let mine = comparison, let theirs = other.comparison else {
      return answer == other.answer
    }
    if mine.detections != nil || theirs.detections != nil {
      return mine.detections == theirs.detections && mine.found == theirs.found
        && mine.confused == theirs.confused && mine.missed == theirs.missed
        && mine.extra == theirs.extra
    }
    return answer == other.answer && Self.rounded(mine.iou) == Self.rounded(theirs.iou)
  }

  private static func rounded(_ share: Double?) -> Double? { share.map { ($0 * 100).rounded() } }
}
#endif
