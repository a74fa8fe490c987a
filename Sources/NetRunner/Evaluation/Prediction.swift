// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

public import TensorIO
import TensorIODecoding

/// A model's prediction for an image, in the form that metrics need.
public struct Prediction: Sendable {
  /// All outputs, in the order of model.json.
  public var outputs: [(name: String, value: TensorValue)] = []
  /// The labelled values of the first output that has labels, or nil if there is none.
  public var classification: Classification?
  /// The values of the first output that has only numbers without labels, or nil if there is none.
  public var values: [Float]?
  /// The text that the model read, or nil if no output is decoded to text.
  public var text: String?
  /// The vector that describes the image, or nil if no output is decoded to one.
  public var embedding: [Float]?
  /// The class of each pixel, or nil if no output is a class map.
  public var classMap: ClassMap?
  /// The detected objects, in fractions of the image's sides, or nil if the model doesn't find
  /// objects.
  ///
  /// Masks stay in pixels.
  public var detections: [Detection]?
  /// The size of the upright image in pixels, or nil if it isn't known.
  ///
  /// It converts the detections' fractions to pixels.
  public var imageSize: (width: Int, height: Int)?
}

struct PredictionReader: Sendable {
  private let input: TensorSpec
  private let classification: String?
  private let values: String?
  private let detection: DetectionLayout?

  init(_ outputs: [TensorSpec], input: TensorSpec, labels: [String]) {
    self.input = input
    let isDecoded = outputs.contains { $0.coding != nil }
    detection = isDecoded ? nil : DetectionLayout(outputs, labels: labels)
    classification =
      outputs.first { spec in
        if case .vector(_, .some) = spec.kind { true } else { spec.isBinary }
      }?.name
    values = detection == nil ? outputs.first { $0.isNumbers && $0.coding == nil }?.name : nil
  }

  /// Reads the outputs of a run on an image of a size, if that is known.
  func prediction(
    _ outputs: ModelOutputs, size: (width: Int, height: Int)?
  ) throws -> Prediction {
    var prediction = Prediction()
    prediction.outputs = try outputs.values()
    prediction.imageSize = size
    for (name, value) in prediction.outputs {
      switch value {
      case .labels(let classification) where name == self.classification:
        prediction.classification = classification
      case .classMap(let map) where prediction.classMap == nil: prediction.classMap = map
      case .decoded(let value): try read(value, size ?? outputs.imageSize, into: &prediction)
      default: break
      }
    }
    if let values, let output = prediction.outputs.first(where: { $0.name == values }) {
      prediction.values = output.value.roundedNumbers
    }
    if let detection {
      prediction.detections = try detection.detections(outputs).map { object in
        var object = object
        if let size { object.box = try object.box.inWholeImage(of: size, input) }
        return object
      }
    }
    return prediction
  }

  private func read(
    _ value: DecodedValue, _ size: (width: Int, height: Int)?, into prediction: inout Prediction
  ) throws {
    switch value {
    case .objects(let objects) where prediction.detections == nil:
      let image = try ImageFrame(input, size: size).image
      prediction.detections = objects.map { $0.divided(by: image) }
    case .measurements(let measurements) where prediction.values == nil:
      prediction.values = measurements.map { Float($0.value) }
    case .embedding(let embedding) where prediction.embedding == nil:
      prediction.embedding = embedding.vector
    case .text(let text) where prediction.text == nil: prediction.text = text.text
    default: break
    }
  }
}

extension TensorValue {
  /// The numbers of an array, rounded to floats as metrics need them; nil for other values.
  fileprivate var roundedNumbers: [Float]? {
    switch self {
    case .number(let number): [number.rounded]
    case .numbers(let numbers): numbers.map(\.rounded)
    default: nil
    }
  }
}

extension TensorValue.Number {
  fileprivate var rounded: Float {
    switch self {
    case .integer(let integer): Float(integer)
    case .float(let float): float
    case .double(let double): Float(double)
    case .bool(let bool): bool ? 1 : 0
    }
  }
}

extension Detection {
  /// Converts pixels to fractions of an image's sides.
  fileprivate func divided(by size: (width: Int, height: Int)) -> Detection {
    var object = self
    object.box = box.divided(by: size)
    object.keypoints = keypoints?.map { point in
      Keypoint(
        name: point.name, x: point.x / Double(size.width), y: point.y / Double(size.height),
        score: point.score)
    }
    return object
  }
}

/// Finds which of a model's four outputs are the boxes, classes, scores and count of detected
/// objects.
///
/// TensorFlow Lite's `Detection_PostProcess` and exported detection models have these outputs:
/// boxes [N, 4] (top, left, bottom, right as fractions of the sides), N classes from 0, N scores,
/// and the number of detected objects.
struct DetectionLayout: Sendable {
  private let boxes: Int
  private let classes: Int
  private let scores: Int
  private let count: Int
  private let labels: [String]

  /// Finds the outputs, or returns nil if they aren't those of a detection model.
  ///
  /// The scores are recognized by their name. Otherwise the order is that of
  /// `Detection_PostProcess`: boxes, classes, scores, count.
  init?(_ outputs: [TensorSpec], labels: [String]) {
    guard outputs.count == 4, outputs.allSatisfy({ $0.isNumbers }),
      let boxes = outputs.firstIndex(where: { $0.shape.last == 4 && $0.elementCount >= 4 }),
      let count = outputs.firstIndex(where: { $0.elementCount == 1 }), count != boxes
    else { return nil }
    let rest = outputs.indices.filter { $0 != boxes && $0 != count }
    let objects = outputs[boxes].elementCount / 4
    guard rest.allSatisfy({ outputs[$0].elementCount == objects }) else { return nil }
    let namedScores = rest.filter { outputs[$0].name.lowercased().contains("score") }
    let scores = namedScores.count == 1 ? namedScores[0] : rest[1]
    self.boxes = boxes
    self.count = count
    self.scores = scores
    classes = scores == rest[0] ? rest[1] : rest[0]
    self.labels = labels
  }

  /// Reads the objects of one run, in the model's order.
  func detections(_ outputs: ModelOutputs) throws -> [Detection] {
    let boxes: [Float] = try outputs.value(at: boxes)
    let classes: [Float] = try outputs.value(at: classes)
    let scores: [Float] = try outputs.value(at: scores)
    let count: Float = try outputs.value(at: count)
    guard count >= 0, count <= Float(scores.count) else {
      throw TensorIOError(
        .inferenceFailed,
        "The model reported \(count) objects, but its outputs hold \(scores.count).")
    }
    return try (0..<Int(count)).map { index in
      let corners = boxes[(index * 4)..<(index * 4 + 4)].map(Double.init)
      guard let classIndex = Int(exactly: classes[index].rounded()), classIndex >= 0 else {
        throw TensorIOError(
          .inferenceFailed,
          "The model reported an object of the class \(classes[index]), which isn't a class.")
      }
      return Detection(
        classIndex: classIndex,
        label: labels.indices.contains(classIndex) ? labels[classIndex] : "\(classIndex)",
        score: scores[index],
        box: Box(
          x: corners[1], y: corners[0], width: corners[3] - corners[1],
          height: corners[2] - corners[0]))
    }
  }
}

extension ModelSignature {
  /// Whether the outputs are the boxes, classes, scores and count of a detection model.
  package var findsObjects: Bool {
    let decoders = outputs.compactMap(\.coding?.type)
    if decoders.isEmpty { return DetectionLayout(outputs, labels: []) != nil }
    return decoders.contains { ["tflite-postprocess", "ssd", "blazeface", "yolo"].contains($0) }
  }
}

extension TensorSpec {
  var isNumbers: Bool {
    switch kind {
    case .scalar, .vector(_, labels: nil): dataType != .string
    case .vector, .imageInput, .imageOutput, .classMap, .bytes: false
    }
  }
}
