// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The keys of an `audio` input, and which values they take.
///
/// Keys of features have the names of the parameters in the Python library.
enum AudioKeys {
  /// The keys of a layer of the type `audio` that other layers don't have.
  static let ofLayers =
    "sample_rate! samples preparation features frames stacking step scale bias"

  /// The keys of `features` for each of its types, separated by blanks; an exclamation mark follows
  /// a required key.
  static let ofFeatures: [(type: String, keys: String)] = [
    (
      "tensorflow",
      "frame_length! frame_step! fft_length pad_end power num_mel_bins lower_edge_hertz "
        + "upper_edge_hertz log offset multiplier coefficients"
    ),
    (
      "librosa",
      "n_fft hop_length win_length center pad_mode power n_mels fmin fmax htk norm "
        + "log offset multiplier ref amin top_db n_mfcc lifter"
    ),
    (
      "speech-commands",
      "window_size! stride! magnitude_squared dct_coefficient_count filterbank_channel_count "
        + "lower_frequency_limit upper_frequency_limit"
    ),
    (
      "micro-speech",
      "window_size window_step num_channels upper_band_limit lower_band_limit smoothing_bits "
        + "even_smoothing odd_smoothing min_signal_remaining enable_pcan pcan_strength pcan_offset "
        + "gain_bits enable_log scale_shift left_context right_context frame_stride zero_padding "
        + "out_scale out_type"
    ),
  ]

  static func form(of key: String) -> KeyForm {
    switch key {
    case "preparation": .word(["none", "divide-by-maximum"])
    case "pad_mode": .word(["constant", "reflect"])
    case "norm": .word(["slaney", "none"])
    case "log": .word(["natural", "decimal", "decibels"])
    case "out_type": .word(["uint16", "float"])
    case "pad_end", "center", "htk", "magnitude_squared", "enable_pcan", "enable_log",
      "zero_padding":
      .flag
    case "frames": .counts(2)
    case "sample_rate", "samples", "stacking", "step": .count(from: 1)
    case "ref": .numberOr("max")
    case "power", "lower_edge_hertz", "upper_edge_hertz", "offset", "multiplier", "fmin", "fmax",
      "amin", "top_db", "lifter", "lower_frequency_limit", "upper_frequency_limit",
      "upper_band_limit", "lower_band_limit", "even_smoothing", "odd_smoothing",
      "min_signal_remaining", "pcan_strength", "pcan_offset", "scale", "bias":
      .number
    default: .count(from: 0)
    }
  }
}
