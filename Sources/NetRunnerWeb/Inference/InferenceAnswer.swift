// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import NetRunner
import TensorIO
import TensorIODecoding
import TensorIOImageCodecs

/// A model's result, as the page shows it.
struct InferenceAnswer: Sendable {
  /// The maximum number of values to send for an output.
  private static let numberLimit = 100

  let model: ServedModel
  let prediction: Prediction
  let latency: RunLatency
  /// How long the request waited for a thread.
  let wait: Duration
  /// The outputs as text in the model's output format.
  let text: String
  let options: InferenceOptions
  let input: TensorSpec
  let previews: [String: PixelBuffer]?
  /// What ran the model, and why it wasn't the accelerator; nil if models only run on the CPU.
  let accelerator: (name: String, reason: String?)?

  func json() throws -> JSONObject {
    let stages = [
      "decode": latency.decode, "preprocess": latency.preprocess, "inference": latency.inference,
      "postprocess": latency.postprocess, "total": latency.total,
      "wait": wait,
    ]
    var document: JSONObject = [
      "model": model.id, "kind": model.kind.rawValue, "text": text,
      // Milliseconds, rounded to the microsecond.
      "latency_ms": stages.mapValues { ($0 / .milliseconds(1) * 1000).rounded() / 1000 },
      "outputs": prediction.json(keeping: .top(Self.numberLimit)),
    ]
    document.set("accelerator", accelerator?.name)
    document.set("accelerator_reason", accelerator?.reason)
    document.set("region", input.isImage ? try region() : nil)
    document.set("read_text", prediction.text)
    document.set(
      "picture", prediction.imageSize.map { ["width": $0.width, "height": $0.height] })
    document.set("classes", prediction.classification.map(classes) ?? decodedLabels)
    document.set("measurements", measurements)
    document.set("segmentation", try prediction.classMap.map(Self.segmentation))
    document.set("detections", prediction.detections?.map(Self.detection))
    document.set("skeleton", skeleton)
    document.set("masks", try masks())
    let isUndecoded = model.kind == .keypoints && prediction.detections == nil
    document.set("keypoints", isUndecoded ? keypoints : nil)
    document.set("image", try image())
    document.set("previews", try previews?.mapValues { try $0.dataAddress() })
    return document
  }

  private func classes(_ classification: Classification) -> [JSONObject] {
    classification.top(options.top, threshold: options.threshold).map {
      ["label": $0.label, "value": $0.value]
    }
  }

  /// The labels of a `multi-label` output, or the nearest vectors of a gallery, best first.
  private var decodedLabels: [JSONObject]? {
    for output in prediction.outputs {
      let labels: [ScoredLabel]
      switch output.value {
      case .decoded(.labels(let found)): labels = found
      case .decoded(.embedding(let embedding)) where !embedding.nearest.isEmpty:
        labels = embedding.nearest
      default: continue
      }
      return labels.prefix(options.top).map { ["label": $0.label, "value": $0.score] }
    }
    return nil
  }

  /// The numbers of the outputs that are decoded to numbers with names and units.
  private var measurements: [JSONObject]? {
    let all = prediction.outputs.flatMap { output -> [Measurement] in
      if case .decoded(.measurements(let list)) = output.value { list } else { [] }
    }
    return all.isEmpty ? nil : all.map { ["name": $0.name, "value": $0.value, "unit": $0.unit] }
  }

  private static func segmentation(_ map: ClassMap) throws -> JSONObject {
    [
      "width": map.width, "height": map.height,
      // PNG is lossless, so that the palette's colors don't bleed into each other.
      "picture": try map.image().dataAddress(as: .png),
      "classes": map.legend.map { entry -> JSONObject in
        [
          "index": entry.index, "label": entry.label, "share": entry.share,
          "color": entry.color.hexadecimal,
        ]
      },
    ]
  }

  private static func detection(_ detection: Detection) -> JSONObject {
    [
      "label": detection.label, "score": detection.score, "box": edges(detection.box),
      "angle": detection.angle, "color": ObjectMasks.color(of: detection.classIndex).hexadecimal,
      "keypoints": detection.keypoints?.map { point -> JSONObject in
        ["name": point.name, "x": point.x, "y": point.y, "score": point.score]
      },
    ]
  }

  /// Pairs of indices of keypoints that are connected, or nil without any.
  private var skeleton: [[Int]]? {
    let signature = ModelSignature(of: model.bundle)
    let pairs = signature.outputs.lazy.map { signature.skeleton(of: $0.name) }.first { !$0.isEmpty }
    return pairs?.map { [$0.0, $0.1] }
  }

  /// Draws the masks of the objects above the threshold in one transparent image, at most 640 pixels
  /// wide and high.
  private func masks() throws -> String? {
    guard let size = prediction.imageSize else { return nil }
    let objects = (prediction.detections ?? []).filter {
      $0.mask != nil && $0.score >= options.threshold
    }
    guard !objects.isEmpty else { return nil }
    return try ObjectMasks(objects, of: size).image(longestSide: 640).dataAddress(as: .png)
  }

  private static func edges(_ box: Box) -> [String: Double] {
    [
      "left": box.x, "top": box.y, "right": box.x + box.width, "bottom": box.y + box.height,
    ]
  }

  /// The points of a pose model, or nil if the output doesn't contain points.
  ///
  /// The rows are y, x and optionally a score, in fractions of what the model sees.
  private var keypoints: [JSONObject]? {
    guard let values = prediction.values,
      let layer = model.bundle.manifest.outputs.first, let length = layer.shape.last,
      length == 2 || length == 3, values.count.isMultiple(of: length)
    else { return nil }
    return stride(from: 0, to: values.count, by: length).map { start in
      [
        "name": "\(start / length)", "y": values[start], "x": values[start + 1],
        "score": length == 3 ? values[start + 2] : nil,
      ]
    }
  }

  private func image() throws -> JSONObject? {
    for output in prediction.outputs {
      switch output.value {
      case .image(let image): return try Self.json(image)
      case .decoded(.depth(let map)):
        var document = try Self.json(map.image())
        document.set("minimum", map.minimum)
        document.set("maximum", map.maximum)
        document.set("unit", map.unit)
        return document
      default: continue
      }
    }
    return nil
  }

  private static func json(_ image: PixelBuffer) throws -> JSONObject {
    [
      "width": image.width, "height": image.height,
      "picture": try image.dataAddress(as: .png),
    ]
  }

  /// Returns the part of the image that the model saw, in fractions of the image's sides.
  private func region() throws -> [String: Double] {
    let all = Box(x: 0, y: 0, width: 1, height: 1)
    guard let size = prediction.imageSize else { return Self.edges(all) }
    return Self.edges(try all.inWholeImage(of: size, input))
  }
}
#endif
