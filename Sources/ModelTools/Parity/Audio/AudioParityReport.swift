// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

package import TensorIO
package import TensorIOEncoding

/// The result of comparing the bundle's tensor of a recording with a reference tensor.
package struct AudioParityReport {
  private let layer: AudioLayer
  private let reference: AudioReference
  private let tolerance: Double
  /// The difference; nil if the tensors have different shapes.
  private let difference: TensorDifference?
  package let isEqual: Bool
  /// A finding for each stage, in order; empty if the tensors are equal.
  private var findings: [Finding<AudioStage>] = []
  /// The error that the best explanation leaves, as a part of the reference's deviation.
  private var residual: Double?
  private var isExplained = true
  /// The best explanation in words, if it isn't good enough.
  private var nearest: String?
  private var line: (scale: Double, bias: Double)?

  /// A tolerance of nil means the layer's default.
  package init(
    _ ours: Tensor, of path: String, _ clip: AudioClip, _ layer: AudioLayer,
    _ reference: AudioReference, tolerance: Double?
  ) throws {
    (self.layer, self.reference) = (layer, reference)
    let (values, theirs) = (try ours.floats(), try reference.tensor.floats())
    let tolerance = tolerance ?? layer.defaultTolerance(values)
    self.tolerance = tolerance
    let axes = ours.shape.filter { $0 != 1 }
    let isSameShape =
      values.count == theirs.count && (axes == reference.axes || reference.axes.count <= 1)
    difference = isSameShape ? TensorDifference([values], [theirs], tolerance: tolerance) : nil
    let isSameKind = layer.spec.dataType.isFloat == reference.tensor.dataType.isFloat
    isEqual = difference?.differing == 0 && isSameKind
    guard !isEqual else { return }
    var search = AudioSearch(path, clip, layer, reference)
    let winner = search.run()
    residual = winner?.error
    guard let winner, search.isGood(winner) else {
      isExplained = false
      findings = AudioStage.allCases.map { Finding(stage: $0, isKnown: false) }
      nearest = winner.map { AudioRecipe.words($0.recipe.changes) }
      if let winner, winner.error < 0.01 { explainResampling(winner, search, clip) }
      return
    }
    findings = AudioStage.allCases.map { search.finding(winner, in: $0) }
    if isSameKind || !layer.spec.dataType.isFloat { line = winner.line }
    if let line { self[.scale] = scaleFinding(line) }
    if !isSameKind { self[.quantization] = quantizationFinding(winner.line) }
    if let index = findings.firstIndex(where: { $0.result == .differs }) {
      findings[index].rivals = search.rivals(of: winner)
    } else if winner.error > 1e-4 {
      explainResampling(winner, search, clip)
    }
  }

  private subscript(stage: AudioStage) -> Finding<AudioStage> {
    get { findings[AudioStage.allCases.firstIndex(of: stage) ?? 0] }
    set { findings[AudioStage.allCases.firstIndex(of: stage) ?? 0] = newValue }
  }

  /// Explains a small difference by the resampling, whose methods differ in high frequencies.
  private mutating func explainResampling(
    _ best: AudioExplanation, _ search: AudioSearch, _ clip: AudioClip
  ) {
    guard best.recipe.changes.isEmpty, best.line == nil,
      search.base.count("sample_rate") != clip.sampleRate
    else { return }
    isExplained = true
    nearest = nil
    findings = AudioStage.allCases.map { Finding(stage: $0) }
    self[.sampleRate].looksLike = "another resampler"
    self[.sampleRate].insteadOf = "scipy.signal.resample_poly"
    self[.sampleRate].suggestion =
      "Use scipy.signal.resample_poly in the Python code, or res_type=\"polyphase\" of "
      + "librosa.load. If the model was trained with the other one, pass --tolerance."
  }

  private func scaleFinding(_ line: (scale: Double, bias: Double)) -> Finding<AudioStage> {
    let values = reference.values
    let mean = values.reduce(0) { $0 + Double($1) } / Double(values.count)
    let (least, greatest) = (values.min() ?? 0, values.max() ?? 0)
    let (scale, bias) = (line.scale.significant, line.bias.significant)
    var finding = Finding(stage: AudioStage.scale)
    let own = [layer.options["scale"], layer.options["bias"]].map { $0.map(AudioRecipe.text) }
    finding.insteadOf = "v * \(own[0] ?? "1") + \(own[1] ?? "0")"
    if mean.magnitude < 1e-3, (reference.deviation - 1).magnitude < 1e-3 {
      finding.looksLike = "the recording's own mean and deviation"
    } else if least.magnitude < 1e-5, (greatest - 1).magnitude < 1e-5 {
      finding.looksLike = "the recording's own least and greatest value"
    }
    finding.suggestion =
      finding.looksLike == nil
      ? "Write \"scale\": \(scale), \"bias\": \(bias) in model.json, or change the Python code."
      : "model.json can't describe this, because the numbers differ for each recording. Add it to "
        + "the model, or change the Python code."
    finding.looksLike =
      finding.looksLike ?? "v * \(scale) \(bias < 0 ? "-" : "+") \(bias.magnitude)"
    return finding
  }

  /// A finding for references that are quantized if ours isn't, or that aren't if ours is.
  private func quantizationFinding(
    _ line: (scale: Double, bias: Double)?
  ) -> Finding<AudioStage> {
    let (ours, theirs) = (layer.spec.dataType, reference.tensor.dataType)
    var finding = Finding(stage: AudioStage.quantization)
    finding.insteadOf = "\(ours)"
    guard ours.isFloat else {
      finding.looksLike = "\(theirs), not quantized"
      finding.suggestion =
        "Pass numpy.rint(x / scale + zero_point).astype(numpy.\(ours)) to set_tensor in the "
        + "Python code, with scale and zero_point from get_input_details()."
      return finding
    }
    finding.looksLike = "\(theirs)"
    if let line, line.scale > 0, let zero = Int(exactly: line.bias.rounded()) {
      finding.looksLike? +=
        ", quantized with the scale \((1 / line.scale).significant) and the zero "
        + "point \(zero)"
    }
    finding.suggestion =
      "Pass \(ours) to set_tensor in the Python code, and don't quantize the features."
    return finding
  }
}

extension AudioSearch {
  fileprivate func finding(
    _ winner: AudioExplanation, in stage: AudioStage
  ) -> Finding<AudioStage> {
    var finding = Finding(stage: stage)
    let changes = winner.recipe.changes.filter { $0.stage == stage }
      .sorted { AudioRecipe.words([$0]) < AudioRecipe.words([$1]) }
    guard !changes.isEmpty else { return finding }
    finding.looksLike = AudioRecipe.words(changes)
    finding.insteadOf = changes.map(base.insteadOf).joined(separator: ", ")
    finding.suggestion = winner.recipe.suggestion(changes)
    return finding
  }
}

// MARK: - Printing

extension AudioParityReport {
  private var isClear: Bool { (residual ?? 0) <= 1e-3 + reference.roundingError }

  private var share: String { "\(((residual ?? 0) * 100).significant)% of the deviation" }

  package func lines(recording: String, bundle: String) -> [String] {
    if isEqual { return difference.map { [$0.equalLine(tolerance: tolerance)] } ?? [] }
    var lines = [
      "the tensor of '\(recording)' differs between '\(reference.path)' and '\(bundle)':"
    ]
    lines += Finding.table(findings, isClear: isClear)
    lines.append(verdict)
    lines.append(
      difference?.line(tolerance: tolerance)
        ?? "not compared element by element: \(layer.spec.itemShape) against "
        + "\(reference.tensor.shape)")
    if residual != nil, isExplained { lines.append("unexplained rest: \(share)") }
    return lines
  }

  private var first: Finding<AudioStage>? { findings.first { $0.result == .differs } }

  private var verdict: String {
    guard isExplained else {
      guard residual != nil else {
        return "first difference: shape: '\(reference.path)' has the shape "
          + "\(reference.tensor.shape), but '\(layer.spec.name)' takes \(layer.spec.itemShape). No "
          + "known window, step or number of bands gives it. Save the array for one window."
      }
      let what = nearest.flatMap { $0.isEmpty ? nil : $0 } ?? "the bundle's own features"
      return
        "first difference: unknown: no known variant explains it. The nearest (\(what)) leaves "
        + "\(share). Compare the samples first: print them before the features in the Python code."
    }
    guard let first else {
      return
        "first difference: none found. The rest, \(share), is as small as the effect of 32-bit "
        + "arithmetic. Pass --tolerance to accept it."
    }
    return first.verdict(isClear: isClear)
  }

  package func json(recording: String, bundle: String, written: String?) -> JSONValue {
    let comparison: [String: JSONValue] = [
      "against": .string(reference.path), "equal": .bool(isEqual),
      "theirs": .tensor(reference.tensor.dataType, reference.tensor.shape),
      "tolerance": .number(tolerance), "first_difference": .stringOrNull(first?.stage.rawValue),
      "message": .stringOrNull(isEqual ? nil : verdict), "explained": .bool(isExplained),
      "residual": .numberOrNull(residual), "nearest": .stringOrNull(nearest),
      "fitted": line.map { .object(["scale": .number($0.scale), "bias": .number($0.bias)]) }
        ?? .null,
      "stages": .array(findings.map(\.json)),
    ]
    let ours = layer.json(recording: recording, bundle, written: written)
    let all = ours.merging(comparison) { own, _ in own }
    return .object(all.merging(TensorDifference.json(difference)) { own, _ in own })
  }
}
