// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

package import TensorIO

extension Detection {
  /// Reads an object in the format of rows.
  ///
  /// Numbers that are missing or aren't finite are 0. A mask that isn't possible is left out.
  ///
  /// - Returns: nil for a value without a box.
  package init?(json: JSONValue) {
    guard case .object(let members) = json, case .object(let box)? = members["box"] else {
      return nil
    }
    self.init(
      classIndex: members.integer("class") ?? 0, label: members.text("label"),
      score: Float(members.number("score")),
      box: Box(
        x: box.number("x"), y: box.number("y"), width: box.number("width"),
        height: box.number("height")))
    if members["angle"] != nil { angle = members.number("angle") }
    if case .array(let points)? = members["keypoints"] {
      keypoints = points.compactMap(Keypoint.init(json:))
    }
    mask = members["mask"].flatMap(ObjectMask.init(json:))
  }
}

extension Keypoint {
  fileprivate init?(json: JSONValue) {
    guard case .object(let members) = json else { return nil }
    self.init(name: members.text("name"), x: members.number("x"), y: members.number("y"))
  }
}

extension ObjectMask {
  /// The largest coordinate, far more than images have.
  private static let limit = 1 << 20

  fileprivate init?(json: JSONValue) {
    guard case .object(let members) = json, let x = members.integer("x"),
      let y = members.integer("y"), let width = members.integer("width"),
      let height = members.integer("height"), case .array(let lengths)? = members["runs"],
      [x, y, width, height].allSatisfy({ (0...Self.limit).contains($0) })
    else { return nil }
    var rest = width * height
    let runs = lengths.compactMap { length -> Int? in
      guard let length = length.asNumber.flatMap({ Int(exactly: $0) }), (0...rest).contains(length)
      else { return nil }
      rest -= length
      return length
    }
    guard runs.count == lengths.count else { return nil }
    self.init(x: x, y: y, width: 0, height: 0, pixels: [])
    (self.width, self.height, self.runs) = (width, height, runs)
  }
}

extension [String: JSONValue] {
  /// The number under a key; 0 if it's missing or isn't finite.
  fileprivate func number(_ key: String) -> Double {
    self[key]?.asNumber.flatMap { $0.isFinite ? $0 : nil } ?? 0
  }

  fileprivate func integer(_ key: String) -> Int? {
    self[key]?.asNumber.flatMap { Int(exactly: $0) }
  }

  fileprivate func text(_ key: String) -> String {
    if case .string(let text)? = self[key] { text } else { "" }
  }
}
