// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

package import TensorIO

/// The result of comparing the bundle's tensor with a reference tensor.
package struct ParityReport {
  let layer: ImageLayer
  let reference: ReferenceTensor
  let tolerance: Double
  /// The first stage to suspect if nothing explains the reference; nil otherwise.
  private var suspect: ParityStage?
  /// The difference; nil if the tensors have different numbers of channels.
  let difference: TensorDifference?
  package let isEqual: Bool
  /// A finding for each stage, in order; empty if the tensors are equal.
  private(set) var findings: [StageFinding] = []
  /// The error that the best explanation leaves, in bytes of the image; nil if the tensors are
  /// equal.
  private(set) var residual: Double?
  /// Whether the best explanation is good enough, or the tensors are equal.
  private(set) var isExplained = true
  /// The best explanation in words, if it isn't good enough; nil otherwise.
  private(set) var nearest: String?
  /// The scale and bias of each colour that fit best; nil if the tensors are equal or unexplained.
  private(set) var fitted: PixelNormalization?

  /// A tolerance of nil means the layer's default.
  package init(
    _ ours: Tensor, of maker: ImageMaker, _ layer: ImageLayer, _ reference: ReferenceTensor,
    tolerance: Double?
  ) throws {
    self.layer = layer
    self.reference = reference
    let tolerance = tolerance ?? layer.defaultTolerance
    self.tolerance = tolerance
    let channels = try ours.floats().channels(layer.shape.channels, layer.shape.layout)
    difference =
      channels.count == reference.channels.count
      ? TensorDifference(channels, reference.channels, tolerance: tolerance) : nil
    let theirs = reference.tensor.dataType
    isEqual =
      difference?.differing == 0 && layer.shape.layout == reference.layout
      && layer.spec.dataType.isFloat == theirs.isFloat
    guard !isEqual else { return }
    var search = ParitySearch(maker, layer, reference)
    var winner = try search.run()
    if !winner.isGood, reference.channels.count == 3 {
      var other = ParitySearch(maker, layer, try reference.reshaped())
      let found = try other.run()
      if found.isGood { (search, winner) = (other, found) }
    }
    residual = winner.excess
    isExplained = winner.isGood
    let changes = search.changes(winner)
    guard isExplained else {
      suspect =
        winner.excess >= Explanation.nearLimit
        ? .crop : changes.contains(.resize) ? .resize : .decode
      findings = ParityStage.allCases.map { StageFinding(stage: $0, isKnown: false) }
      nearest = changes.map(winner.recipe.words(in:)).joined(separator: ", ")
      return
    }
    let values = ValueFinding(
      winner, planes: try search.planes(of: winner), layer: layer,
      reference: search.reference)
    fitted = values.fitted
    findings = ParityStage.allCases.map { stage in
      switch stage {
      case .normalization: values.normalizationFinding
      case .quantization:
        values.quantizationFinding(
          theirs, rounding: changes.contains(.quantization) ? winner.recipe.rounding : nil)
      default: search.finding(winner, in: stage, differs: changes.contains(stage))
      }
    }
  }

  /// The first stage that differs, or in which the best explanation fails.
  var firstDifference: ParityStage? {
    suspect ?? findings.first { $0.result == .differs }?.stage
  }
}

// MARK: - Stages of the image

extension ParitySearch {
  fileprivate func finding(
    _ winner: Explanation, in stage: ParityStage, differs: Bool
  ) -> StageFinding {
    var finding = StageFinding(stage: stage)
    for rival in rivals(of: winner, in: stage).map({ $0.recipe.words(in: stage) })
    where !finding.rivals.contains(rival) {
      finding.rivals.append(rival)
    }
    var theirs = differs ? [winner.recipe.words(in: stage)] : []
    var ours = differs ? [base.words(in: stage)] : []
    let layout = reference.layout.rawValue
    if stage == .channelOrder, reference.isReshaped || reference.layout != layer.shape.layout {
      let pixels = reference.layout.other.rawValue
      theirs.append(reference.isReshaped ? "\(pixels) pixels in a \(layout) shape" : layout)
      ours.append(layer.shape.layout.rawValue)
    }
    guard !theirs.isEmpty else { return finding }
    finding.looksLike = theirs.joined(separator: ", ")
    finding.insteadOf = ours.joined(separator: ", ")
    finding.suggestion = suggestion(for: winner.recipe, in: stage)
    return finding
  }

  private func suggestion(for winner: Recipe, in stage: ParityStage) -> String {
    switch stage {
    case .decode: return winner.decoding.suggestion
    case .orientation: return winner.turning.suggestion
    case .crop: return winner.framing.suggestion(in: layer.size)
    case .resize:
      return "Write \"resize\": \"\(winner.resize.rawValue)\" in model.json, or change the "
        + "Python code."
    case .channelOrder:
      if reference.isReshaped {
        return "Move the axis in the Python code with numpy.moveaxis or transpose, because reshape "
          + "scrambles the pixels."
      }
      var words: [String] = []
      if reference.layout != layer.shape.layout || reference.channels.count != layer.shape.channels
      {
        var shape = layer.shape
        shape.layout = reference.layout
        shape.channels = reference.channels.count
        words.append("\"shape\": \(shape.axes)")
      }
      if reference.layout != layer.shape.layout {
        words.append("\"layout\": \"\(reference.layout.rawValue)\"")
      }
      if winner.order == .grayThrice {
        return "Decode to colour in the Python code: image.convert(\"RGB\") of the colour image."
      }
      if winner.order != base.order { words.append("\"format\": \"\(winner.order.label)\"") }
      return
        "Write \(words.joined(separator: " and ")) in model.json if the model expects it, or "
        + "change the Python code."
    case .normalization, .quantization: return ""
    }
  }
}

/// The stages from an image file to a tensor, in order.
enum ParityStage: String, CaseIterable {
  case decode
  case orientation
  case crop
  case resize
  case channelOrder = "channel order"
  case normalization
  case quantization
}
