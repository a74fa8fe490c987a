// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import AudioFeatures
import TensorIO

extension AudioEncoder {
  /// Returns the method that `features` describes, or the samples themselves without it.
  static func method(_ coding: LayerCoding) throws(AudioError) -> AudioFrontEnd.Method {
    guard case .object(let members)? = coding["features"], case .string(let type)? = members["type"]
    else { return .samples }
    let keys = coding.features(type, members)
    switch type {
    case "tensorflow": return .tensorFlow(try tensorFlow(keys))
    case "librosa": return .librosa(try librosa(keys))
    case "speech-commands": return .speechCommands(try speechCommands(keys))
    default: return .microSpeech(microSpeech(keys))
    }
  }

  private static func tensorFlow(_ keys: LayerCoding) throws(AudioError) -> TensorFlowFeatures {
    var features = TensorFlowFeatures(
      frameLength: keys.count("frame_length") ?? 0, frameStep: keys.count("frame_step") ?? 0)
    features.fftLength = keys.count("fft_length")
    features.padEnd = keys.flag("pad_end") ?? features.padEnd
    features.power = keys.number("power") ?? features.power
    try check(keys, ["lower_edge_hertz", "upper_edge_hertz", "coefficients"], of: "num_mel_bins")
    try check(keys, ["coefficients"], of: "log")
    if let bands = keys.count("num_mel_bins") {
      let usual = TensorFlowFeatures.Mel()
      features.mel = .init(
        bands: bands, lower: keys.number("lower_edge_hertz") ?? usual.lower,
        upper: keys.number("upper_edge_hertz") ?? usual.upper)
    }
    features.log = try log(keys)
    features.coefficients = keys.count("coefficients")
    return features
  }

  private static func librosa(_ keys: LayerCoding) throws(AudioError) -> LibrosaFeatures {
    var features = LibrosaFeatures()
    features.fftLength = keys.count("n_fft") ?? features.fftLength
    features.hopLength = keys.count("hop_length")
    features.windowLength = keys.count("win_length")
    features.isCentred = keys.flag("center") ?? features.isCentred
    features.padMode = keys.text("pad_mode").flatMap { .init(rawValue: $0) } ?? features.padMode
    features.power = keys.number("power") ?? features.power
    features.coefficients = keys.count("n_mfcc")
    // `librosa.feature.mfcc` has these defaults.
    let bands = keys.count("n_mels") ?? (features.coefficients == nil ? nil : 128)
    if bands == nil { try check(keys, ["fmin", "fmax", "htk", "norm"], of: "n_mels") }
    try check(keys, ["lifter"], of: "n_mfcc")
    if let bands {
      features.mel = .init(
        bands: bands, lower: keys.number("fmin") ?? 0, upper: keys.number("fmax"),
        scale: keys.flag("htk") == true ? .htk : .slaney,
        isNormalized: keys.text("norm") != "none")
    }
    features.log = try log(keys) ?? (features.coefficients == nil ? nil : .decibels())
    features.lifter = keys.number("lifter") ?? features.lifter
    return features
  }

  private static func speechCommands(
    _ keys: LayerCoding
  ) throws(AudioError) -> SpeechCommandsFeatures {
    var features = SpeechCommandsFeatures(
      windowSize: keys.count("window_size") ?? 0, stride: keys.count("stride") ?? 0)
    features.magnitudeSquared = keys.flag("magnitude_squared") ?? features.magnitudeSquared
    try check(
      keys, ["filterbank_channel_count", "lower_frequency_limit", "upper_frequency_limit"],
      of: "dct_coefficient_count")
    if let coefficients = keys.count("dct_coefficient_count") {
      let usual = SpeechCommandsFeatures.Mfcc()
      features.mfcc = .init(
        upper: keys.number("upper_frequency_limit") ?? usual.upper,
        lower: keys.number("lower_frequency_limit") ?? usual.lower,
        channels: keys.count("filterbank_channel_count") ?? usual.channels,
        coefficients: coefficients)
    }
    return features
  }

  private static func microSpeech(_ keys: LayerCoding) -> MicroSpeechFeatures {
    var features = MicroSpeechFeatures()
    features.windowSize = keys.count("window_size") ?? features.windowSize
    features.windowStep = keys.count("window_step") ?? features.windowStep
    features.channels = keys.count("num_channels") ?? features.channels
    features.upperBandLimit = keys.float("upper_band_limit") ?? features.upperBandLimit
    features.lowerBandLimit = keys.float("lower_band_limit") ?? features.lowerBandLimit
    features.smoothingBits = keys.count("smoothing_bits") ?? features.smoothingBits
    features.evenSmoothing = keys.float("even_smoothing") ?? features.evenSmoothing
    features.oddSmoothing = keys.float("odd_smoothing") ?? features.oddSmoothing
    features.minSignalRemaining =
      keys.float("min_signal_remaining") ?? features.minSignalRemaining
    features.enablePCAN = keys.flag("enable_pcan") ?? features.enablePCAN
    features.pcanStrength = keys.float("pcan_strength") ?? features.pcanStrength
    features.pcanOffset = keys.float("pcan_offset") ?? features.pcanOffset
    features.gainBits = keys.count("gain_bits") ?? features.gainBits
    features.enableLog = keys.flag("enable_log") ?? features.enableLog
    features.scaleShift = keys.count("scale_shift") ?? features.scaleShift
    features.leftContext = keys.count("left_context") ?? features.leftContext
    features.rightContext = keys.count("right_context") ?? features.rightContext
    features.frameStride = keys.count("frame_stride") ?? features.frameStride
    features.zeroPadding = keys.flag("zero_padding") ?? features.zeroPadding
    features.outScale = keys.count("out_scale") ?? features.outScale
    features.outType = keys.text("out_type").flatMap { .init(rawValue: $0) } ?? features.outType
    return features
  }

  private static func log(_ keys: LayerCoding) throws(AudioError) -> LogScale? {
    try check(keys, ["offset", "multiplier", "ref", "amin", "top_db"], of: "log")
    let offset = keys.number("offset") ?? 0
    switch keys.text("log") {
    case "natural": return .natural(plus: offset)
    case "decimal": return .decimal(plus: offset, times: keys.number("multiplier") ?? 1)
    case "decibels":
      let reference: LogScale.Reference =
        keys.text("ref") == nil ? .value(keys.number("ref") ?? 1) : .maximum
      return .decibels(
        reference: reference, minimum: keys.number("amin") ?? 1e-10,
        // A range of 0 decibels would leave one value.
        range: keys.number("top_db").map { $0 > 0 ? $0 : nil } ?? 80)
    default: return nil
    }
  }

  /// Checks that keys aren't there without the key that they belong to.
  private static func check(
    _ keys: LayerCoding, _ names: [String], of owner: String
  ) throws(AudioError) {
    guard keys[owner] == nil, let name = names.first(where: { keys[$0] != nil }) else { return }
    throw AudioError("\"\(name)\" of the features has no effect without \"\(owner)\". Add it.")
  }
}

extension LayerCoding {
  fileprivate func features(_ type: String, _ members: [String: JSONValue]) -> LayerCoding {
    LayerCoding(type: type, options: members)
  }
}
