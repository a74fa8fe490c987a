// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

public import TensorIO

/// A model's prediction for an image, in the form that metrics need.
public struct Prediction: Sendable {
  /// All outputs, in the order of model.json.
  public var outputs: [(name: String, value: TensorValue)] = []
  /// The labelled values of the first output that has labels, or nil if there is none.
  public var classification: Classification?
  /// The values of the first output that has only numbers without labels, or nil if there is none.
  public var values: [Float]?
  /// The class of each pixel, or nil if no output is a class map.
  public var classMap: ClassMap?
  /// The detected objects, or nil if the model has no outputs for boxes, classes, scores and count.
  public var detections: [Detection]?
  /// The size of the upright image in pixels, or nil if it isn't known.
  ///
  /// It converts the detections' fractions to pixels.
  public var imageSize: (width: Int, height: Int)?
}

/// An object that a model detected.
public struct Detection: Sendable, Hashable, Codable {
  /// The index of the class in the model's labels, from 0.
  public var classIndex: Int
  /// The name of the class, or its index as text if the model has no labels.
  public var label: String
  /// The model's confidence.
  public var score: Float
  /// The object's box, in fractions of the image's sides.
  public var box: Box
}

struct PredictionReader: Sendable {
  private let classification: Int?
  private let values: Int?
  private let classMap: Int?
  private let detection: DetectionLayout?

  init(_ outputs: [TensorSpec], labels: [String]) {
    detection = DetectionLayout(outputs, labels: labels)
    classification = outputs.firstIndex {
      if case .vector(_, .some) = $0.kind { true } else { false }
    }
    classMap = outputs.firstIndex { if case .classMap = $0.kind { true } else { false } }
    values = detection == nil ? outputs.firstIndex { $0.isNumbers } : nil
  }

  func prediction(_ outputs: ModelOutputs) throws -> Prediction {
    var prediction = Prediction()
    prediction.outputs = try outputs.names.enumerated().map { index, name in
      (name, try outputs.value(at: index))
    }
    prediction.classification = try classification.map { index in
      if case .labels(let labels) = prediction.outputs[index].value { return labels }
      return try outputs.value(at: index)
    }
    prediction.values = try values.map { index in
      let values: [Float] = try outputs.value(at: index)
      return values
    }
    if let classMap, case .classMap(let map) = prediction.outputs[classMap].value {
      prediction.classMap = map
    }
    prediction.detections = try detection?.detections(outputs)
    return prediction
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
  package var findsObjects: Bool { DetectionLayout(outputs, labels: []) != nil }
}

extension TensorSpec {
  var isNumbers: Bool {
    switch kind {
    case .scalar, .vector(_, labels: nil): dataType != .string
    case .vector, .imageInput, .imageOutput, .classMap, .bytes: false
    }
  }
}

/// A rectangle, in pixels of the upright image or in fractions of its sides.
public struct Box: Sendable, Hashable, Codable {
  /// The left edge.
  public var x: Double
  /// The upper edge.
  public var y: Double
  /// The distance from the left edge to the right edge.
  public var width: Double
  /// The distance from the upper edge to the lower edge.
  public var height: Double

  /// Creates a rectangle.
  public init(x: Double, y: Double, width: Double, height: Double) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }
}

extension Box {
  /// Converts a box in a model's input to fractions of the whole upright image.
  ///
  /// The input can be cropped from the image or padded. Coordinates are outside 0 to 1 if the box
  /// reaches into padding. If the input isn't an image, the box is returned unchanged.
  package func inWholeImage(
    of size: (width: Int, height: Int), _ input: TensorSpec
  ) throws -> Box {
    guard case .imageInput(let shape, _) = input.kind else { return self }
    let placement = try ImageTransform.ofInput(input).transform
      .placement(ofWidth: size.width, height: size.height)
    func whole(
      _ start: Double, _ length: Double, target: Int, offset: Int, placed: Int, crop: Int,
      part: Int, of all: Int
    ) -> (start: Double, length: Double) {
      let scale = Double(target) / Double(placed) * Double(part) / Double(all)
      let shift = Double(crop) - Double(offset) / Double(placed) * Double(part)
      return (start * scale + shift / Double(all), length * scale)
    }
    let crop = placement.crop
    let (x, width) = whole(
      self.x, self.width, target: shape.width, offset: placement.x, placed: placement.width,
      crop: crop.x, part: crop.width, of: size.width)
    let (y, height) = whole(
      self.y, self.height, target: shape.height, offset: placement.y, placed: placement.height,
      crop: crop.y, part: crop.height, of: size.height)
    return Box(x: x, y: y, width: width, height: height)
  }
}
