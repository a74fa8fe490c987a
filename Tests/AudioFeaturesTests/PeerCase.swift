// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import AudioFeatures
import Foundation

/// A front end, and how Tools/peers/audio.py computes the same features.
struct PeerCase {
  let name: String
  let frontEnd: AudioFrontEnd
  let parameters: [String: Any]

  func peer(_ samples: [Float], isDouble: Bool = false) -> [String: Any] {
    var result = parameters
    result["samples"] = AudioPeer.encoded(samples)
    result["sample_rate"] = frontEnd.sampleRate
    result["double"] = isDouble
    return result
  }

  init(
    _ name: String, _ method: AudioFrontEnd.Method, _ parameters: [String: Any], rate: Int = 16000,
    options: AudioFrontEnd.Options = AudioFrontEnd.Options()
  ) throws {
    self.name = name
    frontEnd = try AudioFrontEnd(method, sampleRate: rate, options: options)
    self.parameters = parameters
  }

  static func tensorFlow(
    _ name: String, length: Int, step: Int, fft: Int? = nil, padEnd: Bool = false,
    power: Double = 1, mel: TensorFlowFeatures.Mel? = nil, offset: Double? = nil,
    coefficients: Int? = nil
  ) throws -> PeerCase {
    var features = TensorFlowFeatures(frameLength: length, frameStep: step)
    features.fftLength = fft
    features.padEnd = padEnd
    features.power = power
    features.mel = mel
    features.log = offset.map { .natural(plus: $0) }
    features.coefficients = coefficients
    var parameters: [String: Any] = [
      "kind": "tensorflow", "frame_length": length, "frame_step": step, "pad_end": padEnd,
      "power": power,
    ]
    parameters["fft_length"] = fft
    parameters["num_mel_bins"] = mel?.bands
    parameters["lower_edge_hertz"] = mel?.lower
    parameters["upper_edge_hertz"] = mel?.upper
    parameters["offset"] = offset
    parameters["coefficients"] = coefficients
    return try PeerCase(name, .tensorFlow(features), parameters)
  }

  static func librosa(
    _ name: String, _ features: LibrosaFeatures, _ log: [String: Any] = [:]
  ) throws -> PeerCase {
    let windowLength = features.windowLength ?? features.fftLength
    var parameters: [String: Any] = [
      "kind": "librosa", "n_fft": features.fftLength, "win_length": windowLength,
      "hop_length": features.hopLength ?? windowLength / 4, "center": features.isCentred,
      "pad_mode": features.padMode.rawValue, "power": features.power,
    ]
    if let mel = features.mel {
      parameters["n_mels"] = mel.bands
      parameters["fmin"] = mel.lower
      parameters["fmax"] = mel.upper
      parameters["htk"] = mel.scale == .htk
      parameters["norm"] = mel.isNormalized ? "slaney" : NSNull()
    }
    parameters["n_mfcc"] = features.coefficients
    parameters["lifter"] = features.lifter
    parameters.merge(log) { $1 }
    return try PeerCase(name, .librosa(features), parameters)
  }

  static func librosa(
    _ name: String, _ log: [String: Any] = [:], _ change: (inout LibrosaFeatures) -> Void
  ) throws -> PeerCase {
    var features = LibrosaFeatures()
    change(&features)
    return try librosa(name, features, log)
  }

  static func speechCommands(
    _ name: String, size: Int, stride: Int, isSquared: Bool, _ mfcc: SpeechCommandsFeatures.Mfcc?
  ) throws -> PeerCase {
    var features = SpeechCommandsFeatures(windowSize: size, stride: stride)
    features.magnitudeSquared = isSquared
    features.mfcc = mfcc
    var parameters: [String: Any] = [
      "kind": "speech_commands", "window_size": size, "stride": stride,
      "magnitude_squared": isSquared,
    ]
    parameters["upper_frequency_limit"] = mfcc?.upper
    parameters["lower_frequency_limit"] = mfcc?.lower
    parameters["filterbank_channel_count"] = mfcc?.channels
    parameters["dct_coefficient_count"] = mfcc?.coefficients
    return try PeerCase(name, .speechCommands(features), parameters)
  }

  static func microSpeech(
    _ name: String, rate: Int = 16000, _ change: (inout MicroSpeechFeatures) -> Void = { _ in }
  ) throws -> PeerCase {
    var features = MicroSpeechFeatures()
    change(&features)
    let options: [String: Any] = [
      "window_size": features.windowSize, "window_step": features.windowStep,
      "num_channels": features.channels, "upper_band_limit": features.upperBandLimit,
      "lower_band_limit": features.lowerBandLimit, "smoothing_bits": features.smoothingBits,
      "even_smoothing": features.evenSmoothing, "odd_smoothing": features.oddSmoothing,
      "min_signal_remaining": features.minSignalRemaining, "enable_pcan": features.enablePCAN,
      "pcan_strength": features.pcanStrength, "pcan_offset": features.pcanOffset,
      "gain_bits": features.gainBits, "enable_log": features.enableLog,
      "scale_shift": features.scaleShift, "left_context": features.leftContext,
      "right_context": features.rightContext, "frame_stride": features.frameStride,
      "zero_padding": features.zeroPadding, "out_scale": features.outScale,
      "out_type": features.outType == .float ? "float32" : "uint16",
    ]
    return try PeerCase(
      name, .microSpeech(features), ["kind": "micro_speech", "options": options], rate: rate)
  }
}
