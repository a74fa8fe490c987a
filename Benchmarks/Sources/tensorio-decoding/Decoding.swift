// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import DecodersUnderTest
import Foundation

/// Measures how long YOLO's boxes take to decode and suppress.
///
///     tensorio-decoding           prints the times of scenes with more and more candidates
///     tensorio-decoding COUNT     decodes the busiest scene COUNT times, for a tool that counts allocations
///
/// A tensor has 8,400 boxes with 80 classes, as for images of 640 x 640 pixels. Each object of a scene
/// has a group of boxes that overlap. All other scores are below the threshold.
@main
struct Decoding {
  private static let boxes = 8400
  private static let classes = 80

  static func main() throws {
    if let count = CommandLine.arguments.dropFirst().first.flatMap(Int.init) {
      let tensor = scene(objects: 100, group: 30, layout: .v8)
      let decoder = try decoder(.v8)
      for _ in 0..<count { _ = try decoder.decode(tensor.span) }
      return
    }
    for layout in [YOLOOptions.Layout.v8, .v8Transposed] {
      let decoder = try decoder(layout)
      for (objects, group) in [(0, 0), (10, 10), (100, 10), (100, 30)] {
        let tensor = scene(objects: objects, group: group, layout: layout)
        var times: [Duration] = []
        var found = 0
        for _ in 0..<400 {
          let start = ContinuousClock.now
          found = try decoder.decode(tensor.span).boxes.count
          times.append(.now - start)
        }
        times.sort()
        print(
          "\(layout.rawValue), \(objects * group) candidates, \(found) objects: "
            + "median \(milliseconds(times[200])), least \(milliseconds(times[0]))")
      }
    }
  }

  private static func decoder(_ layout: YOLOOptions.Layout) throws -> YOLODecoder {
    let values = 4 + classes
    return try YOLODecoder(
      shape: layout == .v8 ? [1, values, boxes] : [1, boxes, values],
      options: YOLOOptions(layout: layout), selection: BoxSelection())
  }

  /// Makes the tensor of a scene with a number of objects and of boxes around each.
  private static func scene(objects: Int, group: Int, layout: YOLOOptions.Layout) -> [Float] {
    var generator = Generator()
    var tensor = [Float](repeating: 0, count: (4 + classes) * boxes)
    func set(_ value: Int, of box: Int, to number: Float) {
      tensor[layout == .v8 ? value * boxes + box : box * (4 + classes) + value] = number
    }
    for box in 0..<boxes {
      for value in 0..<classes {
        set(4 + value, of: box, to: .random(in: 0..<0.2, using: &generator))
      }
    }
    let places = (0..<boxes).shuffled(using: &generator)
    for object in 0..<objects {
      let size = Float.random(in: 20..<200, using: &generator)
      let center = (0..<2).map { _ in Float.random(in: 0..<640, using: &generator) }
      let name = Int.random(in: 0..<classes, using: &generator)
      for place in places[object * group..<(object + 1) * group] {
        for axis in 0..<2 {
          set(axis, of: place, to: center[axis] + .random(in: -3..<3, using: &generator))
          set(2 + axis, of: place, to: size + .random(in: -5..<5, using: &generator))
        }
        set(4 + name, of: place, to: .random(in: 0.3..<0.95, using: &generator))
      }
    }
    return tensor
  }

  private static func milliseconds(_ time: Duration) -> String {
    String(format: "%.3f ms", 1000 * (time / .seconds(1)))
  }
}

/// A generator whose numbers are the same in each run.
private struct Generator: RandomNumberGenerator {
  private var state: UInt64 = 1

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ (state >> 29)
  }
}
