// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

public import TensorIO

/// What a model says about a picture, as metrics read it.
public struct Prediction: Sendable {
  /// All outputs, in the order of model.json.
  public var outputs: [(name: String, value: TensorValue)]
  /// The labelled values of the first output that has labels; nil without one.
  public var classification: Classification?
  /// The numbers of the first output that is neither labelled nor a picture; nil without one.
  public var values: [Float]?
  /// The class of each pixel; nil where no output is a class map.
  public var classMap: ClassMap?
  /// The objects that were found, as four outputs with boxes, classes, scores and a count say; nil
  /// where the model has no such outputs.
  public var detections: [Detection]?
  /// The upright picture's size in pixels, which turns the detections' shares into pixels; nil where
  /// it is not known.
  public var pictureSize: (width: Int, height: Int)?

  /// Makes a prediction of its parts.
  public init(
    outputs: [(name: String, value: TensorValue)] = [], classification: Classification? = nil,
    values: [Float]? = nil, classMap: ClassMap? = nil, detections: [Detection]? = nil,
    pictureSize: (width: Int, height: Int)? = nil
  ) {
    self.outputs = outputs
    self.classification = classification
    self.values = values
    self.classMap = classMap
    self.detections = detections
    self.pictureSize = pictureSize
  }
}

/// An object that a model found.
public struct Detection: Sendable, Hashable, Codable {
  /// The class's number, from 0, in the order of the model's labels.
  public var classIndex: Int
  /// The class's name; its number as text where the model has no labels.
  public var label: String
  /// How sure the model is.
  public var score: Float
  /// Where it is, in shares of the picture's sides.
  public var box: Box

  /// Makes a detection.
  public init(classIndex: Int, label: String, score: Float, box: Box) {
    self.classIndex = classIndex
    self.label = label
    self.score = score
    self.box = box
  }
}
