// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

extension EvaluationReport {
  /// The first contradiction in a report that was read from a file, as a sentence, or nil.
  ///
  /// A file that was truncated or edited by hand must not produce numbers that look right.
  var firstFault: String? {
    if let part, part.index < 1 || part.index > part.count {
      return "'part' must count from 1 to \(part.count), found \(part.index)."
    }
    var rows: [String: [ResultRow]] = [:]
    for (position, row) in results.enumerated() {
      guard row.index >= 0 else {
        return "'results[\(position)].index' must be 0 or more, found \(row.index)."
      }
      rows[row.model, default: []].append(row)
    }
    var known: Set<String> = []
    for (position, result) in models.enumerated() {
      let id = result.model.id
      guard known.insert(id).inserted else {
        return "'models[\(position)].model.id': the model '\(id)' occurs twice."
      }
      if let fault = result.firstFault(rows[id] ?? []) { return "'models[\(position)]\(fault)" }
    }
    if let stranger = results.firstIndex(where: { !known.contains($0.model) }) {
      return "'results[\(stranger)].model': there is no model '\(results[stranger].model)' among "
        + "the models (\(known.sorted().joined(separator: ", ")))."
    }
    return nil
  }
}

extension ModelResult {
  /// Returns the rest of a sentence that begins with the path to this result.
  fileprivate func firstFault(_ rows: [ResultRow]) -> String? {
    guard pictures == rows.count else {
      return ".pictures' says \(pictures), but 'results' has \(rows.count) rows of '\(model.id)'."
    }
    let failures = rows.count(where: \.error)
    guard failed == failures else {
      return ".failed' says \(failed), but 'results' has \(failures) failed rows of '\(model.id)'."
    }
    guard labelled >= 0, labelled <= pictures else {
      return ".labelled' must lie between 0 and \(pictures), found \(labelled)."
    }
    guard Set(rows.map(\.index)).count == rows.count else {
      return "': an index occurs twice among the results of '\(model.id)'."
    }
    for (name, items) in (items ?? [:]).sorted(by: { $0.key < $1.key })
    where items.count != rows.count {
      return ".items.\(name)' must have an entry for each of the \(rows.count) images, but it has "
        + "\(items.count)."
    }
    for (name, report) in metrics.sorted(by: { $0.key < $1.key }) {
      if let matrix = report.confusion, let fault = matrix.firstFault {
        return ".metrics.\(name).confusion\(fault)"
      }
    }
    return nil
  }
}

extension ConfusionMatrix {
  fileprivate var firstFault: String? {
    guard counts.count == labels.count, failed.count == labels.count else {
      return "' has \(labels.count) labels, \(counts.count) rows and \(failed.count) numbers of "
        + "failed images: they must be equal."
    }
    for (row, numbers) in counts.enumerated() {
      guard numbers.count == labels.count else {
        return ".counts[\(row)]' must have \(labels.count) numbers, but it has \(numbers.count)."
      }
      if let negative = numbers.first(where: { $0 < 0 }) {
        return ".counts[\(row)]' has the negative number \(negative)."
      }
    }
    return nil
  }
}
