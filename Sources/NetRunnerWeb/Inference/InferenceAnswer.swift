// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import NetRunner
import TensorIO
import TensorIOImageCodecs

/// A model's result for an image, as the page shows it.
struct InferenceAnswer: Sendable {
  let model: VisionModel
  let prediction: Prediction
  let latency: RunLatency
  /// The outputs as text in the model's output format.
  let text: String
  let options: InferenceOptions
  let input: TensorSpec
  let preview: Preview?

  /// The maximum number of values to send for an output.
  private static let numberLimit = 100

  /// Makes the response's JSON document.
  ///
  /// - Throws: `TensorIOError` if an image can't be encoded.
  func json() throws -> JSONValue {
    var members: [String: JSONValue] = [
      "model": .string(model.id), "kind": .string(model.kind.rawValue), "text": .string(text),
      "latency_ms": .object([
        "decode": .milliseconds(latency.decode), "preprocess": .milliseconds(latency.preprocess),
        "inference": .milliseconds(latency.inference),
        "postprocess": .milliseconds(latency.postprocess), "total": .milliseconds(latency.total),
      ]),
      "outputs": .object(prediction.json(keeping: .top(Self.numberLimit))),
      "region": try region(),
    ]
    if let size = prediction.pictureSize {
      members["picture"] = Self.size(size.width, size.height)
    }
    members["classes"] = prediction.classification.map(classes)
    members["segmentation"] = try prediction.classMap.map(Self.segmentation)
    members["detections"] = prediction.detections.map { .array($0.map(Self.detection)) }
    members["keypoints"] = model.kind == .keypoints ? keypoints : nil
    members["image"] = try image()
    members["previews"] = try preview?.json()
    return .object(members)
  }

  private func classes(_ classification: Classification) -> JSONValue {
    .array(
      classification.top(options.top, threshold: options.threshold).map {
        .object(["label": .string($0.label), "value": .number($0.value.shortestDouble)])
      })
  }

  private static func segmentation(_ map: ClassMap) throws -> JSONValue {
    .object([
      "width": .count(map.width), "height": .count(map.height),
      // PNG is lossless, so that the palette's colors don't bleed into each other.
      "picture": .string(try map.picture().dataAddress(as: .png)),
      "classes": .array(
        map.legend.map { entry in
          .object([
            "index": .count(entry.index), "label": .text(entry.label),
            "share": .number(entry.share), "color": .string(entry.color.hexadecimal),
          ])
        }),
    ])
  }

  private static func detection(_ detection: Detection) -> JSONValue {
    .object([
      "label": .string(detection.label), "score": .number(detection.score.shortestDouble),
      "box": box(detection.box),
    ])
  }

  private static func box(_ box: Box) -> JSONValue {
    .object([
      "left": .number(box.x), "top": .number(box.y), "right": .number(box.x + box.width),
      "bottom": .number(box.y + box.height),
    ])
  }

  /// The points of a pose model, or nil if the output doesn't contain points.
  ///
  /// The rows are y, x and optionally a score, in fractions of what the model sees.
  private var keypoints: JSONValue? {
    guard let values = prediction.values,
      let layer = model.bundle.manifest.outputs.first, let length = layer.shape.last,
      length == 2 || length == 3, values.count.isMultiple(of: length)
    else { return nil }
    return .array(
      stride(from: 0, to: values.count, by: length).map { start in
        .object([
          "name": .string("\(start / length)"), "y": .number(values[start].shortestDouble),
          "x": .number(values[start + 1].shortestDouble),
          "score": length == 3 ? .number(values[start + 2].shortestDouble) : .null,
        ])
      })
  }

  private func image() throws -> JSONValue? {
    for output in prediction.outputs {
      guard case .image(let picture) = output.value else { continue }
      return .object([
        "width": .count(picture.width), "height": .count(picture.height),
        "picture": .string(try picture.dataAddress(as: .png)),
      ])
    }
    return nil
  }

  /// Returns the part of the image that the model saw, in fractions of the image's sides.
  private func region() throws -> JSONValue {
    let all = Box(x: 0, y: 0, width: 1, height: 1)
    guard let size = prediction.pictureSize else { return Self.box(all) }
    return Self.box(try all.inWholePicture(of: size, input))
  }

  private static func size(_ width: Int, _ height: Int) -> JSONValue {
    .object(["width": .count(width), "height": .count(height)])
  }
}
#endif
