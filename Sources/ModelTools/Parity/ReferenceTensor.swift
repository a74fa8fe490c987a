// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import TensorIODecoding

/// The tensor that Python made, split into channels.
package struct ReferenceTensor {
  let tensor: Tensor
  let path: String
  /// The position of the channel axis.
  let layout: ImageShape.Layout
  /// One or three channels of height × width values, in the order of the tensor.
  private(set) var channels: [[Float]]
  let isWhole: Bool
  /// Whether ``channels`` were read in the other layout than the shape says.
  private(set) var isReshaped = false

  /// Reads a .npy file with an image of the layer's size, and maybe a leading batch axis of 1.
  package init(_ path: String, for layer: ImageLayer) throws {
    self.path = path
    let tensor = try NumPyFile(path).tensor
    self.tensor = tensor
    guard let (layout, count) = Self.layout(of: tensor.shape, for: layer.shape) else {
      throw Self.mismatch(tensor.shape, path, layer)
    }
    self.layout = layout
    let values = try tensor.floats()
    guard values.allSatisfy(\.isFinite) else {
      let bad = values.count { !$0.isFinite }
      throw TensorIOError(
        .unrepresentableValue,
        "'\(path)' has \(bad) values out of \(values.count) that aren't finite, but "
          + "'\(layer.spec.name)' takes pixels. Look for a division by zero in the Python code.")
    }
    isWhole = values.allSatisfy { $0 == $0.rounded() }
    channels = values.channels(count, layout)
  }

  /// Returns the same elements, read in the other layout.
  ///
  /// This is what Python code leaves behind if it uses `reshape` where it should transpose the
  /// axes.
  func reshaped() throws -> ReferenceTensor {
    var other = self
    other.isReshaped = true
    other.channels = try tensor.floats().channels(channels.count, layout.other)
    return other
  }

  /// The layer's own layout is tried first, because an image with 3 rows may fit both layouts.
  private static func layout(of saved: [Int], for shape: ImageShape) -> (ImageShape.Layout, Int)? {
    let (height, width) = (shape.height, shape.width)
    var candidates: [(ImageShape.Layout, Int)] = []
    for count in [shape.channels, 4 - shape.channels] {
      candidates += [(shape.layout, count), (shape.layout.other, count)]
    }
    for (layout, count) in candidates {
      let axes = layout == .channelsLast ? [height, width, count] : [count, height, width]
      if saved == axes || saved == [1] + axes || (count == 1 && saved == [height, width]) {
        return (count == 1 ? shape.layout : layout, count)
      }
    }
    return nil
  }

  private static func mismatch(
    _ saved: [Int], _ path: String, _ layer: ImageLayer
  ) -> TensorIOError {
    var turned = layer.shape
    (turned.width, turned.height) = (turned.height, turned.width)
    var suggestion = "Save the array that goes into set_tensor, for one image."
    if let first = saved.first, first > 1, saved.count == 4 {
      suggestion = "Save one image of the batch of \(first): array[:1]."
    } else if saved.count == 1 {
      suggestion = "Save the array with its axes, before it is flattened."
    } else if Self.layout(of: saved, for: turned) != nil {
      suggestion = "Height and width may be swapped in the Python code."
    }
    return TensorIOError(
      .wrongElementCount,
      "'\(path)' has the shape \(saved), but '\(layer.spec.name)' takes \(layer.shape.axes). "
        + suggestion
    )
  }

  /// Whether the three channels are equal, up to a scale and a bias.
  var isGrayThrice: Bool {
    channels.count == 3
      && (1...2).allSatisfy {
        ChannelFit(channels[0], channels[$0]).correlation > 0.999_999
      }
  }
}

extension Tensor {
  /// Returns the elements as floats, rounded if necessary.
  func floats() throws -> [Float] {
    switch dataType {
    case .float32: return try numbers()
    case .float16, .float64: return try numbers(as: Double.self).map { Float($0) }
    default: return try numbers(as: Int64.self).map { Float($0) }
    }
  }
}

extension [Float] {
  /// Returns the values of each channel, row by row.
  func channels(_ count: Int, _ layout: ImageShape.Layout) -> [[Float]] {
    let size = self.count / count
    return (0..<count).map { channel in
      layout == .channelsFirst
        ? Array(self[channel * size..<(channel + 1) * size])
        : (0..<size).map { self[$0 * count + channel] }
    }
  }
}

extension ImageShape.Layout {
  var other: Self { self == .channelsLast ? .channelsFirst : .channelsLast }
}

extension DataType {
  var isFloat: Bool { self == .float16 || self == .float32 || self == .float64 }
}
