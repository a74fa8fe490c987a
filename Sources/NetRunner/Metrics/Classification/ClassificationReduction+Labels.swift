// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// Notes about labels that don't match the model's classes, or that match by something other than
/// the name.
extension ClassificationReduction {
  mutating func noteLabels() {
    noteOffset()
    noteUnknownLabels()
    noteSynonyms()
  }

  // MARK: - Offset

  /// The results if all labels were shifted to the next or the previous class.
  private struct Shift {
    let distance: Int
    /// The number of predictions that would be correct.
    var hits = 0
    /// The classes of those predictions; a model that always predicts the same class has only one.
    var classes: Set<Int> = []
  }

  /// Adds a note if an offset of 1 or -1 would make far more predictions correct.
  ///
  /// An additional background class at the front is the most common mistake in label lists. Without
  /// this note, bad results would be the only symptom.
  private mutating func noteOffset() {
    let right = items.count { $0.predicted != nil && $0.rank == 1 }
    let shifts = [1, -1].map { distance in
      items.reduce(into: Shift(distance: distance)) { shift, item in
        guard let predicted = item.predicted, item.rank != 1,
          let own = item.truth ?? ownNumber(item), predicted == own + distance
        else { return }
        shift.hits += 1
        shift.classes.insert(predicted)
      }
    }
    guard let best = shifts.max(by: { $0.hits < $1.hits }) else { return }
    // With few classes, a bad model predicts the neighbours of three classes by chance. With many,
    // it hardly does so for two.
    let fewestClasses = metric.classes.names.count >= 100 ? 2 : 3
    guard best.classes.count >= fewestClasses, best.hits > 2 * right,
      best.hits * 5 >= items.count
    else { return noteAllWrong(right) }
    let names = metric.classes.names
    let effect =
      "\(best.hits) of \(content.counted(items.count)) would be right instead of \(right)"
    if items.contains(where: { $0.isNumber == true || ownNumber($0) != nil }) {
      report.notes.append(
        "The labels seem to be off by one: with --label-offset "
          + "\(metric.context.labelOffset + best.distance), \(effect). The model's first class is "
          + "'\(names[0])'.")
    } else {
      let fault =
        best.distance > 0
        ? "lacks the model's first class, often a background: add a line at its start"
        : "has an extra line at its start, now '\(names[0])': remove it"
      report.notes.append(
        "The model's labels seem to be off by one: if each class had the name of its neighbour, "
          + "\(effect). Perhaps the file that \"labels\" in model.json names \(fault).")
    }
  }

  /// The class number of an unknown label plus the offset, which can be outside the model's range.
  private func ownNumber(_ item: ClassificationItem) -> Int? {
    guard let label = item.unknownLabel, let number = Int(label) else { return nil }
    let (index, overflow) = number.addingReportingOverflow(metric.context.labelOffset)
    return overflow || index == .max || index == .min ? nil : index
  }

  /// Adds a note if no prediction is correct, because the labels are usually the cause.
  private mutating func noteAllWrong(_ right: Int) {
    let judged = items.filter { $0.predicted != nil && $0.truth != nil }
    guard right == 0, judged.count >= 10, let first = judged.first, let truth = first.truth,
      let predicted = first.predicted
    else { return }
    let names = metric.classes.names
    report.notes.append(
      "No prediction is right. Check that the model's labels are in the model's order, that the "
        + "dataset's labels are right, and that the input's \"normalize\" suits the model: the "
        + "first \(content.noun) shows '\(names[truth])', but the model predicted '\(names[predicted])'."
    )
  }

  // MARK: - Names

  private mutating func noteUnknownLabels() {
    let unknown = items.compactMap(\.unknownLabel)
    guard !unknown.isEmpty else { return }
    let labels = Set(unknown).sorted()
    let names = metric.classes.names
    report.notes.append(
      "\(unknown.count) of \(content.counted(items.count)) \(unknown.count == 1 ? "has a label" : "have labels") that "
        + "no class of the model has, and \(unknown.count == 1 ? "counts" : "count") as wrong: \(ClassList.list(labels)). The model's "
        + "\(counted(names.count, "class", "classes")) are \(ClassList.list(names)).")
    report.notes += metric.classes.notes(ambiguous: labels)
  }

  private mutating func noteSynonyms() {
    var found: [String: Int] = [:]
    for item in items {
      if let label = item.synonym, let truth = item.truth { found[label] = truth }
    }
    if let note = metric.classes.note(synonyms: found) { report.notes.append(note) }
  }
}
