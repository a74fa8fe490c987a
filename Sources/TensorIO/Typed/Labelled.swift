// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// A result with the name of a class: an object that a model found, or a label with its score.
public protocol LabelledResult: Sendable {
  /// The name of the class.
  var label: String { get }
}

extension Detection: LabelledResult {}
extension ScoredLabel: LabelledResult {}

/// A result whose label has a type of its own.
///
/// All other properties are those of the result, such as `box` and `score` of a ``Detection``:
///
/// ```swift
/// for face in answer.faces where face.label == .face { print(face.box, face.score) }
/// ```
@dynamicMemberLookup
public struct Labelled<Result: LabelledResult, Label: ModelLabel>: Sendable {
  /// The label.
  public let label: Label
  /// The result, with the label as text.
  public let result: Result

  /// Gives the label of a result its type.
  ///
  /// - Throws: ``TensorIOError`` when the type has no value for the label.
  public init(_ result: Result) throws {
    guard let label = Label(label: result.label) else {
      throw TensorIOError.unknownLabel(result.label, of: "A result of the model", Label.self)
    }
    self.label = label
    self.result = result
  }

  /// A property of the result.
  public subscript<Value>(dynamicMember path: KeyPath<Result, Value>) -> Value {
    result[keyPath: path]
  }
}

extension Labelled: Equatable where Result: Equatable {}
extension Labelled: Hashable where Result: Hashable {}

/// A class for each pixel, whose labels have a type of their own.
///
/// All other properties are those of the ``ClassMap``, such as its width and height.
@dynamicMemberLookup
public struct LabelledClassMap<Label: ModelLabel>: Sendable, Equatable {
  /// The map, with labels as text.
  public let map: ClassMap

  private let labels: [Label]

  /// The class of a pixel; nil if its index is beyond the last label.
  ///
  /// - Parameters:
  ///   - x: The pixel's column, from 0.
  ///   - y: The pixel's row, from 0.
  public subscript(x: Int, y: Int) -> Label? {
    let index = Int(map[x, y])
    return index < labels.count ? labels[index] : nil
  }

  /// Returns the share of the pixels that have a class, from 0 to 1.
  public func share(of label: Label) -> Double {
    guard let index = labels.firstIndex(of: label) else { return 0 }
    return Double(map.classes.count { Int($0) == index }) / Double(map.classes.count)
  }

  /// A property of the map.
  public subscript<Value>(dynamicMember path: KeyPath<ClassMap, Value>) -> Value {
    map[keyPath: path]
  }
}

extension LabelledClassMap: TensorDecodable {
  public static func decode(_ bytes: RawSpan, as spec: TensorSpec) throws -> LabelledClassMap {
    let map = try ClassMap.decode(bytes, as: spec)
    return LabelledClassMap(
      map: map, labels: try Label.requireValues(of: map.labels?.names ?? [], in: spec))
  }
}
