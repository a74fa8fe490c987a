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

/// Collects a metric's data for each image, and creates the report.
///
/// It is a value with a single owner, so it has no lock. Images can be added in any order, and data
/// from other runs can be merged. The report is always computed in the order of the images'
/// indices, so it is the same in every bit.
///
/// ```swift
/// var accumulator = MetricAccumulator(metric)
/// try accumulator.add(truth, prediction, at: 0)
/// let report = try accumulator.report()
/// ```
public struct MetricAccumulator: Sendable {
  private var storage: any MetricStorage

  /// Creates an accumulator without images.
  public init(_ metric: any Metric) {
    storage = Self.storage(for: metric)
  }

  /// The metric's name.
  public var name: String { storage.name }

  var count: Int { storage.count }

  /// Evaluates an image and keeps the metric's data.
  ///
  /// - Parameters:
  ///   - truth: The image's ground truth.
  ///   - prediction: The model's prediction, or nil if the image or the run failed.
  ///   - index: The image's index in the dataset.
  /// - Returns: Whether the metric applies to this kind of ground truth.
  /// - Throws: What the metric throws. `TensorIOError` with the code `.invalidOption` if an image
  ///   with this index has already been added.
  @discardableResult
  public mutating func add(
    _ truth: GroundTruth, _ prediction: Prediction?, at index: Int
  ) throws -> Bool {
    try storage.add(truth, prediction, at: index)
  }

  /// The data of images, which can be stored in a file.
  ///
  /// - Parameter indices: The indices of the images, in the desired order.
  /// - Returns: A value for each index. It is null if the metric keeps no data for that image.
  /// - Throws: `TensorIOError` if a metric's item can't be encoded as JSON.
  public func items(at indices: some Sequence<Int>) throws -> [JSONValue] {
    try storage.items(at: Array(indices))
  }

  /// Adds data that ``items(at:)`` returned in another run.
  ///
  /// - Parameters:
  ///   - items: The data. Nulls are skipped.
  ///   - indices: The images' indices, one for each item.
  /// - Throws: `TensorIOError` with the code `.wrongKind` if an item isn't one of this metric's,
  ///   `.wrongElementCount` if the numbers of items and indices differ, or `.invalidOption` if an
  ///   image with the same index has already been added.
  public mutating func merge(_ items: [JSONValue], at indices: some Sequence<Int>) throws {
    try storage.merge(items, at: Array(indices))
  }

  /// Computes the report from all images, in the order of their indices.
  ///
  /// - Throws: What the metric throws.
  public func report() throws -> MetricReport {
    try storage.report()
  }

  private static func storage<M: Metric>(for metric: M) -> any MetricStorage {
    MetricItems(metric: metric)
  }
}

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
  var items: [Int: M.Item] = [:]

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
        .internalFault, "The items of metric '\(name)' cannot be written as JSON: \(error)",
        cause: error)
    }
  }

  mutating func merge(_ values: [JSONValue], at indices: [Int]) throws {
    guard values.count == indices.count else {
      throw TensorIOError(
        .wrongElementCount,
        "Metric '\(name)' needs an item for each of \(indices.count) images, got \(values.count)."
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
        "These items don't belong to metric '\(name)'. Did another version make the part?",
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
        .invalidOption, "Metric '\(name)' got image \(index) twice; each image counts once.")
    }
  }

  private static var infinity: String { "inf" }
  private static var negativeInfinity: String { "-inf" }
  private static var notANumber: String { "nan" }
}
