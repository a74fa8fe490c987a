// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import TensorIOEncoding

/// A recipe, and how well it explains the reference.
struct AudioExplanation {
  let recipe: AudioRecipe
  /// The root mean square error as a part of the reference's deviation.
  let error: Double
  /// The line `theirs = scale * features + bias`, if it differs from that of the layer.
  var line: (scale: Double, bias: Double)?

  var changeCount: Int { recipe.changes.count + (line == nil ? 0 : 1) }
}

/// Searches for the recipe that explains the features that Python made.
///
/// It first tries changes of one stage, then changes of several.
struct AudioSearch {
  let base: AudioRecipe
  private let layer: AudioLayer
  private let reference: AudioReference
  private let path: String
  private let clip: AudioClip
  private let range: ClosedRange<Float>?
  /// The scale and the bias of the layer.
  private let own: (scale: Double, bias: Double)
  private var clips: [Bool: AudioClip] = [:]
  private var resampled: [String: [Float]] = [:]
  private var known: Set<AudioRecipe> = []
  private(set) var all: [AudioExplanation] = []

  init(_ path: String, _ clip: AudioClip, _ layer: AudioLayer, _ reference: AudioReference) {
    (self.path, self.clip, self.layer, self.reference) = (path, clip, layer, reference)
    base = AudioRecipe(layer.options)
    own = (layer.options["scale"]?.asNumber ?? 1, layer.options["bias"]?.asNumber ?? 0)
    // Quantized values are limited to the range of the type.
    let limits: [DataType: (Double, Double)] = [.int8: (-128, 127), .uint8: (0, 255)]
    range = limits[reference.tensor.dataType].flatMap { limits in
      layer.quantization.map { step, zero in
        let ends = [limits.0, limits.1].map { Float(($0 - zero) * step) }.sorted()
        return ends[0]...ends[1]
      }
    }
  }

  /// The largest error at which the reference counts as explained.
  func isGood(_ explanation: AudioExplanation) -> Bool {
    explanation.error <= 2e-3 + reference.roundingError
  }

  /// Returns the explanation with the fewest changes among the best; nil if no recipe has the shape of
  /// the reference.
  mutating func run() -> AudioExplanation? {
    guard reference.axes.count <= 2 else { return nil }
    evaluate(base)
    let first = neighbors(of: base)
    for recipe in first { evaluate(recipe) }
    if all.isEmpty {
      for recipe in [base]
        + first.filter({ [.mel, .coefficients, .axes, .frames].contains($0.changes[0].stage) })
      {
        for change in alternatives(of: recipe).frames {
          if let recipe = recipe.with(change) { evaluate(recipe) }
        }
      }
    }
    for _ in 0..<3 {
      guard let best = all.min(by: { $0.error < $1.error }), !isGood(best) else { break }
      // Beginning with the best, because a wrong start leads to changes that aren't there.
      var starts: [AudioRecipe] = []
      for next in all.sorted(by: { $0.error < $1.error }) where !starts.contains(next.recipe) {
        starts.append(next.recipe)
        if starts.count == 3 { break }
      }
      for start in starts {
        for recipe in neighbors(of: start) { evaluate(recipe) }
      }
      guard let better = all.map(\.error).min(), better < best.error * 0.95 else { break }
    }
    // A line may stand for a parameter, such as the base of the logarithm.
    if let winner = simplest, winner.line != nil {
      for recipe in neighbors(of: winner.recipe) { evaluate(recipe) }
    }
    return simplest
  }

  // MARK: - Choosing

  private func isAsGood(_ explanation: AudioExplanation, as best: AudioExplanation) -> Bool {
    explanation.error <= max(best.error * 1.25, best.error + 2e-5)
  }

  private var simplest: AudioExplanation? {
    guard let best = all.min(by: { $0.error < $1.error }) else { return nil }
    return all.filter { isAsGood($0, as: best) }.reduce(best) { left, right in
      if left.changeCount != right.changeCount {
        return left.changeCount < right.changeCount ? left : right
      }
      // Errors below this are rounding errors. Then the first that was tried is taken.
      let clear = 1e-4
      let (one, other) = (max(left.error, clear), max(right.error, clear))
      return (rank(left), one) <= (rank(right), other) ? left : right
    }
  }

  /// A change of a parameter is likelier than a change that happens to have the same numbers, and fewer
  /// keys are likelier than more.
  private func rank(_ explanation: AudioExplanation) -> Int {
    let changes = explanation.recipe.changes
    let kind = explanation.line != nil ? 2 : changes.contains { $0.type != nil } ? 1 : 0
    return changes.reduce(kind * 100) { $0 + $1.patch.count }
  }

  /// Returns the words for other explanations that are as good and as simple.
  func rivals(of winner: AudioExplanation) -> [String] {
    var words: [String] = []
    for rival in all
    where rival.changeCount == winner.changeCount && rival.recipe != winner.recipe
      && isAsGood(rival, as: winner)
    {
      let other = rival.recipe.changes.filter { !winner.recipe.changes.contains($0) }
      let text =
        other.map(AudioRecipe.words).joined(separator: " and ")
        + (rival.line == nil ? "" : other.isEmpty ? "another scale" : " and another scale")
      if !words.contains(text) { words.append(text) }
    }
    return words
  }

  // MARK: - Trying

  private func alternatives(of recipe: AudioRecipe) -> AudioAlternatives {
    let rate = recipe.count("sample_rate") ?? clip.sampleRate
    let count = recipe.count("samples") ?? clip.samples.count * rate / max(clip.sampleRate, 1)
    return AudioAlternatives(
      recipe: recipe, reference: reference, sampleCount: count, fileRate: clip.sampleRate)
  }

  private func neighbors(of recipe: AudioRecipe) -> [AudioRecipe] {
    alternatives(of: recipe).all.compactMap { recipe.with($0) }
  }

  private mutating func evaluate(_ recipe: AudioRecipe) {
    guard known.insert(recipe).inserted, let variant = AudioVariant(recipe.options),
      let samples = samples(recipe)
    else { return }
    let shape = variant.shape(sampleCount: samples.count)
    let isTransposed = recipe.tricks.contains(.transposed)
    let axes = [shape.rows, shape.columns]
    guard shape.columns > 0, reference.values.count.isMultiple(of: shape.columns) else { return }
    var rows = reference.values.count / shape.columns
    guard rows == shape.rows || (layer.hasWindows && rows < shape.rows && !isTransposed) else {
      return
    }
    rows = min(rows, shape.rows)
    let expected = (isTransposed ? axes.reversed() : [rows, shape.columns]).filter { $0 != 1 }
    guard expected == reference.axes || (reference.axes.count == 1 && !isTransposed),
      var values = variant.features(samples)
    else { return }
    values.removeLast(values.count - reference.values.count)
    transform(&values, shape.columns, recipe)
    guard values.allSatisfy(\.isFinite) else { return }
    compare(values, recipe)
  }

  private mutating func compare(_ values: [Float], _ recipe: AudioRecipe) {
    var squares = 0.0
    for (value, theirs) in zip(values, reference.values) {
      var value = Float(Double(value) * own.scale + own.bias)
      if let range { value = min(max(value, range.lowerBound), range.upperBound) }
      squares += (Double(value) - Double(theirs)) * (Double(value) - Double(theirs))
    }
    let error = (squares / Double(values.count)).squareRoot() / reference.deviation
    all.append(AudioExplanation(recipe: recipe, error: error))
    // The fit needs values of about 1.
    let largest = max(values.reduce(0) { max($0, $1.magnitude) }, 1e-30)
    let fit = ChannelFit(values.map { $0 / largest * 1000 }, reference.values)
    guard let scale = fit.scale, fit.residual / reference.deviation < error * 0.8 else { return }
    var explanation = AudioExplanation(recipe: recipe, error: fit.residual / reference.deviation)
    explanation.line = (scale * 1000 / Double(largest), fit.bias)
    all.append(explanation)
  }

  // MARK: - Making features

  private mutating func samples(_ recipe: AudioRecipe) -> [Float]? {
    let isFirst = recipe.tricks.contains(.firstChannel)
    if clips[isFirst] == nil {
      clips[isFirst] = isFirst ? try? AudioClip(contentsOf: path, channel: 0) : clip
    }
    guard let clip = clips[isFirst] else { return nil }
    var rate = recipe.count("sample_rate") ?? clip.sampleRate
    if recipe.tricks.contains(.unresampled) { rate = clip.sampleRate }
    if recipe.tricks.contains(.librosaRate) { rate = 22050 }
    let key = "\(isFirst) \(rate)"
    if resampled[key] == nil { resampled[key] = clip.resampled(to: rate) }
    guard var samples = resampled[key] else { return nil }
    if let count = recipe.count("samples"), count > 0, !samples.isEmpty {
      samples = fitted(samples, count, recipe.tricks)
    }
    for trick in recipe.tricks { change(&samples, trick) }
    return samples
  }

  /// Cuts or extends samples to a length in another way than the front end does.
  private func fitted(_ samples: [Float], _ count: Int, _ tricks: Set<AudioTrick>) -> [Float] {
    let difference = count - samples.count
    let silence = { [Float](repeating: 0, count: max($0, 0)) }
    if tricks.contains(.endKept) {
      return difference > 0 ? silence(difference) + samples : Array(samples.suffix(count))
    }
    if tricks.contains(.middleKept) {
      let half = difference.magnitude / 2
      return difference > 0
        ? silence(Int(half)) + samples : Array(samples.dropFirst(Int(half)).prefix(count))
    }
    if tricks.contains(.repeated), difference > 0 {
      return (0..<count).map { samples[$0 % samples.count] }
    }
    return Array(samples.prefix(count))
  }

  private func change(_ samples: inout [Float], _ trick: AudioTrick) {
    switch trick {
    case .integers: samples = samples.map { $0 * 32768 }
    case .largeFloats: samples = samples.map { $0 * 32767 }
    case .magnitude:
      let largest = samples.reduce(0) { max($0, $1.magnitude) }
      if largest > 0 { samples = samples.map { $0 / largest } }
    case .centred:
      let mean = samples.reduce(0, +) / Float(max(samples.count, 1))
      samples = samples.map { $0 - mean }
    case .preEmphasis:
      samples = samples.indices.map { samples[$0] - ($0 > 0 ? 0.97 * samples[$0 - 1] : 0) }
    default: break
    }
  }

  /// Changes features as other functions would have made them.
  private func transform(_ values: inout [Float], _ columns: Int, _ recipe: AudioRecipe) {
    let stacking = recipe.count("stacking") ?? 1
    let width = columns / max(stacking, 1)
    let names = ["num_mel_bins", "n_mels", "filterbank_channel_count"]
    let bands = Float(
      names.lazy.compactMap { recipe.count($0) }.first ?? (recipe.type == "librosa" ? 128 : 40))
    // What the first coefficient and all others are multiplied by.
    var factors: (Float, Float)?
    if recipe.tricks.contains(.plainDCT) {
      let first = recipe.type == "librosa" ? 2 * bands.squareRoot() : (2 * bands).squareRoot()
      factors = (first, (2 * bands).squareRoot())
    }
    if recipe.tricks.contains(.librosaDCT) { factors = (Float(0.5).squareRoot(), 1) }
    if recipe.tricks.contains(.signalDCT) { factors = (Float(2).squareRoot(), 1) }
    if let factors {
      for index in values.indices { values[index] *= index % width == 0 ? factors.0 : factors.1 }
    }
    if recipe.tricks.contains(.transposed) {
      let rows = values.count / columns
      values = (0..<values.count).map { values[$0 % rows * columns + $0 / rows] }
    }
  }
}
