// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// Looks for the recipe that explains a tensor: first what differs from the bundle in one stage,
/// then in several.
///
/// Normalization does not matter to it: each channel of theirs is compared with the line that fits
/// it best.
struct ParitySearch {
  private var maker: PictureMaker
  let layer: ImageLayer
  let reference: ReferenceTensor
  private let base: Recipe
  private let ownOrder: ChannelOrder
  private let orders: [ChannelOrder]
  private let step: Int
  private var known: [Recipe: [Explanation]] = [:]
  /// All that is known, in the order in which it was tried: a dictionary's is new in each process.
  private var all: [Explanation] = []

  /// How many pixels of a picture count, about.
  private static let sampleCount = 20_000
  /// So little is left only by what is bit for bit the same.
  private static let exact = 0.01

  init(_ maker: PictureMaker, _ layer: ImageLayer, _ reference: ReferenceTensor) {
    self.maker = maker
    self.layer = layer
    self.reference = reference
    base = Recipe(
      decoding: .full, turning: .upright, framing: .crop(layer.preprocessing.crop),
      resize: layer.preprocessing.resize)
    ownOrder = ChannelOrder(layer.shape.format)
    if reference.channels.count == 1 {
      orders = [.gray]
    } else {
      orders = reference.isGrayThrice ? [.rgb, .bgr, .grayThrice] : [.rgb, .bgr]
    }
    // Odd, so that samples do not stand in columns.
    let pixels = layer.shape.width * layer.shape.height
    step = max(1, pixels / Self.sampleCount) | 1
  }

  /// The explanation with the fewest changes among the best.
  mutating func run() throws -> Explanation {
    try evaluate(base)
    try evaluateNeighbors(of: base)
    if best.excess > Self.exact {
      try evaluateGeometry()
      for _ in 0..<3 {
        let before = best.excess
        try evaluateNeighbors(of: best.recipe)
        if best.excess > before - Self.exact { break }
      }
    }
    if !best.isGood {
      for orientation in ImageOrientation.allCases where orientation != .up {
        try evaluate(changed(base) { $0.turning = .turned(orientation) })
      }
      try evaluateNeighbors(of: best.recipe)
    }
    let winner = simplest
    try evaluateNeighbors(of: winner.recipe)
    return simplest
  }

  /// The picture of an explanation, whole: planes of red, green and blue, or one.
  mutating func planes(of explanation: Explanation) throws -> [[Float]] {
    let planes = try maker.planes(explanation.recipe, isGray: explanation.order.isGray) ?? []
    guard explanation.rounding != .none, explanation.recipe.resize.givesFloats else {
      return planes
    }
    return planes.map { $0.map { explanation.rounding($0) } }
  }

  // MARK: - Choosing

  /// The first of those that leave the least.
  private var best: Explanation {
    // The bundle's own recipe has been evaluated.
    all.dropFirst().reduce(all[0]) { $1.excess < $0.excess ? $1 : $0 }
  }

  private var simplest: Explanation {
    let best = best
    return all.filter { $0.isAsGood(as: best) }
      .reduce(best) { left, right in
        let (one, other) = (changes(left).count, changes(right).count)
        if one != other { return one < other ? left : right }
        if left.excess != right.excess { return left.excess < right.excess ? left : right }
        // Equal frames are told by a fixed order, and all else by which was tried first.
        return rank(left) <= rank(right) ? left : right
      }
  }

  private func rank(_ explanation: Explanation) -> Int {
    framings.firstIndex(of: explanation.recipe.framing) ?? -1
  }

  /// The stages in which an explanation differs from the bundle, in order.
  func changes(_ explanation: Explanation) -> [ParityStage] {
    var stages: [ParityStage] = []
    let recipe = explanation.recipe
    if recipe.decoding != base.decoding { stages.append(.decode) }
    if recipe.turning != base.turning { stages.append(.orientation) }
    if recipe.framing != base.framing { stages.append(.crop) }
    if recipe.resize != base.resize { stages.append(.resize) }
    if explanation.order != ownOrder { stages.append(.channelOrder) }
    if explanation.rounding != naturalRounding(recipe), !roundsAnyway(explanation) {
      stages.append(.quantization)
    }
    return stages
  }

  /// Whether whole numbers of theirs are what rounding after normalization, which both sides do,
  /// makes of fractions, too.
  private func roundsAnyway(_ explanation: Explanation) -> Bool {
    explanation.rounding == .nearest && explanation.keepsBytes
      && !reference.tensor.dataType.isFloat
  }

  /// What would explain theirs as well, with another choice in one stage.
  func rivals(of winner: Explanation, in stage: ParityStage) -> [Explanation] {
    let rivals = all.filter { rival in
      let (one, other) = (rival.recipe, winner.recipe)
      var same = true
      for (candidate, isSame) in [
        (ParityStage.decode, one.decoding == other.decoding),
        (.orientation, one.turning == other.turning),
        (.crop, one.framing == other.framing), (.resize, one.resize == other.resize),
        (.channelOrder, rival.order == winner.order),
        (.quantization, rival.rounding == winner.rounding),
      ] {
        // A resize that gives bytes has nothing to round.
        let isFree = candidate == .quantization && stage == .resize
        same = same && (isFree || isSame != (candidate == stage))
      }
      return same && rival.isAsGood(as: winner) && winner.isGood
        && (stage != .crop || rival.frame != winner.frame)
    }
    return rivals.sorted {
      ($0.excess, rank($0), $0.recipe.resize.rawValue)
        < ($1.excess, rank($1), $1.recipe.resize.rawValue)
    }
  }

  // MARK: - Trying

  private var framings: [Framing] {
    Framing.alternatives(in: (layer.shape.width, layer.shape.height))
  }

  private func changed(_ recipe: Recipe, _ change: (inout Recipe) -> Void) -> Recipe {
    var recipe = recipe
    change(&recipe)
    return recipe
  }

  private mutating func evaluateNeighbors(of recipe: Recipe) throws {
    for decoding in maker.otherDecodings + [.full] {
      try evaluate(changed(recipe) { $0.decoding = decoding })
    }
    for turning in turnings { try evaluate(changed(recipe) { $0.turning = turning }) }
    for framing in framings + [base.framing] {
      try evaluate(changed(recipe) { $0.framing = framing })
    }
    for resize in ResizeMethod.allCases { try evaluate(changed(recipe) { $0.resize = resize }) }
  }

  private var turnings: [Turning] { maker.isTurnedByEXIF ? [.upright, .asStored] : [.upright] }

  /// Every orientation and crop, then every resize for the best of them.
  private mutating func evaluateGeometry() throws {
    var geometries: [Explanation] = []
    for turning in turnings {
      for framing in framings + [base.framing] {
        let recipe = changed(base) { ($0.turning, $0.framing) = (turning, framing) }
        try evaluate(recipe)
        if let found = known[recipe]?.min(by: { $0.excess < $1.excess }) {
          geometries.append(found)
        }
      }
    }
    for geometry in geometries.sorted(by: { $0.excess < $1.excess }).prefix(3) {
      for resize in ResizeMethod.allCases {
        try evaluate(changed(geometry.recipe) { $0.resize = resize })
      }
    }
  }

  /// What our preprocessing does with fractions: a layer of whole pixels has none.
  private func naturalRounding(_ recipe: Recipe) -> Rounding {
    recipe.resize.givesFloats && layer.roundsPixels ? .nearest : .none
  }

  private mutating func evaluate(_ recipe: Recipe) throws {
    guard known[recipe] == nil, let frame = try maker.frame(of: recipe) else { return }
    // A crop that comes to the bundle's own is not another one.
    if recipe.framing != base.framing,
      try maker.frame(of: changed(recipe) { $0.framing = base.framing }) == frame
    {
      return
    }
    var found: [Explanation] = []
    for isGray in Set(orders.map(\.isGray)).sorted(by: { !$0 && $1 }) {
      guard let planes = try maker.planes(recipe, isGray: isGray) else { continue }
      let roundings = recipe.resize.givesFloats ? Rounding.allCases : [.none]
      for rounding in roundings {
        let rounded = rounding == .none ? planes : planes.map { $0.map { rounding($0) } }
        for order in orders where order.isGray == isGray {
          found.append(
            Explanation(
              recipe, frame, order, rounding, planes: rounded, reference: reference, step: step,
              assumedScale: layer.assumedScale))
        }
      }
    }
    known[recipe] = found
    all += found
  }
}
