// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

extension Prediction {
  /// Takes the mean of the predictions for the windows of a recording.
  ///
  /// - Parameter windows: At least one prediction.
  /// - Throws: `TensorIOError` if there are several, and their outputs aren't numbers.
  init(meanOf windows: [Prediction]) throws {
    self = windows[0]
    guard windows.count > 1 else { return }
    guard detections == nil, classMap == nil, text == nil else {
      throw TensorIOError(
        .unsupportedModel,
        "The recording has \(windows.count) windows, but only numbers of windows can be averaged.")
    }
    for index in outputs.indices {
      let values = windows.map { $0.outputs[index].value }
      outputs[index].value = try Self.mean(values, named: outputs[index].name)
    }
    if let first = classification {
      classification = Self.mean([first] + windows.dropFirst().compactMap(\.classification))
    }
    if values != nil { values = Self.mean(windows.compactMap(\.values)) }
  }

  private static func mean(_ values: [TensorValue], named name: String) throws -> TensorValue {
    let measurements = values.compactMap { value -> [Measurement]? in
      if case .decoded(.measurements(let list)) = value { list } else { nil }
    }
    if measurements.count == values.count {
      let means = mean(measurements.map { $0.map(\.value) })
      return .decoded(
        .measurements(
          zip(measurements[0], means).map { Measurement(name: $0.name, value: $1, unit: $0.unit) }))
    }
    var classifications: [Classification] = []
    var numbers: [[Double]] = []
    for value in values {
      switch value {
      case .labels(let labels): classifications.append(labels)
      case .number(let number): numbers.append([number.asDouble])
      case .numbers(let list): numbers.append(list.map(\.asDouble))
      default:
        throw TensorIOError(
          .unsupportedModel,
          "The output '\(name)' isn't numbers, so the \(values.count) windows of a recording can't "
            + "be averaged.")
      }
    }
    if !classifications.isEmpty { return .labels(mean(classifications)) }
    let means = mean(numbers).map(TensorValue.Number.double)
    if case .number = values[0] { return .number(means[0]) }
    return .numbers(means)
  }

  private static func mean<Number: BinaryFloatingPoint>(_ lists: [[Number]]) -> [Number] {
    lists[0].indices.map { index in
      Number(lists.reduce(0.0) { $0 + Double($1[index]) } / Double(lists.count))
    }
  }

  private static func mean(_ classifications: [Classification]) -> Classification {
    Classification(
      labels: Labels(classifications[0].map(\.label)),
      values: mean(classifications.map { $0.map(\.value) }))
  }
}

extension TensorValue.Number {
  fileprivate var asDouble: Double {
    switch self {
    case .integer(let integer): Double(integer)
    case .float(let float): Double(float)
    case .double(let double): double
    case .bool(let bool): bool ? 1 : 0
    }
  }
}
