// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

public import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a metric keeps of the pictures so far, whatever the metric keeps.
///
/// A value with one owner: it has no lock. Pictures may come in any order, and kept items of other
/// runs can be put in: the report is always made in the order of the pictures' places, and is the
/// same in every bit.
///
/// ```swift
/// var accumulator = MetricAccumulator(metric)
/// try accumulator.add(truth, prediction, at: 0)
/// let report = try accumulator.report()
/// ```
public struct MetricAccumulator: Sendable {
  private var storage: any MetricStorage

  /// Begins without pictures.
  public init(_ metric: any Metric) {
    storage = Self.storage(for: metric)
  }

  /// The metric's name.
  public var name: String { storage.name }

  /// How many pictures the metric keeps something of.
  public var count: Int { storage.count }

  /// Shows a picture to the metric.
  ///
  /// - Parameters:
  ///   - truth: What is known about it.
  ///   - prediction: What the model said; nil where the picture or the run failed.
  ///   - index: The picture's place in the dataset.
  /// - Returns: Whether the metric applies to such truths.
  /// - Throws: What the metric throws; `TensorIOError` with the code `.invalidOption` when that
  ///   place has a picture already.
  @discardableResult
  public mutating func add(
    _ truth: GroundTruth, _ prediction: Prediction?, at index: Int
  ) throws -> Bool {
    try storage.add(truth, prediction, at: index)
  }

  /// What is kept of pictures, to be written to a file.
  ///
  /// - Parameter indices: The pictures' places, in the order that is wanted.
  /// - Returns: A value for each place; null where the metric keeps nothing.
  /// - Throws: `TensorIOError` when a metric's item cannot be written as JSON.
  public func items(at indices: some Sequence<Int>) throws -> [JSONValue] {
    try storage.items(at: Array(indices))
  }

  /// Puts in what ``items(at:)`` gave elsewhere.
  ///
  /// - Parameters:
  ///   - items: What was kept; nulls are passed over.
  ///   - indices: The pictures' places, one for each item.
  /// - Throws: `TensorIOError` with the code `.wrongKind` when an item is not one of this metric's,
  ///   `.wrongElementCount` when the numbers of items and places differ, `.invalidOption` when a
  ///   place has a picture already.
  public mutating func merge(_ items: [JSONValue], at indices: some Sequence<Int>) throws {
    try storage.merge(items, at: Array(indices))
  }

  /// What the pictures come to, in the order of their places.
  ///
  /// - Throws: What the metric throws.
  public func report() throws -> MetricReport {
    try storage.report()
  }

  private static func storage<M: Metric>(for metric: M) -> any MetricStorage {
    MetricItems(metric: metric)
  }
}

/// A metric and its items, behind one type.
private protocol MetricStorage: Sendable {
  var name: String { get }
  var count: Int { get }
  mutating func add(_ truth: GroundTruth, _ prediction: Prediction?, at index: Int) throws -> Bool
  func items(at indices: [Int]) throws -> [JSONValue]
  mutating func merge(_ items: [JSONValue], at indices: [Int]) throws
  func report() throws -> MetricReport
}

private struct MetricItems<M: Metric>: MetricStorage {
  let metric: M
  private var items: [Int: M.Item] = [:]

  init(metric: M) { self.metric = metric }

  var name: String { metric.name }
  var count: Int { items.count }

  mutating func add(_ truth: GroundTruth, _ prediction: Prediction?, at index: Int) throws -> Bool {
    try checkFree(index)
    guard let item = try metric.evaluate(truth, prediction) else { return false }
    items[index] = item
    return true
  }

  func items(at indices: [Int]) throws -> [JSONValue] {
    let encoder = JSONEncoder()
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: Self.infinity, negativeInfinity: Self.negativeInfinity, nan: Self.notANumber
    )
    do {
      let data = try encoder.encode(indices.map { items[$0] })
      guard case .array(let values) = try JSONValue(parsing: data) else { return [] }
      return values
    } catch {
      throw TensorIOError(
        .internalFault, "What metric '\(name)' keeps cannot be written as JSON: \(error)",
        cause: error)
    }
  }

  mutating func merge(_ values: [JSONValue], at indices: [Int]) throws {
    guard values.count == indices.count else {
      throw TensorIOError(
        .wrongElementCount,
        "Metric '\(name)' needs an item for each of \(indices.count) pictures, got \(values.count)."
      )
    }
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: Self.infinity, negativeInfinity: Self.negativeInfinity, nan: Self.notANumber
    )
    let found: [M.Item?]
    do {
      found = try decoder.decode([M.Item?].self, from: JSONEncoder().encode(values))
    } catch {
      throw TensorIOError(
        .wrongKind,
        "The kept items are not those of metric '\(name)': was the part made by another version?",
        cause: error)
    }
    for (index, item) in zip(indices, found) {
      guard let item else { continue }
      try checkFree(index)
      items[index] = item
    }
  }

  func report() throws -> MetricReport {
    try metric.reduce(items.sorted { $0.key < $1.key }.map(\.value))
  }

  private func checkFree(_ index: Int) throws {
    guard items[index] == nil else {
      throw TensorIOError(
        .invalidOption, "Metric '\(name)' got picture \(index) twice; each counts once.")
    }
  }

  private static var infinity: String { "inf" }
  private static var negativeInfinity: String { "-inf" }
  private static var notANumber: String { "nan" }
}
