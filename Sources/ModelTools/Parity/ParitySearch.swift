// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// Searches for the recipe that explains a reference tensor.
///
/// It first tries changes to a single stage of the bundle's recipe, then changes to several stages.
///
/// Normalization doesn't affect the search, because each channel of the reference is compared with
/// the line that fits it best.
struct ParitySearch {
  private var maker: ImageMaker
  let layer: ImageLayer
  let reference: ReferenceTensor
  /// The bundle's own recipe, apart from the rounding.
  let base: Recipe
  private let orders: [ChannelOrder]
  /// The distance between the pixels that are compared.
  private let step: Int
  private var known: [Recipe: [Explanation]] = [:]
  /// All explanations as they were tried; a dictionary's order differs between processes.
  private var all: [Explanation] = []

  /// The approximate number of pixels that are compared.
  private static let sampleCount = 20_000
  /// The excess, in bytes, below which images are identical bit for bit.
  private static let exact = 0.01

  init(_ maker: ImageMaker, _ layer: ImageLayer, _ reference: ReferenceTensor) {
    self.maker = maker
    self.layer = layer
    self.reference = reference
    base = Recipe(
      framing: .crop(layer.preprocessing.crop), resize: layer.preprocessing.resize,
      order: .format(layer.shape.format))
    orders =
      reference.channels.count == 1
      ? [.format(.gray)]
      : [.format(.rgb), .format(.bgr)] + (reference.isGrayThrice ? [.grayThrice] : [])
    // The step is odd so that the samples don't line up in columns.
    let pixels = layer.shape.width * layer.shape.height
    step = max(1, pixels / Self.sampleCount) | 1
  }

  /// Returns the explanation with the fewest changes among the best ones.
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
        try evaluate(base.with { $0.turning = .turned(orientation) })
      }
      try evaluateNeighbors(of: best.recipe)
    }
    try evaluateNeighbors(of: simplest.recipe)
    return simplest
  }

  /// Returns the whole image of an explanation, as planes of red, green and blue, or as one plane.
  mutating func planes(of explanation: Explanation) throws -> [[Float]] {
    let recipe = explanation.recipe
    return recipe.rounding(try maker.planes(recipe, isGray: recipe.order.isGray) ?? [])
  }

  // MARK: - Choosing

  /// The first explanation with the smallest excess.
  private var best: Explanation {
    // `all` isn't empty, because `run()` has evaluated the bundle's own recipe.
    all.dropFirst().reduce(all[0]) { $1.excess < $0.excess ? $1 : $0 }
  }

  private var simplest: Explanation {
    let best = best
    return all.filter { $0.isAsGood(as: best) }
      .reduce(best) { left, right in
        let (one, other) = (changes(left).count, changes(right).count)
        if one != other { return one < other ? left : right }
        if left.excess != right.excess { return left.excess < right.excess ? left : right }
        // Ties are broken by the fixed order of the framings, then by which was tried first.
        return rank(left) <= rank(right) ? left : right
      }
  }

  private func rank(_ explanation: Explanation) -> Int {
    framings.firstIndex(of: explanation.recipe.framing) ?? -1
  }

  /// Returns the stages in which an explanation differs from the bundle, in order.
  func changes(_ explanation: Explanation) -> [ParityStage] {
    let recipe = explanation.recipe
    // If both sides round to whole numbers after normalization, rounding after the resize makes no
    // difference.
    let roundsAnyway =
      recipe.rounding == .nearest && explanation.keepsBytes && !reference.tensor.dataType.isFloat
    // Only a layer of whole pixels rounds the fractions of a resize.
    let ownRounding = recipe.resize.givesFloats && layer.roundsPixels ? Rounding.nearest : .none
    return ParityStage.allCases.filter { stage in
      switch stage {
      case .normalization: false
      case .quantization: recipe.rounding != ownRounding && !roundsAnyway
      default: recipe.words(in: stage) != base.words(in: stage)
      }
    }
  }

  /// Returns explanations that are as good, with another choice in one stage.
  func rivals(of winner: Explanation, in stage: ParityStage) -> [Explanation] {
    // For a resize, the rounding may differ too: a resize that gives bytes has nothing to round.
    let fixed = ParityStage.allCases.filter {
      $0 != .normalization && !($0 == .quantization && stage == .resize)
    }
    let rivals = all.filter { rival in
      rival.isAsGood(as: winner) && winner.isGood
        && (stage != .crop || rival.frame != winner.frame)
        && fixed.allSatisfy {
          (rival.recipe.words(in: $0) != winner.recipe.words(in: $0)) == ($0 == stage)
        }
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

  private mutating func evaluateNeighbors(of recipe: Recipe) throws {
    for decoding in maker.otherDecodings + [.full] {
      try evaluate(recipe.with { $0.decoding = decoding })
    }
    for turning in turnings { try evaluate(recipe.with { $0.turning = turning }) }
    for framing in framings + [base.framing] {
      try evaluate(recipe.with { $0.framing = framing })
    }
    for resize in ResizeMethod.allCases { try evaluate(recipe.with { $0.resize = resize }) }
  }

  private var turnings: [Turning] { maker.isTurnedByEXIF ? [.upright, .asStored] : [.upright] }

  /// Tries every orientation and crop, then every resize method for the best three of them.
  private mutating func evaluateGeometry() throws {
    var geometries: [Explanation] = []
    for turning in turnings {
      for framing in framings + [base.framing] {
        let recipe = base.with { ($0.turning, $0.framing) = (turning, framing) }
        try evaluate(recipe)
        if let found = known[recipe]?.min(by: { $0.excess < $1.excess }) {
          geometries.append(found)
        }
      }
    }
    for geometry in geometries.sorted(by: { $0.excess < $1.excess }).prefix(3) {
      for resize in ResizeMethod.allCases {
        try evaluate(geometry.recipe.with { $0.resize = resize })
      }
    }
  }

  /// Tries a recipe with every order and rounding.
  private mutating func evaluate(_ recipe: Recipe) throws {
    let recipe = recipe.with { ($0.order, $0.rounding) = (base.order, .none) }
    guard known[recipe] == nil, let frame = try maker.frame(of: recipe) else { return }
    // Skip a crop that has the same result as the bundle's own.
    if recipe.framing != base.framing,
      try maker.frame(of: recipe.with { $0.framing = base.framing }) == frame
    {
      return
    }
    var found: [Explanation] = []
    for isGray in [false, true] where orders.contains(where: { $0.isGray == isGray }) {
      guard let planes = try maker.planes(recipe, isGray: isGray) else { continue }
      for rounding in recipe.resize.givesFloats ? Rounding.allCases : [.none] {
        let rounded = rounding(planes)
        for order in orders where order.isGray == isGray {
          found.append(
            Explanation(
              recipe.with { ($0.order, $0.rounding) = (order, rounding) }, frame, planes: rounded,
              reference: reference, step: step, assumedScale: layer.assumedScale))
        }
      }
    }
    known[recipe] = found
    all += found
  }
}
