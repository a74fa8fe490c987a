// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

package import TensorIO
import TensorIODecoding
package import TensorIOEncoding

/// An audio input of a bundle, with what its model says about it.
package struct AudioLayer {
  /// The layer, with the model's type and quantization if there is a model.
  let spec: TensorSpec
  /// The keys of the layer in model.json, without those that only choose windows.
  let options: [String: JSONValue]
  /// Whether a recording may have more rows than the tensor, of which the first are compared.
  let hasWindows: Bool

  /// Finds the audio input of a bundle; nil if the bundle has another input of that name, or none.
  ///
  /// - Throws: `TensorIOError` if the bundle has several, or if the model can't be loaded.
  package init?(of bundle: ModelBundle, named name: String?, backends: [any Backend]) throws {
    let inputs = try ModelLoader(backends: backends).makeModel(from: bundle).loadSignature().inputs
    let layers = inputs.filter { $0.isAudio && (name == nil || $0.name == name) }
    guard let spec = layers.first, let coding = spec.coding,
      name != nil || !inputs.contains(where: \.isImage)
    else { return nil }
    guard layers.count == 1 else {
      throw TensorIOError(
        .missingInput,
        "'\(bundle.path)' has \(layers.count) audio inputs. Pass --input with one of "
          + layers.map { "'\($0.name)'" }.joined(separator: ", ") + ".")
    }
    self.spec = spec
    var options = coding.options
    hasWindows = options.removeValue(forKey: "step") != nil
    self.options = options
  }

  /// Returns the tensor that the model gets for a recording, or for its first window.
  package func tensor(of clip: AudioClip) throws -> Tensor {
    var bytes = [UInt8](repeating: 0, count: spec.byteCount)
    var span = bytes.mutableSpan
    var memory = span.mutableBytes
    try clip.windows(for: spec)[0].encode(into: &memory, as: spec)
    return try Tensor(copying: bytes.span.bytes, dataType: spec.dataType, shape: spec.itemShape)
  }

  /// The default tolerance: 0 for whole numbers, and otherwise a part of the range of the values.
  func defaultTolerance(_ ours: [Float]) -> Double {
    guard spec.dataType.isFloat, let least = ours.min(), let greatest = ours.max() else { return 0 }
    let range = Double(greatest - least)
    return (range * (spec.dataType == .float16 ? 1e-3 : 1e-4)).significant
  }

  /// Returns the members of the JSON report that describe the bundle's own tensor of a recording.
  package func json(recording: String, _ bundle: String, written: String?) -> [String: JSONValue] {
    [
      "bundle": .string(bundle), "recording": .string(recording), "input": .string(spec.name),
      "ours": .tensor(spec.dataType, spec.itemShape), "written": .stringOrNull(written),
    ]
  }

  /// How the numbers of the tensor come from features: `number = feature / step + zero`.
  var quantization: (step: Double, zero: Double)? {
    guard !spec.dataType.isFloat else { return nil }
    switch spec.quantization {
    case .linear(let scale, let bias):
      // Numbers are truncated, so they are half a step too small on average.
      return (1 / Double(scale), Double(bias) * Double(scale) - 0.5)
    case .model:
      guard let stored = spec.storedQuantization, stored.scales.count == 1 else { return nil }
      return (Double(stored.scales[0]), Double(stored.zeroPoints[0]))
    case nil: return (1, 0)
    }
  }
}

/// The features that Python made.
package struct AudioReference {
  let tensor: Tensor
  let path: String
  /// The elements, as features: without the quantization of the layer.
  let values: [Float]
  /// The lengths of the axes, without those of 1.
  let axes: [Int]
  /// The standard deviation of the values.
  let deviation: Double
  /// The error that rounding to whole numbers may leave, as a part of the deviation.
  let roundingError: Double

  package init(_ path: String, for layer: AudioLayer) throws {
    self.path = path
    tensor = try NumPyFile(path).tensor
    var values = try tensor.floats()
    let bad = values.count { !$0.isFinite }
    guard bad == 0, !values.isEmpty else {
      throw TensorIOError(
        .unrepresentableValue,
        "'\(path)' has \(bad) values out of \(values.count) that aren't finite. Look for the "
          + "logarithm of 0 or a division by zero in the Python code.")
    }
    axes = tensor.shape.filter { $0 != 1 }
    var noise = 0.0
    if !tensor.dataType.isFloat {
      let (step, zero) = layer.quantization ?? (1, 0)
      values = values.map { Float((Double($0) - zero) * step) }
      noise = step.magnitude * (1.0 / 12).squareRoot()
    }
    self.values = values
    let mean = values.reduce(0) { $0 + Double($1) } / Double(values.count)
    let squares = values.reduce(0) { $0 + (Double($1) - mean) * (Double($1) - mean) }
    deviation = max((squares / Double(values.count)).squareRoot(), 1e-30)
    roundingError = 1.3 * noise / deviation
  }
}
