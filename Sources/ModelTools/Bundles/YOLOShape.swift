// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// The layout of a YOLO model, as the shapes of its outputs show it.
struct YOLOShape {
  /// The value of the key `layout`.
  let layout: String
  /// The index of the output with the boxes.
  let boxes: Int
  /// The index of the output with the prototypes of masks.
  let masks: Int?

  /// The number of values of each box behind its classes.
  struct Extras {
    var points = 0
    var isOriented = false
  }

  /// Finds the layout that fits; nil if none does.
  ///
  /// - Parameters:
  ///   - outputs: The model's outputs.
  ///   - image: The input, whose size determines the number of cells.
  ///   - classes: The number of classes; nil if the model doesn't state it. Then the number of
  ///     boxes must be that of the cells.
  ///   - extras: The other values of each box.
  ///   - isEndToEnd: Whether the model states that it chooses among boxes.
  init?(
    _ outputs: [TensorDescription], image: ImageForm, classes: Int?, extras: Extras = Extras(),
    isEndToEnd: Bool = false
  ) {
    let shapes = outputs.map(\.shape)
    let lists = shapes.indices.filter { shapes[$0].count == 3 && abs(shapes[$0][0]) == 1 }
    let maps = shapes.indices.filter { shapes[$0].count == 4 && abs(shapes[$0][0]) == 1 }
    guard let boxes = lists.first, lists.count == 1, maps.count <= 1,
      outputs.count == 1 + maps.count, shapes[boxes][1] > 0, shapes[boxes][2] > 0
    else { return nil }
    self.boxes = boxes
    masks = maps.first
    let sides = (shapes[boxes][1], shapes[boxes][2])
    // The prototypes' number is the first or the last axis, like the image's channels.
    let coefficients = masks.map { index in
      image.isChannelsFirst ? [shapes[index][1], shapes[index][3]] : [shapes[index][3]]
    }
    let cells = Self.cells(of: image.size)
    let layouts = (coefficients ?? [0]).lazy.compactMap { count -> String? in
      // Without a number of classes, the prototypes must be 32, as in every published model.
      guard count >= 0, classes != nil || count == 0 || count == 32 else { return nil }
      let behind = count + 3 * extras.points + (extras.isOriented ? 1 : 0)
      return classes.map { Self.layout(sides, $0, behind, cells, isEndToEnd) }
        ?? Self.layout(sides, behind, cells)
    }
    guard let layout = layouts.first else { return nil }
    self.layout = layout
  }

  /// Finds the layout of a model with a known number of classes.
  private static func layout(
    _ sides: (Int, Int), _ classes: Int, _ behind: Int, _ cells: Set<Int>, _ isEndToEnd: Bool
  ) -> String? {
    let values = 4 + classes + behind
    let hasChosen = sides.1 == 6 + behind && sides.0 <= 1000
    if isEndToEnd, hasChosen { return "end-to-end" }
    if sides.0 == values { return "v8" }
    if sides.1 == values + 1, sides.0 % 3 == 0, cells.contains(sides.0 / 3) { return "v5" }
    if sides.1 == values, cells.contains(sides.0) { return "v8-transposed" }
    if hasChosen { return "end-to-end" }
    return sides.1 == values ? "v8-transposed" : sides.1 == values + 1 ? "v5" : nil
  }

  /// Finds the layout of a model whose number of boxes must be that of the cells.
  private static func layout(_ sides: (Int, Int), _ behind: Int, _ cells: Set<Int>) -> String? {
    if cells.contains(sides.1), sides.0 > 4 + behind { return "v8" }
    if sides.0 % 3 == 0, cells.contains(sides.0 / 3), sides.1 > 5 + behind { return "v5" }
    // YOLOX has 85 values for each cell, which are something else.
    if cells.contains(sides.0), sides.1 > 4 + behind, sides.1 != 85 { return "v8-transposed" }
    return sides.0 == 300 && sides.1 == 6 + behind ? "end-to-end" : nil
  }

  /// The numbers of cells of the usual grids.
  private static func cells(of size: ImageSize) -> Set<Int> {
    let grids = [[8, 16, 32], [8, 16, 32, 64], [4, 8, 16, 32]]
    return Set(
      grids.map { strides in
        strides.reduce(0) { $0 + (size.width / $1) * (size.height / $1) }
      })
  }
}
