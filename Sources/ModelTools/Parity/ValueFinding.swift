// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// How the other side stores numbers, once the image is explained: the normalization and the
/// storage.
struct ValueFinding {
  /// The hypothesis that fits the reference; nil if none fits.
  let hypothesis: ValueHypothesis?
  /// What the bundle's own layer does.
  let own: ValueHypothesis
  private let layer: ImageLayer
  /// The scale and bias that fit best, by colour.
  let fitted: PixelNormalization

  /// Compares the reference with every known hypothesis, on the image that explains it.
  init(
    _ explanation: Explanation, planes: [[Float]], layer: ImageLayer, reference: ReferenceTensor
  ) {
    self.layer = layer
    own = layer.ownHypothesis
    fitted = Self.fit(explanation.recipe.order, planes, reference, layer)
    let step = max(1, planes[0].count / 50_000) | 1
    let candidates = Self.candidates(layer, reference, planes)
    let errors = candidates.map {
      $0.error(planes, explanation.recipe.order, reference, step: step)
    }
    let least = errors.min() ?? .infinity
    // Take the first of the candidates that fit about equally well. The bundle's own comes first.
    let index = errors.firstIndex { $0 <= least * 1.25 + 0.003 } ?? 0
    hypothesis = errors[index] <= 0.005 + 2 * explanation.excess ? candidates[index] : nil
  }

  private static func candidates(
    _ layer: ImageLayer, _ reference: ReferenceTensor, _ planes: [[Float]]
  ) -> [ValueHypothesis] {
    let own = layer.ownHypothesis
    var known = [own.normalization] + KnownNormalization.all + [.standardization(of: planes)]
    if layer.shape.format == .gray {
      // A gray layer has a single scale and a single bias, so numbers for each colour don't apply
      // to it.
      known = known.filter { $0.values.scale.common != nil && $0.values.bias.common != nil }
    }
    if reference.tensor.dataType.isFloat {
      return known.map { ValueHypothesis(normalization: $0, storage: .floats, rounding: .none) }
    }
    var all: [ValueHypothesis] = own.storage == .floats ? [] : [own]
    for storage in [NumberStorage.bytes, .bytesLess128] {
      all.append(ValueHypothesis(normalization: .none, storage: storage, rounding: .nearest))
    }
    if let storage = layer.storedScale {
      for rounding in [Rounding.nearest, .truncation] {
        all += known.map {
          ValueHypothesis(normalization: $0, storage: storage, rounding: rounding)
        }
      }
    }
    return all
  }

  private static func fit(
    _ order: ChannelOrder, _ planes: [[Float]], _ reference: ReferenceTensor, _ layer: ImageLayer
  ) -> PixelNormalization {
    var scales = [Float](repeating: 0, count: 3)
    var biases = scales
    for (channel, theirs) in reference.channels.enumerated() {
      let fit = ChannelFit(planes[order.plane(channel)], theirs)
      let color = order.isGray ? channel : order.plane(channel)
      scales[color] = Float(fit.scale ?? layer.assumedScale)
      biases[color] = Float(fit.bias)
    }
    if reference.channels.count == 1 {
      return PixelNormalization(scale: scales[0], bias: ColorValues(all: biases[0]))
    }
    return PixelNormalization(
      scale: ColorValues(red: scales[0], green: scales[1], blue: scales[2]),
      bias: ColorValues(red: biases[0], green: biases[1], blue: biases[2]))
  }
}

// MARK: - Findings

extension ValueFinding {
  var normalizationFinding: StageFinding {
    let isGray = layer.shape.format == .gray
    let insteadOf = own.normalization.label
    guard let hypothesis else {
      return StageFinding(
        stage: .normalization, looksLike: fitted.rounded.formula, insteadOf: insteadOf,
        suggestion:
          "These numbers match no known normalization. Write "
          + KnownNormalization.json(fitted.rounded, isGray: isGray)
          + " in model.json, or change the Python code.")
    }
    guard hypothesis.normalization.values != own.normalization.values else {
      return StageFinding(stage: .normalization)
    }
    return StageFinding(
      stage: .normalization, looksLike: hypothesis.normalization.label,
      insteadOf: insteadOf,
      suggestion: layer.roundsPixels
        ? "The model takes bytes. Remove the normalization from the Python code."
        : hypothesis.normalization.suggestion(isGray: isGray))
  }

  /// Returns the finding for the storage.
  ///
  /// The rounding is how the other side rounds the fractions of the resize; nil if both sides do
  /// the same.
  func quantizationFinding(_ theirs: DataType, rounding: Rounding?) -> StageFinding {
    let ours = layer.spec.dataType
    let storage = hypothesis?.storage ?? (theirs.isFloat ? .floats : own.storage)
    if ours.isFloat != theirs.isFloat || (storage != own.storage && storage != .floats) {
      return StageFinding(
        stage: .quantization, looksLike: "\(theirs) (\(storage.label))",
        insteadOf: "\(ours) (\(own.storage.label))",
        suggestion: Self.suggestion(ours, theirs, own.storage))
    }
    if let hypothesis, hypothesis.rounding == .truncation, own.rounding != .truncation {
      return StageFinding(
        stage: .quantization, looksLike: "truncation",
        insteadOf: "rounding to the nearest",
        suggestion: "Round in the Python code before astype: numpy.rint(x / scale + zero_point).")
    }
    if let rounding {
      return StageFinding(
        stage: .quantization, looksLike: rounding.rawValue,
        insteadOf: layer.roundsPixels ? Rounding.nearest.rawValue : Rounding.none.rawValue,
        suggestion: rounding == .truncation
          ? "Round in the Python code before astype: numpy.rint(x)."
          : "Don't convert the resized image to bytes in the Python code.")
    }
    return StageFinding(stage: .quantization)
  }

  private static func suggestion(
    _ ours: DataType, _ theirs: DataType, _ storage: NumberStorage
  ) -> String {
    switch storage {
    case .floats: return "Pass \(ours) to set_tensor in the Python code: x.astype(numpy.\(ours))."
    case .bytes: return "Pass the bytes to set_tensor in the Python code, as \(ours)."
    case .bytesLess128:
      return "Pass (x.astype(numpy.int16) - 128).astype(numpy.int8) to set_tensor in the Python "
        + "code."
    case .model:
      return "Pass numpy.rint(x / scale + zero_point).astype(numpy.\(ours)) to set_tensor in the "
        + "Python code, with scale and zero_point from get_input_details()."
    }
  }
}

extension PixelNormalization {
  /// The scale and bias, rounded to six significant digits.
  fileprivate var rounded: PixelNormalization {
    func rounded(_ colors: ColorValues) -> ColorValues {
      func digits(_ value: Float) -> Float { Float(Double(value).significant) }
      return ColorValues(
        red: digits(colors.red), green: digits(colors.green), blue: digits(colors.blue))
    }
    return PixelNormalization(scale: rounded(scale), bias: rounded(bias))
  }

  /// A formula such as "v * 0.017 - 2.1", for each colour if they differ.
  fileprivate var formula: String {
    func line(_ scale: Float, _ bias: Float) -> String {
      "v * \(scale) \(bias < 0 ? "-" : "+") \(bias.magnitude)"
    }
    if let scale = scale.common, let bias = bias.common { return line(scale, bias) }
    return "red \(line(scale.red, bias.red)), green \(line(scale.green, bias.green)), "
      + "blue \(line(scale.blue, bias.blue))"
  }
}

extension ImageLayer {
  fileprivate var ownHypothesis: ValueHypothesis {
    let own =
      normalization.map { values in
        KnownNormalization.all.first { $0.values == values }
          ?? KnownNormalization("model.json's scale and bias", values)
      } ?? KnownNormalization.none
    if usesStoredQuantization, let storedScale {
      return ValueHypothesis(normalization: own, storage: storedScale, rounding: .nearest)
    }
    let bytes: NumberStorage = spec.dataType == .int8 ? .bytesLess128 : .bytes
    return ValueHypothesis(
      normalization: own, storage: spec.dataType.isFloat ? .floats : bytes, rounding: .none)
  }

  /// The scale and the zero point that the model stores for its bytes; nil if it stores none.
  fileprivate var storedScale: NumberStorage? {
    guard let stored = spec.storedQuantization, stored.scales.count == 1, spec.dataType.isByte
    else { return nil }
    return .model(
      scale: stored.scales[0], zeroPoint: Float(stored.zeroPoints[0]),
      isSigned: spec.dataType == .int8)
  }
}

extension KnownNormalization {
  /// Returns the normalization that `tf.image.per_image_standardization` applies to this image.
  fileprivate static func standardization(of planes: [[Float]]) -> KnownNormalization {
    let values = planes.joined().lazy.map(Double.init)
    let count = Double(values.count)
    let sum = values.reduce(0, +)
    let squares = values.reduce(0) { $0 + $1 * $1 }
    let mean = sum / count
    let deviation = max(0, squares / count - mean * mean).squareRoot()
    let divisor = max(deviation, 1 / count.squareRoot())
    return KnownNormalization(
      "each image's own mean and deviation (per_image_standardization)",
      PixelNormalization(scale: Float(1 / divisor), bias: ColorValues(all: Float(-mean / divisor))),
      suggestion:
        "model.json can't describe this, because the numbers differ for each image. Add it to "
        + "the model, or change the Python code.")
  }
}
