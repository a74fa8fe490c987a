// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The classes that occur as a truth or a prediction, in the model's order, those of labels that the
/// model does not have at the end.
///
/// Classes of one name are one class as soon as one label is that name, since it means all of them.
/// Where labels are numbers, each class is its own.
struct OccurringClasses {
  /// The classes' names, each different.
  let names: [String]
  /// The model's classes that each is made of; empty for an unknown label.
  let members: [[Int]]
  /// For each picture, its class and what the model said: places in `names`.
  let pairs: [(truth: Int, predicted: Int?)]
  /// The model's classes that do not occur.
  let missing: [String]
  /// The names that several classes have, where they are one class.
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
    let places = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, $0) })
    let unknownPlaces = Dictionary(
      uniqueKeysWithValues: strangers.enumerated().map { ($1, $0 + order.count) })
    pairs = items.map { item in
      let truth =
        item.truth.flatMap { places[key($0)] } ?? item.unknownLabel.flatMap { unknownPlaces[$0] }
      return (truth ?? 0, item.predicted.flatMap { places[key($0)] })
    }
    let all = classes.names.indices.filter { key($0) == $0 }
    missing = all.filter { !known.contains($0) }.map(name)
    merged = merges ? all.filter(classes.isShared).map { classes.names[$0] } : []
  }
}
