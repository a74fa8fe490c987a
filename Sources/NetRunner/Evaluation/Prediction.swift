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
  public var pictureSize: (width: Int, height: Int)?
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
