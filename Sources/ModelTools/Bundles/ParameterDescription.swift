// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import TensorIOLiteRT

/// What the parameters of Silicon Labs' MLTK say about a model with one input and one output.
struct ParameterDescription {
  /// The names of the output's classes.
  private(set) var labels: [String]?
  /// The keys of the input, a recording.
  private(set) var sound: BundleDraft.Members?
  /// How pixel values become the input's numbers.
  private(set) var normalization: TensorMetadata.Normalization?
  /// Whether each image, or each recording, is normalized by its own mean and deviation.
  let isStandardized: Bool
  /// The model's name and version.
  private(set) var about = ModelMetadata.empty
  /// One sentence for what is taken from the parameters, and for what can't be.
  private(set) var checks: [String] = []

  private static let source = "the model's own parameters (SL_PARAMSv1)"

  init(_ parameters: ModelParameters, _ signature: SignatureDescription) {
    isStandardized = ["mean_and_std", "mean", "std"].contains {
      parameters.flag("samplewise_norm.\($0)")
    }
    about.name = parameters.text("name")
    about.version = parameters.number("version").flatMap { Int(exactly: $0) }.map { "\($0)" }
    if let problem = parameters.problem { checks.append(problem) }
    guard signature.inputs.count == 1, signature.outputs.count == 1 else { return }
    var taken: [String] = []
    addLabels(parameters, signature, &taken)
    if parameters.number("fe.sample_rate_hz") != nil {
      addSound(parameters, signature.inputs[0], &taken)
    } else {
      addNormalization(parameters, signature.inputs[0], &taken)
    }
    if !taken.isEmpty {
      checks.insert("\(Self.source) give \(taken.joined(separator: ", and "))", at: 0)
    }
  }

  private mutating func addLabels(
    _ parameters: ModelParameters, _ signature: SignatureDescription, _ taken: inout [String]
  ) {
    let names = parameters.texts("classes").map(\.inOneLine)
    // The output of an autoencoder has the shape of its input.
    guard let values = signature.outputs[0].shape.map(abs).elementCount, !names.isEmpty,
      signature.outputs[0].shape != signature.inputs[0].shape
    else { return }
    if names.count == values {
      labels = names
      taken.append(counted(values, "class name"))
    } else {
      checks.append(
        "\(Self.source) name \(counted(names.count, "class", "classes")), but the output has "
          + "\(counted(values, "value", "values")); the names aren't used")
    }
  }

  /// Takes the factor of an image's pixel values, where 0 means that they stay 0...255.
  ///
  /// That doesn't say how they become integers, so such a model gets what others get.
  private mutating func addNormalization(
    _ parameters: ModelParameters, _ input: TensorDescription, _ taken: inout [String]
  ) {
    guard LayerDrafter.hasImageShape(input) || LayerDrafter.hasGrayShape(input, nil),
      !isStandardized, let factor = parameters.number("samplewise_norm.rescale")
    else { return }
    if factor != 0 {
      normalization = TensorMetadata.Normalization(mean: 0, std: Self.divisor(factor))
      taken.append("a factor for pixel values")
    } else if input.dataType == .float32 {
      normalization = ImageForm.pixelValues
      taken.append("pixel values without a factor")
    }
  }

  /// Returns a whole number for a factor such as 1/255.
  private static func divisor(_ factor: Double) -> Float {
    let divisor = 1 / factor
    return Float((divisor - divisor.rounded()).magnitude < 1e-3 ? divisor.rounded() : divisor)
  }

  // MARK: - Sounds

  /// The keys of `micro-speech`, and their names in the parameters: the later, then the earlier.
  private static let settings = [
    ("window_size", "window_size_ms", "window_size_ms"),
    ("window_step", "window_step_ms", "window_step_ms"),
    ("num_channels", "filterbank_n_channels", "n_channels"),
    ("upper_band_limit", "filterbank_upper_band_limit", "upper_band_limit"),
    ("lower_band_limit", "filterbank_lower_band_limit", "lower_band_limit"),
    ("smoothing_bits", "noise_reduction_smoothing_bits", "smoothing_bits"),
    ("even_smoothing", "noise_reduction_even_smoothing", "even_smoothing"),
    ("odd_smoothing", "noise_reduction_odd_smoothing", "odd_smoothing"),
    ("min_signal_remaining", "noise_reduction_min_signal_remaining", "min_signal_remaining"),
    ("enable_pcan", "pcan_enable", "enable_pcan"), ("pcan_strength", "pcan_strength", ""),
    ("pcan_offset", "pcan_offset", ""), ("gain_bits", "pcan_gain_bits", "gain_bits"),
    ("enable_log", "log_scale_enable", "enable_log"),
    ("scale_shift", "log_scale_shift", "scale_shift"),
  ]

  private mutating func addSound(
    _ parameters: ModelParameters, _ input: TensorDescription, _ taken: inout [String]
  ) {
    func number(_ name: String, _ earlier: String) -> Double? {
      parameters.number("fe.\(name)") ?? parameters.number("fe.\(earlier)")
    }
    func count(_ name: String, _ earlier: String = "") -> Int? {
      number(name, earlier).flatMap { Int(exactly: $0) }.flatMap {
        (1...1_000_000).contains($0) ? $0 : nil
      }
    }
    var differences: [String] = []
    if parameters.flag("fe.dc_notch_filter_enable") {
      differences.append("a filter against a constant offset (dc_notch_filter)")
    }
    if parameters.flag("fe.quantize_dynamic_scale_enable") {
      differences.append("values relative to the loudest one (quantize_dynamic_scale)")
    }
    if parameters.number("samplewise_norm.rescale") ?? 0 != 0 || isStandardized {
      differences.append("a normalization of each recording (samplewise_norm)")
    }
    guard differences.isEmpty else {
      checks.append(
        "\(Self.source) describe a front end with \(differences.joined(separator: " and ")), "
          + "which an audio input can't have; the input is drafted as an array of its results")
      return
    }
    guard let rate = count("sample_rate_hz"), let length = count("sample_length_ms"),
      let window = count("window_size_ms"), let step = count("window_step_ms"),
      let channels = count("filterbank_n_channels", "n_channels"),
      case let samples = rate * length / 1000, case let hop = rate * step / 1000,
      case let width = rate * window / 1000, hop > 0, samples >= width,
      ((samples - width) / hop + 1) * channels == input.shape.map(abs).elementCount,
      input.dataType == .int8, input.quantization?.scales == [1],
      input.quantization?.zeroPoints == [0]
    else {
      checks.append(
        "\(Self.source) describe a front end whose results don't fit the input "
          + "\(input.shape) of \(input.typeName); it is drafted as an array")
      return
    }
    var features: BundleDraft.Members = [("type", .string("micro-speech"))]
    let reduces = number("noise_reduction_enable", "enable_noise_reduction") ?? 1 != 0
    for (key, name, earlier) in Self.settings {
      guard let value = number(name, earlier) else { continue }
      // Without the reduction, all of the signal remains.
      let isWhole = key == "min_signal_remaining" && !reduces
      features.append((key, isWhole ? .integer(1) : Self.json(value, isFlag: key.hasPrefix("ena"))))
    }
    features += [("out_scale", .integer(1)), ("out_type", .string("float"))]
    // The front end's int8 values are (256 · v + 333) / 666 - 128, rounded down.
    sound = [
      ("sample_rate", .integer(rate)), ("samples", .integer(samples)),
      ("features", .object(features)), ("scale", .double(256.0 / 666)), ("bias", .integer(-128)),
    ]
    taken.append("the settings of the micro front end for recordings")
    checks.append(
      "features: MLTK's own front end rounds its Fourier transform in another way, so the values of "
        + "bands that are almost silent can differ from those that the model was trained with")
  }

  private static func json(_ value: Double, isFlag: Bool) -> OrderedJSON {
    if isFlag { return .bool(value != 0) }
    if let integer = Int(exactly: value) { return .integer(integer) }
    return .float(Float(value))
  }
}
