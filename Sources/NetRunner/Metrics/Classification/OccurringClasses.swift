// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The classes that occur as a truth or a prediction: the model's in order, then unknown labels.
///
/// Classes with the same name are merged as soon as one label is that name, because the label
/// refers to all of them. If labels are numbers, classes aren't merged.
struct OccurringClasses {
  /// The unique names of the classes.
  let names: [String]
  /// The model's classes that each of these classes consists of, or none for an unknown label.
  let members: [[Int]]
  /// The true and the predicted class of each image, as indices of `names`.
  let pairs: [(truth: Int, predicted: Int?)]
  /// The model's classes that don't occur.
  let missing: [String]
  /// The names of classes that were merged.
  let merged: [String]

  init(_ items: [ClassificationItem], classes: ClassList) {
    let merges = items.contains(where: \.isShared)
    func key(_ index: Int) -> Int { merges ? classes.first(like: index) : index }
    var known: Set<Int> = []
    var unknown: Set<String> = []
    for item in items {
      if let truth = item.truth { known.insert(key(truth)) }
      if let predicted = item.predicted { known.insert(key(predicted)) }
      if let label = item.unknownLabel { unknown.insert(label) }
    }
    func name(_ index: Int) -> String {
      let name = classes.names[index]
      return !merges && classes.isShared(index) ? "\(name) (class \(index))" : name
    }
    let order = known.sorted()
    let strangers = unknown.sorted()
    names = order.map(name) + strangers
    members =
      order.map { merges ? classes.all(like: $0) : [$0] } + strangers.map { _ in [] }
    let positions = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, $0) })
    let unknownIndexes = Dictionary(
      uniqueKeysWithValues: strangers.enumerated().map { ($1, $0 + order.count) })
    pairs = items.map { item in
      let truth =
        item.truth.flatMap { positions[key($0)] }
        ?? item.unknownLabel.flatMap { unknownIndexes[$0] }
      return (truth ?? 0, item.predicted.flatMap { positions[key($0)] })
    }
    let all = classes.names.indices.filter { key($0) == $0 }
    missing = all.filter { !known.contains($0) }.map(name)
    merged = merges ? all.filter(classes.isShared).map { classes.names[$0] } : []
  }
}
