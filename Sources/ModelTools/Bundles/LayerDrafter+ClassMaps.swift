// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import TensorIOLiteRT

extension LayerDrafter {
  /// Describes an output that can only be a map of pixel classes; returns nil for any other.
  ///
  /// Such an output holds a score for each of the model's own labels in every pixel, or an integer
  /// for every pixel of the only input image.
  mutating func classMap(
    _ tensor: TensorDescription, _ metadata: TensorMetadata?, name: String
  ) -> Members? {
    guard images.count == 1, let dataType = tensor.dataType,
      (3...4).contains(tensor.shape.count), abs(tensor.shape[0]) == 1, tensor.shape[1] > 1,
      tensor.shape[2] > 1
    else { return nil }
    let size = (width: tensor.shape[2], height: tensor.shape[1])
    let depth = tensor.shape.count == 4 ? tensor.shape[3] : 1
    let labels = depth == 1 ? metadata?.valueLabels ?? metadata?.labels : metadata?.labels
    guard
      depth == 1
        ? holdsClassNumbers(tensor, dataType, labels, size: size)
        : depth > 1 && labels?.count == depth && holdsScores(tensor, dataType)
    else { return nil }
    let batch = tensor.shape[0] == -1 ? [-1] : []
    var members: Members = [
      ("name", .string(name)), ("type", .string("image")),
      ("shape", .integers(batch + [size.height, size.width, depth])),
      ("format", .string(ClassMapShape.formatName)),
    ]
    if depth == 1 {
      assume(
        "type of '\(name)': its whole numbers are taken as the classes of the image's pixels; if "
          + "they aren't, change the type to \"array\"")
    }
    if let labels {
      members.append(("labels", .string(addAsset(labels))))
    } else {
      checks.append(
        "labels of '\(name)': the model has none; put the names of its classes into "
          + "assets/labels.txt and add \"labels\": \"labels.txt\"")
    }
    return members
  }

  /// An image layer can't name a data type, so the tensor's type must match `model.quantized`.
  private func holdsScores(_ tensor: TensorDescription, _ dataType: DataType) -> Bool {
    switch dataType {
    case .float16, .float32, .float64: !isQuantized
    case .uint8, .int8: isQuantized || tensor.quantization == nil
    case .string, .bool: false
    default: true
    }
  }

  /// Bytes could also be a gray image, so they are classes only if the model has labels for them.
  private func holdsClassNumbers(
    _ tensor: TensorDescription, _ dataType: DataType, _ labels: [String]?, size: ImageSize
  ) -> Bool {
    guard tensor.quantization == nil, size == images[0] else { return false }
    return switch dataType {
    case .int16, .uint16, .int32, .uint32, .int64: true
    case .uint8, .int8: labels != nil
    case .float16, .float32, .float64, .bool, .string: false
    }
  }
}
