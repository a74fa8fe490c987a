// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import TensorIOLiteRT

extension LayerDrafter {
  /// The value of `model.type`; nil if the layers don't show what the model does.
  var modelType: String? {
    if detection != nil, pictures.count == 1 { return "image.detection" }
    return classifiesPictures ? "image.classification" : nil
  }

  /// The value of `options`; nil if there are none.
  var options: OrderedJSON? {
    var members: Members = []
    if modelType != nil { members.append(("device_position", .string("back"))) }
    if classifiesPictures {
      members.append(("output_format", .string("image.classification.imagenet")))
    }
    if let detectionLabels { members.append(("labels", .string(detectionLabels))) }
    return members.isEmpty ? nil : .object(members)
  }

  /// Describes the four outputs of `TFLite_Detection_PostProcess` under their well-known names.
  mutating func detectionOutputs(
    _ metadata: [TensorMetadata?], named names: [String]
  ) throws -> [OrderedJSON] {
    if let labels = metadata.lazy.compactMap({ $0?.valueLabels ?? $0?.labels }).first {
      detectionLabels = addAsset(labels)
    } else {
      checks.append(
        "options.labels: the model has no names for the objects that it finds; put them into "
          + "assets/labels.txt, one per line, and add \"options\": {\"labels\": \"labels.txt\"}")
    }
    return try zip(signature.outputs, names).map { output, name in
      .object(try numbers(output, name: name, side: "output"))
    }
  }
}
