// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

package import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Prediction {
  /// The outputs by name, in the format of rows.
  ///
  /// An output is a number, an array, or an object of labelled values. Images and class maps are
  /// represented by their size.
  package func json(keeping kept: KeptOutputs) -> [String: JSONValue] {
    switch kept {
    case .none: [:]
    case .all: json(limit: nil)
    case .top(let count): json(limit: count)
    }
  }

  private func json(limit: Int?) -> [String: JSONValue] {
    Dictionary(outputs.map { ($0.name, Self.json($0.value, limit: limit)) }) { first, _ in first }
  }

  private static func json(_ value: TensorValue, limit: Int?) -> JSONValue {
    switch value {
    case .number(let number): return json(number)
    case .numbers(let numbers): return .array(numbers.prefix(limit ?? .max).map(json))
    case .labels(let classification):
      let kept = limit.map { classification.top($0) } ?? classification
      return .object(kept.dictionary.mapValues { .number($0.shortestDouble) })
    case .bytes(let data, _): return .array(data.prefix(limit ?? .max).map { .integer(Int64($0)) })
    case .strings(let strings):
      return .array(strings.map { .string(String(decoding: $0, as: UTF8.self)) })
    case .image(let image): return size(image.width, image.height)
    case .classMap(let map): return size(map.width, map.height)
    case .tensor(let tensor): return .array(tensor.shape.map { .integer(Int64($0)) })
    case .list(let values): return .array(values.map { json($0, limit: limit) })
    }
  }

  private static func json(_ number: TensorValue.Number) -> JSONValue {
    switch number {
    case .integer(let integer): .integer(integer)
    case .float(let float): .number(float.shortestDouble)
    case .double(let double): .number(double)
    case .bool(let bool): .bool(bool)
    }
  }

  private static func size(_ width: Int, _ height: Int) -> JSONValue {
    .object(["width": .integer(Int64(width)), "height": .integer(Int64(height))])
  }
}
