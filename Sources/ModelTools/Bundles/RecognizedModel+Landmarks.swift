// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import TensorIOLiteRT

extension RecognizedModel {
  /// A model of MediaPipe that sees a part of an image, which a detector found.
  private struct PartModel {
    var name: String
    var part: String
    var side: Int
    /// The numbers of values of the outputs, smallest first.
    var values: [Int]
  }

  private static let partModels: [PartModel] = [
    PartModel(name: "landmarks of faces", part: "a face", side: 192, values: [1, 1404]),
    PartModel(name: "landmarks of eyes", part: "an eye", side: 64, values: [15, 213]),
    PartModel(name: "landmarks of hands", part: "a hand", side: 224, values: [1, 1, 63, 63]),
    PartModel(
      name: "landmarks of people", part: "a person", side: 256,
      values: [1, 117, 195, 65_536, 159_744]),
  ]

  /// Recognizes MediaPipe's models of landmarks.
  ///
  /// No decoder reads their outputs. If a model has metadata, it has the same normalization.
  static func landmarks(
    _ signature: SignatureDescription, _ input: TensorMetadata?
  ) -> RecognizedModel? {
    let values = signature.outputs.compactMap(\.shape.elementCount).sorted()
    guard var image = ImageForm(signature, input), !image.isChannelsFirst,
      signature.inputs[0].dataType == .float32,
      let model = partModels.first(where: {
        image.size == ($0.side, $0.side) && $0.values == values
      })
    else { return nil }
    image.crop = .string("stretch")
    image.normalization = ImageForm.zeroToOne
    return RecognizedModel(
      image: image,
      checks: [
        "image: the outputs are as many as those of MediaPipe's model of \(model.name), so that "
          + "values from 0 to 1 are assumed; it expects \(model.part) that fills the image, upright",
        "outputs: no decoder reads these landmarks; they are drafted as arrays",
      ])
  }
}
