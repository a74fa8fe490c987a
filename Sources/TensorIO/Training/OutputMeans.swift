// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The means of a model's outputs over several items, in the order of model.json.
///
/// It has the outputs that are a single number, such as a loss, and those with one number for each
/// item.
public struct OutputMeans: Sendable {
  private let means: [Element]

  init(_ means: [Element]) { self.means = means }

  /// The names of the outputs, in order.
  package var names: [String] { means.map(\.name) }

  /// The loss: the first output with a name like `loss`, or the first one if there is none.
  package var loss: Element? {
    Self.lossName(among: names).flatMap { name in first { $0.name == name } }
  }

  /// Returns the name of the loss among those of outputs.
  ///
  /// The first output may be an accuracy, of which a lower value is worse.
  static func lossName(among names: [String]) -> String? {
    names.first { $0.lowercased().contains("loss") } ?? names.first
  }

  /// The mean of an output; nil when no output with a mean has this name.
  public subscript(name: String) -> Double? { means.first { $0.name == name }?.value }
}

extension OutputMeans: RandomAccessCollection {
  public typealias Element = (name: String, value: Double)

  public var startIndex: Int { 0 }
  public var endIndex: Int { means.count }
  public subscript(index: Int) -> Element { means[index] }
}

extension OutputMeans: Equatable {
  public static func == (left: OutputMeans, right: OutputMeans) -> Bool {
    left.elementsEqual(right) { $0 == $1 }
  }
}

extension OutputMeans: CustomStringConvertible {
  public var description: String {
    means.map { "\($0.name) \($0.value)" }.joined(separator: ", ")
  }
}

/// Accumulates outputs over batches.
struct OutputSums {
  /// The outputs that have a mean, with their indices.
  private let outputs: [(index: Int, name: String)]
  private(set) var sums: [Double]
  private(set) var items = 0

  init(_ specs: [TensorSpec]) {
    outputs = specs.enumerated().compactMap { index, spec in
      spec.hasMean ? (index, spec.name) : nil
    }
    sums = outputs.map { _ in 0 }
  }

  /// Continues with the sums of earlier batches.
  mutating func restore(_ earlier: [Double], items count: Int) {
    guard earlier.count == sums.count else { return }
    sums = earlier
    items = count
  }

  /// Adds the outputs of a batch and returns the means of this batch alone.
  mutating func add(_ batch: ModelOutputs, items count: Int) throws -> OutputMeans {
    let means = try outputs.map { output in
      let values = try batch.value(at: output.index, as: [Double].self)
      return (name: output.name, value: values.reduce(0, +) / Double(Swift.max(values.count, 1)))
    }
    for (position, mean) in means.enumerated() { sums[position] += mean.value * Double(count) }
    items += count
    return OutputMeans(means)
  }

  var means: OutputMeans {
    OutputMeans(zip(outputs, sums).map { ($0.name, $1 / Double(Swift.max(items, 1))) })
  }
}

extension TensorSpec {
  /// Whether the output is one number for the whole batch or one for each item.
  var hasMean: Bool {
    switch kind {
    case .vector(_, labels: nil), .scalar: elementCount == 1 && dataType != .string
    case .vector, .imageInput, .imageOutput, .classMap, .bytes: false
    }
  }
}
