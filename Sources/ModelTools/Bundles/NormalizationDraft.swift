// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import TensorIOLiteRT

/// A draft of an image's `normalize` field, from the mean and deviation in a model's metadata.
struct NormalizationDraft {
  /// The field; nil if none is needed.
  private(set) var json: OrderedJSON?
  /// What the user should check; nil if the model states everything.
  private(set) var check: String?

  /// Makes a draft for an image.
  ///
  /// - Parameters:
  ///   - stored: The mean and deviation, if the model states them.
  ///   - tensor: The input.
  ///   - channels: The number of channels; nil means the tensor's last axis.
  ///   - isStandardized: Whether each image is normalized by its own mean and deviation.
  ///   - name: The name of the layer.
  init(
    _ stored: TensorMetadata.Normalization?, for tensor: TensorDescription, channels: Int? = nil,
    isStandardized: Bool = false, name: String
  ) {
    let passed =
      tensor.dataType == .int8
      ? "each byte minus 128 is passed" : "pixel values 0...255 are passed"
    guard let stored else {
      guard !isStandardized else {
        check =
          "normalize of '\(name)': the model was trained with images that are normalized by their "
          + "own mean and deviation, which a model.json can't describe; \(passed)"
        return
      }
      // A uint8 model takes the bytes of an image as they are.
      if tensor.dataType != .uint8 {
        check = "normalize of '\(name)': the model doesn't specify it; \(passed)"
      }
      return
    }
    let count = channels ?? tensor.shape.last ?? 3
    guard let mean = Self.channels(stored.mean, count), let std = Self.channels(stored.std, count),
      (mean + std).allSatisfy(\.isFinite), std.allSatisfy({ $0 != 0 && (1 / $0).isFinite })
    else {
      check = "normalize of '\(name)': the metadata's mean and deviation are invalid; \(passed)"
      return
    }
    if tensor.dataType == .uint8 || (tensor.dataType == .int8 && tensor.quantization == nil) {
      let bytes = tensor.dataType == .int8 ? -128...127 : 0...255
      guard let quantization = tensor.quantization,
        !Self.keepsBytes(mean, std, quantization, first: bytes.lowerBound)
      else { return }
      check =
        "normalize of '\(name)': the metadata's normalization changes the bytes, which a "
        + "model.json can't describe for \(tensor.typeName); \(passed)"
      return
    }
    json = Self.json(mean: mean, std: std, isFloat: tensor.dataType == .float32)
  }

  /// Returns one number for each channel.
  private static func channels(_ values: [Float], _ count: Int) -> [Float]? {
    switch values.count {
    case count: values
    case 1: [Float](repeating: values[0], count: count)
    default: nil
    }
  }

  /// Whether normalizing and then quantizing a byte returns the same byte, up to rounding.
  private static func keepsBytes(
    _ mean: [Float], _ std: [Float], _ quantization: StoredQuantization, first: Int
  ) -> Bool {
    guard quantization.scales.count == 1 else { return false }
    let scale = quantization.scales[0]
    let zeroPoint = Float(quantization.zeroPoints[0])
    return mean.indices.allSatisfy { channel in
      [Float(0), 255].allSatisfy { byte in
        let quantized = (byte - mean[channel]) / std[channel] / scale + zeroPoint
        return (quantized - (byte + Float(first))).magnitude <= 1.5
      }
    }
  }

  private static func json(mean: [Float], std: [Float], isFloat: Bool) -> OrderedJSON? {
    func isAll(_ mean: [Float], _ value: Float) -> Bool { mean.allSatisfy { $0 == value } }
    // Without the field, a float model gets the values 0...255.
    if isFloat, isAll(mean, 0), isAll(std, 1) { return nil }
    if isAll(mean, 0), isAll(std, 255) { return .object([("standard", .string("[0,1]"))]) }
    if isAll(mean, 127.5), isAll(std, 127.5) {
      return .object([("standard", .string("[-1,1]"))])
    }
    let scale = isAll(std, std[0]) ? .float(1 / std[0]) : colors(std.map { 1 / $0 })
    return .object([("scale", scale), ("bias", colors(zip(mean, std).map { (0 - $0) / $1 }))])
  }

  /// Returns a number for each colour, or a single number for a gray image.
  private static func colors(_ values: [Float]) -> OrderedJSON {
    if values.count == 1 { return .float(values[0]) }
    return .object(zip(["r", "g", "b"], values).map { ($0, .float($1)) })
  }
}
