// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import HTTPTypes
import NetRunner
import TensorIO

/// What there is to draw for the rows of an evaluation: pictures of outputs, and objects.
///
/// All of it stays in memory, so only a limited amount is kept: that of the first rows.
struct RowDrawings: Sendable {
  /// What there is to draw for a row.
  struct Drawing: Sendable {
    var picture: ResultPicture?
    var shapes: ComparedShapes?
  }

  private struct Key: Hashable {
    var model: String
    var index: Int
  }

  /// The largest number of bytes of an evaluation.
  private static let maximumWeight = 64 << 20

  private var drawings: [Key: Drawing] = [:]
  private var weight = 0
  /// Whether a row's drawing wasn't kept.
  private(set) var isFull = false

  /// Moves a row's pictures and shapes here.
  mutating func take(from row: inout ResultRow) {
    let drawing = Drawing(picture: row.picture, shapes: row.comparison?.shapes)
    row.dropPictures()
    let own = (drawing.picture?.address.utf8.count ?? 0) + (drawing.shapes?.weight ?? 0)
    guard own > 0 else { return }
    guard weight + own <= Self.maximumWeight else {
      isFull = true
      return
    }
    weight += own
    drawings[Key(model: row.model, index: row.index)] = drawing
  }

  subscript(row: ResultRow) -> Drawing? { drawings[Key(model: row.model, index: row.index)] }
}

extension ResultRow {
  /// The row as it appears in the API, with what there is to draw.
  func json(with drawings: RowDrawings) -> JSONObject {
    var members = json
    members.set("picture", drawings[self]?.picture)
    members.set("shapes", drawings[self]?.shapes)
    return members
  }
}

extension EvaluationJob {
  /// Returns the answers of all models for a sample, with what there is to draw.
  ///
  /// - Parameter index: The sample's index in the dataset.
  /// - Returns: The sample as it appears in the API.
  /// - Throws: `WebError` if no model has an answer for the sample.
  func photo(at index: Int) throws -> JSONObject {
    let (rows, drawings) = withState { ($0.rows.filter { $0.index == index }, $0.drawings) }
    guard let first = rows.first else {
      throw WebError(
        status: .notFound, code: "sample_not_found",
        message: "The evaluation has no results for a sample \(index).")
    }
    return [
      "index": index, "image": first.image, "truth": first.truth,
      "answers": rows.map { $0.json(with: drawings) },
      "complete": !drawings.isFull,
    ]
  }
}
#endif
