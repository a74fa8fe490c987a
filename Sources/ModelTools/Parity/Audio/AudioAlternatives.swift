// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// The changes of a recipe that are tried.
struct AudioAlternatives {
  let recipe: AudioRecipe
  let reference: AudioReference
  /// The number of samples of the recording, and of its channels' rate.
  let sampleCount: Int
  let fileRate: Int

  /// For each type of features: the stage, the key, and the values.
  ///
  /// `25ms` is a number of samples, `r/2` half the sample rate, `n` the number of samples, `c` the
  /// number of columns of the reference, and `-` no such key.
  private static let table = """
    * sampleRate sample_rate 8000 11025 16000 22050 24000 32000 44100 48000 f
    * length samples - n 960ms 975ms 1000ms 2000ms 3000ms 5000ms 10000ms
    * amplitude preparation - divide-by-maximum
    * frames frames -
    * frames stacking 1 2 3 4 5 8 10
    tensorflow frames frame_length 10ms 16ms 20ms 25ms 30ms 32ms 40ms 50ms 64ms 128 255 256 400 480 512 640 1024 2048
    tensorflow frames frame_step 5ms 8ms 10ms 12.5ms 15ms 16ms 20ms 25ms 32ms 64 80 128 160 256 320 480 512
    tensorflow frames fft_length - 256 512 1024 2048 4096 w
    tensorflow frames pad_end false true
    tensorflow spectrum power 1 2
    tensorflow mel num_mel_bins - c 20 26 40 64 80 96 128
    tensorflow mel lower_edge_hertz 0 20 40 50 60 64 80 100 125 133 300
    tensorflow mel upper_edge_hertz 3000 3400 3800 4000 6000 7500 7600 7800 8000 r/2
    tensorflow coefficients coefficients - c
    librosa frames n_fft 25ms 32ms 64ms 256 400 512 1024 2048 4096
    librosa frames hop_length - 5ms 8ms 10ms 12.5ms 15ms 16ms 20ms 25ms 32ms 64 80 128 160 256 320 480 512
    librosa frames win_length - 16ms 20ms 25ms 30ms 32ms 40ms 50ms 64ms 128 200 256 400 480 512 640 1024
    librosa frames center true false
    librosa frames pad_mode constant reflect
    librosa spectrum power 1 2
    librosa mel n_mels - c 20 26 40 64 80 96 128
    librosa mel fmin 0 20 40 50 60 64 80 100 125 133 300
    librosa mel fmax - 3000 3400 3800 4000 6000 7500 7600 7800 8000 11025
    librosa mel htk true false
    librosa mel norm slaney none
    librosa coefficients n_mfcc - c
    librosa coefficients lifter 0 13 20 22 24 26
    speech-commands frames window_size 10ms 16ms 20ms 25ms 30ms 32ms 40ms 64ms 256 400 480 512 640
    speech-commands frames stride 5ms 8ms 10ms 15ms 16ms 20ms 25ms 30ms 32ms 128 160 256 320
    speech-commands spectrum magnitude_squared true false
    speech-commands mel filterbank_channel_count 20 26 40 64 80
    speech-commands mel lower_frequency_limit 0 20 40 50 80 125 300
    speech-commands mel upper_frequency_limit 3800 4000 7500 7600 8000 r/2
    speech-commands coefficients dct_coefficient_count - c
    micro-speech frames window_size 20 25 30 32 40
    micro-speech frames window_step 10 15 16 20 25 30
    micro-speech frames frame_stride 1 2 3
    micro-speech mel num_channels c
    micro-speech mel lower_band_limit 0 20 80 125
    micro-speech mel upper_band_limit 3800 4000 7500 8000
    micro-speech spectrum enable_pcan true false
    micro-speech logarithm enable_log true false
    micro-speech logarithm scale_shift 0 6
    """

  /// Every change of one stage.
  var all: [AudioChange] {
    var changes = fromTable + logarithms + functions
    changes += AudioTrick.allCases.map { AudioChange(stage: $0.facts.stage, trick: $0) }
    if recipe.type == "librosa" {
      let htk: [String: JSONValue?] = ["htk": .bool(true), "norm": .string("none")]
      changes.append(AudioChange(stage: .mel, patch: htk))
      let length = recipe.count("n_fft") ?? 2048
      let window = JSONValue.integer(Int64(recipe.count("win_length") ?? length))
      changes += [2, 4].map { factor in
        let longer = JSONValue.integer(Int64(length * factor))
        return AudioChange(stage: .frames, patch: ["n_fft": longer, "win_length": window])
      }
    }
    return changes + ranges
  }

  private var fromTable: [AudioChange] {
    Self.table.split(separator: "\n").flatMap { line -> [AudioChange] in
      let words = line.split(separator: " ").map(String.init)
      guard [recipe.type, "*"].contains(words[0]), let stage = Self.stages[words[1]] else {
        return []
      }
      return words.dropFirst(3).map { AudioChange(stage: stage, patch: [words[2]: value(of: $0)]) }
    }
  }

  private static let stages = Dictionary(
    uniqueKeysWithValues: AudioStage.allCases.map { ("\($0)", $0) })

  private var rate: Double { recipe.number("sample_rate") ?? Double(fileRate) }

  private func value(of word: String) -> JSONValue? {
    if word.hasSuffix("ms"), let time = Double(word.dropLast(2)) {
      return .integer(Int64(time * rate / 1000))
    }
    switch word {
    case "-": return nil
    case "true", "false": return .bool(word == "true")
    case "c": return .integer(Int64(reference.axes.last ?? 1))
    case "f": return .integer(Int64(fileRate))
    case "n": return .integer(Int64(sampleCount))
    case "r/2": return .integer(Int64(rate / 2))
    case "w": return recipe.features["frame_length"]
    default: return Int64(word).map { .integer($0) } ?? .string(word)
    }
  }

  /// The first or the last rows, if the reference has fewer.
  private var ranges: [AudioChange] {
    guard !recipe.features.isEmpty, let rows = reference.axes.first, rows > 1 else { return [] }
    return (0...3).map { first in
      let range: JSONValue = .array([.integer(Int64(first)), .integer(Int64(first + rows))])
      return AudioChange(stage: .frames, patch: ["frames": range])
    }
  }

  // MARK: - Logarithms

  private static let offsets = [
    0, 1e-12, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1,
  ]

  private var logarithms: [AudioChange] {
    guard ["tensorflow", "librosa"].contains(recipe.type) else { return [] }
    let none = ["log", "offset", "multiplier", "ref", "amin", "top_db"].reduce(
      into: [String: JSONValue?]()
    ) { $0.updateValue(nil, forKey: $1) }
    var patches = [none]
    func add(_ log: String, _ members: [String: JSONValue]) {
      var patch = none
      patch["log"] = .string(log)
      // Keys with their default values aren't written.
      for (key, value) in members where value != .number(0) && value != .number(-1) {
        patch[key] = value
      }
      patches.append(patch)
    }
    for offset in Self.offsets {
      add("natural", ["offset": .number(offset)])
      for multiplier in [-1, 10, 20.0] {
        add("decimal", ["offset": .number(offset), "multiplier": .number(multiplier)])
      }
    }
    for reference in [JSONValue.number(-1), .string("max")] {
      for least in [-1, 1e-5, 1e-6] {
        for range in [
          JSONValue.number(-1), .integer(0), .integer(40), .integer(60), .integer(100),
          .integer(120),
        ] {
          add("decibels", ["ref": reference, "amin": .number(least), "top_db": range])
        }
      }
    }
    return patches.map { AudioChange(stage: .logarithm, patch: $0) }
  }

  // MARK: - Functions

  /// Keys of the same meaning in `tensorflow`, `librosa` and `speech-commands`.
  private static let synonyms = [
    ["frame_length", "win_length", "window_size"], ["frame_step", "hop_length", "stride"],
    ["fft_length", "n_fft", ""], ["num_mel_bins", "n_mels", "filterbank_channel_count"],
    ["lower_edge_hertz", "fmin", "lower_frequency_limit"],
    ["upper_edge_hertz", "fmax", "upper_frequency_limit"],
    ["coefficients", "n_mfcc", "dct_coefficient_count"], ["power", "power", ""],
    ["log", "log", ""],
    ["offset", "offset", ""], ["multiplier", "multiplier", ""], ["ref", "ref", ""],
    ["amin", "amin", ""], ["top_db", "top_db", ""],
  ]
  private static let types = ["tensorflow", "librosa", "speech-commands"]

  /// The same parameters for the functions of other libraries.
  private var functions: [AudioChange] {
    guard let own = Self.types.firstIndex(of: recipe.type) else { return micro }
    var changes: [AudioChange] = [micro[0]]
    for (other, type) in Self.types.enumerated() where other != own {
      var patch: [String: JSONValue?] = [:]
      for names in Self.synonyms where !names[other].isEmpty {
        if let value = recipe.features[names[own]] { patch[names[other]] = value }
      }
      if type != "speech-commands", own < 2 {
        patch["power"] = recipe.features["power"] ?? .integer(own == 0 ? 1 : 2)
      }
      let window =
        [
          recipe.count("frame_length"), recipe.count("win_length"), recipe.count("n_fft"),
          recipe.count("window_size"),
        ].compactMap(\.self).first ?? 2048
      var length = 2
      while length < window { length *= 2 }
      switch type {
      case "librosa":
        if patch["n_fft"] == nil { patch["n_fft"] = .integer(Int64(length)) }
        for centre in [true, false] {
          for htk in [true, false] {
            patch["center"] = .bool(centre)
            patch["htk"] = patch["n_mels"] == nil ? nil : .bool(htk)
            patch["norm"] = patch["n_mels"] == nil ? nil : .string(htk ? "none" : "slaney")
            changes.append(AudioChange(stage: .function, patch: patch, type: type))
          }
        }
        continue
      case "tensorflow":
        patch["frame_length"] = .integer(Int64(window))
        if patch["frame_step"] == nil { patch["frame_step"] = .integer(Int64(window / 4)) }
      default:
        patch["window_size"] = .integer(Int64(window))
        if patch["stride"] == nil { patch["stride"] = .integer(Int64(window / 4)) }
        if patch["filterbank_channel_count"] != nil, patch["dct_coefficient_count"] == nil {
          patch["dct_coefficient_count"] = .integer(Int64(reference.axes.last ?? 13))
        }
      }
      changes.append(AudioChange(stage: .function, patch: patch, type: type))
    }
    return changes
  }

  /// The front end of micro_speech, or the usual parameters of others in its place.
  private var micro: [AudioChange] {
    let columns = JSONValue.integer(Int64(reference.axes.last ?? 40))
    if recipe.type != "micro-speech" {
      var patch: [String: JSONValue?] = ["num_channels": columns]
      let keys = [
        ["window_size", "window_step"], ["lower_band_limit", "upper_band_limit"],
      ]
      for (key, names) in zip(keys[0], Self.synonyms.prefix(2)) {
        if let count = names.lazy.compactMap({ recipe.number($0) }).first {
          patch[key] = .integer(Int64(count * 1000 / rate))
        }
      }
      for (key, names) in zip(keys[1], Self.synonyms[4...5]) {
        if let value = names.lazy.compactMap({ recipe.features[$0] }).first { patch[key] = value }
      }
      return [AudioChange(stage: .function, patch: patch, type: "micro-speech")]
    }
    let window = JSONValue.integer(Int64((recipe.number("window_size") ?? 25) * rate / 1000))
    let step = JSONValue.integer(Int64((recipe.number("window_step") ?? 10) * rate / 1000))
    let mel: [String: JSONValue?] = [
      "frame_length": window, "frame_step": step, "num_mel_bins": columns,
      "lower_edge_hertz": .integer(125), "upper_edge_hertz": .integer(7500),
      "log": .string("natural"),
      "offset": .number(1e-6),
    ]
    return [AudioChange(stage: .function, patch: mel, type: "tensorflow")]
  }

  // MARK: - Frames

  /// Changes of two keys that give the reference's number of rows.
  var frames: [AudioChange] {
    let names = Self.synonyms.prefix(2).compactMap { names in
      Self.types.firstIndex(of: recipe.type).map { names[$0] }
    }
    guard names.count == 2 else { return [] }
    let single = fromTable
    func values(_ name: String) -> [JSONValue?] {
      [recipe.features[name]] + single.compactMap { $0.patch[name] }
    }
    let edges = ["pad_end", "center"].flatMap { key in single.filter { $0.patch[key] != nil } }
    var changes: [AudioChange] = []
    for window in values(names[0]) {
      for step in values(names[1]) where givesRows(window, step) {
        let patch = [names[0]: window, names[1]: step]
        changes.append(AudioChange(stage: .frames, patch: patch))
        changes += edges.map {
          AudioChange(stage: .frames, patch: patch.merging($0.patch) { own, _ in own })
        }
      }
    }
    return changes
  }

  /// Whether a window and a step can give the rows of the reference, in one way of padding or another.
  private func givesRows(_ window: JSONValue?, _ step: JSONValue?) -> Bool {
    guard let window = window?.asNumber, let step = step?.asNumber, step > 0 else { return false }
    let lengths = [window, 1, 0] + [recipe.number("n_fft")].compactMap(\.self)
    return lengths.contains { length in
      let rows = ((Double(sampleCount) - length) / step).rounded(.down) + 1
      return reference.axes.contains { Double($0) == rows }
    }
  }
}
