// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

package import TensorIO

/// The numbers from comparing two tensors element by element.
struct TensorDifference {
  let largest: Double
  let mean: Double
  /// How many elements differ by more than the tolerance.
  let differing: Int
  let count: Int

  /// Compares channels with channels.
  init(_ ours: [[Float]], _ theirs: [[Float]], tolerance: Double) {
    var (largest, sum, differing, count) = (0.0, 0.0, 0, 0)
    for (one, other) in zip(ours, theirs) {
      for (left, right) in zip(one, other) {
        let difference = (Double(left) - Double(right)).magnitude
        largest = max(largest, difference)
        sum += difference
        if difference > tolerance { differing += 1 }
        count += 1
      }
    }
    self.largest = largest
    mean = sum / Double(max(count, 1))
    self.differing = differing
    self.count = count
  }
}

/// The result of comparing the bundle's tensor with a reference tensor.
package struct ParityReport {
  let layer: ImageLayer
  let reference: ReferenceTensor
  let tolerance: Double
  /// The first stage to suspect if nothing explains the reference; nil otherwise.
  private let suspect: ParityStage?
  /// The difference; nil if the tensors have different numbers of channels.
  let difference: TensorDifference?
  package let isEqual: Bool
  /// A finding for each stage, in order; empty if the tensors are equal.
  let findings: [StageFinding]
  /// The error that the best explanation leaves, in bytes of the image; nil if the tensors are
  /// equal.
  let residual: Double?
  /// Whether the best explanation is good enough, or the tensors are equal.
  let isExplained: Bool
  /// The best explanation in words, if it isn't good enough; nil otherwise.
  let nearest: String?
  /// The scale and bias of each colour that fit best; nil if the tensors are equal or unexplained.
  let fitted: PixelNormalization?

  /// Compares the bundle's tensor of an image with a reference.
  ///
  /// A tolerance of nil means the layer's default.
  package init(
    _ ours: Tensor, of maker: PictureMaker, _ layer: ImageLayer, _ reference: ReferenceTensor,
    tolerance: Double?
  ) throws {
    self.layer = layer
    self.reference = reference
    let tolerance = tolerance ?? layer.defaultTolerance
    self.tolerance = tolerance
    let channels = try layer.channels(of: ours)
    difference =
      channels.count == reference.channels.count
      ? TensorDifference(channels, reference.channels, tolerance: tolerance) : nil
    let theirs = reference.tensor.dataType
    isEqual =
      difference?.differing == 0 && layer.shape.layout == reference.layout
      && layer.spec.dataType.isFloat == theirs.isFloat
    guard !isEqual else {
      (findings, residual, isExplained, nearest, fitted) = ([], nil, true, nil, nil)
      suspect = nil
      return
    }
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
    guard winner.isGood else {
      if winner.excess < Explanation.nearLimit {
        suspect = changes.contains(.resize) ? .resize : .decode
      } else {
        suspect = .crop
      }
      findings = ParityStage.allCases.map { StageFinding(stage: $0, result: .unknown) }
      nearest = changes.map { search.words(for: winner, in: $0) }
        .joined(separator: ", ")
      fitted = nil
      return
    }
    (nearest, suspect) = (nil, nil)
    let values = ValueFinding(
      winner, planes: try search.planes(of: winner), layer: layer,
      reference: search.reference)
    fitted = values.fitted
    findings = ParityStage.allCases.map { stage in
      switch stage {
      case .normalization: return values.normalizationFinding
      case .quantization:
        return values.quantizationFinding(
          layer, theirs, rounding: changes.contains(.quantization) ? winner.rounding : nil)
      default: return search.finding(winner, in: stage)
      }
    }
  }

  /// The first stage that differs, or in which the best explanation fails.
  var firstDifference: ParityStage? {
    suspect ?? findings.first { $0.result == .differs }?.stage
  }
}

extension ImageLayer {
  /// Returns the elements of each channel, row by row.
  fileprivate func channels(of tensor: Tensor) throws -> [[Float]] {
    try tensor.floats().channels(shape.channels, shape.layout)
  }
}

// MARK: - Stages of the image

extension ParitySearch {
  /// Returns the finding for a stage that makes the image.
  fileprivate func finding(_ winner: Explanation, in stage: ParityStage) -> StageFinding {
    let rivals = rivals(of: winner, in: stage)
    var differs = changes(winner).contains(stage)
    var looksLike = words(for: winner, in: stage)
    var insteadOf = ownWords(in: stage)
    if stage == .channelOrder, reference.isReshaped {
      let shape = reference.layout.rawValue
      let pixels = reference.layout == .channelsFirst ? "channels-last" : "channels-first"
      looksLike =
        (differs ? "\(looksLike), " : "") + "\(pixels) pixels in a \(shape) shape"
      insteadOf = (differs ? "\(insteadOf), " : "") + layer.shape.layout.rawValue
      differs = true
    } else if stage == .channelOrder, reference.layout != layer.shape.layout {
      insteadOf =
        differs ? "\(insteadOf), \(layer.shape.layout.rawValue)" : layer.shape.layout.rawValue
      looksLike = differs ? "\(looksLike), \(reference.layout.rawValue)" : reference.layout.rawValue
      differs = true
    }
    var finding = StageFinding(stage: stage, result: differs ? .differs : .same)
    for rival in rivals.map({ words(for: $0, in: stage) }) where !finding.rivals.contains(rival) {
      finding.rivals.append(rival)
    }
    guard differs else { return finding }
    finding.looksLike = looksLike
    finding.insteadOf = insteadOf
    finding.suggestion = suggestion(for: winner, in: stage)
    return finding
  }

  /// Returns the choice of an explanation in a stage.
  fileprivate func words(for explanation: Explanation, in stage: ParityStage) -> String {
    switch stage {
    case .decode: explanation.recipe.decoding.label
    case .orientation: explanation.recipe.turning.label
    case .crop: explanation.recipe.framing.label
    case .resize: explanation.recipe.resize.rawValue
    case .channelOrder: explanation.order.label
    case .normalization, .quantization: explanation.rounding.label
    }
  }

  private func ownWords(in stage: ParityStage) -> String {
    switch stage {
    case .decode: Decoding.full.label
    case .orientation: Turning.upright.label
    case .crop: Framing.crop(layer.preprocessing.crop).label
    case .resize: layer.preprocessing.resize.rawValue
    case .channelOrder: layer.shape.format.rawValue
    case .normalization, .quantization: ""
    }
  }

  private func suggestion(for winner: Explanation, in stage: ParityStage) -> String {
    switch stage {
    case .decode: return winner.recipe.decoding.suggestion
    case .orientation: return winner.recipe.turning.suggestion
    case .crop:
      return winner.recipe.framing.suggestion(in: (layer.shape.width, layer.shape.height))
    case .resize:
      return "Write \"resize\": \"\(winner.recipe.resize.rawValue)\" in model.json, or change the "
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
      let order = winner.order
      if order == .grayThrice {
        return "Decode to colour in the Python code: image.convert(\"RGB\") of the colour image."
      }
      if order.label != layer.shape.format.rawValue {
        words.append("\"format\": \"\(order.label)\"")
      }
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

/// The result of comparing both sides in one stage.
struct StageFinding {
  let stage: ParityStage
  let result: Result
  /// What the other side seems to do; nil if it does the same as the bundle.
  var looksLike: String?
  /// What the bundle does.
  var insteadOf: String?
  /// A suggestion that makes both sides the same.
  var suggestion: String?
  /// Choices that explain the other side equally well, because this image can't tell them apart.
  var rivals: [String] = []

  enum Result: String {
    case same
    case differs
    /// Nothing known explains the other side, so the stage may or may not differ.
    case unknown
  }
}
