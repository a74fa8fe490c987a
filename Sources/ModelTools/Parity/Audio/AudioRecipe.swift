// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// The stages from a recording to a tensor, in order.
enum AudioStage: String, CaseIterable {
  case channels
  case sampleRate = "sample rate"
  case length
  case amplitude
  case function
  case frames
  case spectrum
  case mel
  case logarithm
  case coefficients
  case axes
  case scale = "scale and bias"
  case quantization
}

/// What Python code does and model.json can't describe; the raw values are for users.
enum AudioTrick: String, CaseIterable {
  case firstChannel = "the first channel"
  case unresampled = "the file's samples, which aren't resampled"
  case librosaRate = "samples at 22050 Hz, librosa's default"
  case endKept = "the end of the recording, or silence before it"
  case middleKept = "the middle of the recording, or silence on both sides"
  case repeated = "the recording repeated"
  case integers = "samples from -32768 to 32767"
  case largeFloats = "samples times 32767"
  case magnitude = "samples divided by their largest magnitude"
  case centred = "samples minus their mean"
  case preEmphasis = "pre-emphasis by 0.97"
  case plainDCT = "a DCT without norm=\"ortho\""
  case librosaDCT = "the DCT of librosa (norm=\"ortho\")"
  case signalDCT = "the DCT of tf.signal"
  case transposed = "the other order of the axes"

  /// The stage, what the bundle does, and what to change.
  var facts: (stage: AudioStage, insteadOf: String, suggestion: String) {
    let load =
      "Load the recording at the rate of model.json in the Python code: "
      + "librosa.load(path, sr=RATE)."
    let cut = "Cut and pad at the end in the Python code: librosa.util.fix_length(samples, size=N)."
    let dct = "model.json can't describe this with this type of features. Change the Python code."
    switch self {
    case .firstChannel:
      return (
        .channels, "the mean of the channels",
        "Take the mean in the Python code: librosa.to_mono(samples)."
      )
    case .unresampled, .librosaRate: return (.sampleRate, "resampled ones", load)
    case .endKept, .middleKept, .repeated:
      return (.length, "its start, and silence after it", cut)
    case .integers, .largeFloats:
      return (
        .amplitude, "samples from -1 to 1", "Divide the samples by 32768 in the Python code."
      )
    case .magnitude:
      return (
        .amplitude, "samples as they are",
        "model.json can't describe this: \"divide-by-maximum\" divides by the largest sample, which "
          + "may be smaller. Remove the division from the Python code."
      )
    case .centred, .preEmphasis:
      return (
        .amplitude, "samples as they are",
        "model.json can't describe this. Remove it from the Python code."
      )
    case .plainDCT, .librosaDCT, .signalDCT: return (.coefficients, "the bundle's", dct)
    case .transposed:
      return (
        .axes, "a row for each frame", "Transpose the features in the Python code: features.T."
      )
    }
  }
}

/// One difference from the bundle.
struct AudioChange: Hashable {
  let stage: AudioStage
  /// New values of keys of the layer, or of its features; a value of nil removes the key.
  var patch: [String: JSONValue?] = [:]
  /// A new type of features, whose keys `patch` has.
  var type: String?
  var trick: AudioTrick?
}

/// One way to make features from a recording.
struct AudioRecipe: Hashable {
  /// The keys of the layer, without `features`, `scale` and `bias`.
  private(set) var layer: [String: JSONValue]
  /// The keys of `features`; empty if the samples are the features.
  private(set) var features: [String: JSONValue]
  private(set) var tricks: Set<AudioTrick> = []
  /// The differences from the bundle, in the order in which they were tried.
  private(set) var changes: [AudioChange] = []

  init(_ options: [String: JSONValue]) {
    layer = options.filter { !["features", "scale", "bias"].contains($0.key) }
    features = if case .object(let members)? = options["features"] { members } else { [:] }
  }

  static func == (left: Self, right: Self) -> Bool {
    left.layer == right.layer && left.features == right.features && left.tricks == right.tricks
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(layer)
    hasher.combine(features)
    hasher.combine(tricks)
  }

  var type: String { if case .string(let type)? = features["type"] { type } else { "" } }

  var options: [String: JSONValue] {
    var options = layer
    if !features.isEmpty { options["features"] = .object(features) }
    return options
  }

  func number(_ key: String) -> Double? { (features[key] ?? layer[key])?.asNumber }

  func count(_ key: String) -> Int? { number(key).flatMap { Int(exactly: $0) } }

  /// The keys of the layer; all others are those of its features.
  static let layerKeys = ["sample_rate", "samples", "preparation", "frames", "stacking"]

  /// Returns the recipe with a change; nil if the change has no effect.
  func with(_ change: AudioChange) -> AudioRecipe? {
    var recipe = self
    var change = change
    if let trick = change.trick {
      guard !tricks.contains(where: { $0.facts.stage == change.stage }) else { return nil }
      recipe.tricks.insert(trick)
    }
    if let type = change.type { recipe.features = ["type": .string(type)] }
    for (key, value) in change.patch {
      let isOfLayer = Self.layerKeys.contains(key)
      let old = isOfLayer ? recipe.layer[key] : recipe.features[key]
      if old == value { change.patch.removeValue(forKey: key) }
      if isOfLayer { recipe.layer[key] = value } else { recipe.features[key] = value }
    }
    guard recipe != self else { return nil }
    recipe.changes.append(change)
    return recipe
  }

  // MARK: - Words

  /// Returns what changes look like.
  static func words(_ changes: [AudioChange]) -> String {
    changes.map(words).joined(separator: ", ")
  }

  static func words(_ change: AudioChange) -> String {
    if let type = change.type { return type }
    return change.trick?.rawValue ?? words(change.patch)
  }

  private static func words(_ patch: [String: JSONValue?]) -> String {
    patch.sorted { $0.key < $1.key }.map { key, value in
      value.map { "\"\(key)\": \(text($0))" } ?? "no \"\(key)\""
    }.joined(separator: ", ")
  }

  static func text(_ value: JSONValue) -> String { (try? value.text()) ?? "" }

  /// Returns what the bundle does in place of a change.
  func insteadOf(_ change: AudioChange) -> String {
    if change.type != nil { return type.isEmpty ? "samples" : type }
    if let trick = change.trick { return trick.facts.insteadOf }
    let own = change.patch.keys.sorted().compactMap { key in
      (features[key] ?? layer[key]).map { (key: key, text: Self.text($0)) }
    }
    guard !own.isEmpty else { return "the default" }
    if change.patch.count == 1 { return own[0].text }
    return own.map { "\"\($0.key)\": \($0.text)" }.joined(separator: ", ")
  }

  /// Returns what to write in model.json for changes of a stage.
  func suggestion(_ changes: [AudioChange]) -> String {
    if let trick = changes.lazy.compactMap(\.trick).first { return trick.facts.suggestion }
    if changes.contains(where: { $0.type != nil }) {
      return "Write \"features\": \(Self.text(.object(features))) in model.json, or change the "
        + "Python code."
    }
    let patch = changes.reduce(into: [String: JSONValue?]()) {
      $0.merge($1.patch) { _, new in new }
    }
    let written = patch.filter { $0.value != nil }
    let isOfLayer = patch.keys.allSatisfy(Self.layerKeys.contains)
    let place = isOfLayer ? "model.json" : "\"features\" of model.json"
    var parts: [String] = []
    if !written.isEmpty { parts.append("Write \(Self.words(written)) in \(place)") }
    let removed = patch.filter { $0.value == nil }.keys.sorted().map { "\"\($0)\"" }
    if !removed.isEmpty {
      parts.append(
        (parts.isEmpty ? "Remove " : "remove ") + removed.joined(separator: ", ") + " from \(place)"
      )
    }
    return parts.joined(separator: ", ") + ", or change the Python code."
  }
}
