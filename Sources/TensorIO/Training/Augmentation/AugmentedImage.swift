// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A change of an image whose random numbers are drawn.
package enum ImageChange: Sendable, Hashable {
  case flip(Augmentation.FlipMode)
  /// The corner of the part that is kept, and how much smaller it is.
  case crop(x: Int, y: Int, margin: Int)
  case rotation(degrees: Double, fill: Augmentation.FillMode)
  /// What is added to values from 0 to 255.
  case brightness(Float)
  case contrast(Float)
  case saturation(Float)
  /// What is added to a hue from 0 to 1.
  case hue(Float)
}

extension Augmentation {
  /// Draws the change of an image; nil if it stays as it is.
  func draw(_ generator: inout SplitMix64) -> ImageChange? {
    switch self {
    case .flip(let mode): return generator.nextUnit() <= 0.5 ? .flip(mode) : nil
    case .crop(let margin):
      let y = generator.next(below: margin + 1)
      return .crop(x: generator.next(below: margin + 1), y: y, margin: margin)
    case .rotation(let factor, let fill):
      return .rotation(degrees: generator.next(upTo: factor) * 360, fill: fill)
    case .brightness(let factor): return .brightness(Float(generator.next(upTo: factor) * 255))
    case .contrast(let factor): return .contrast(Float(1 + generator.next(upTo: factor)))
    case .saturation(let factor):
      let share = 0.5 + generator.next(upTo: factor / 2)
      return .saturation(Float(share / (1 - share + 1e-7)))
    case .hue(let factor): return .hue(Float(generator.next(upTo: factor) / 2))
    case .mixUp: return nil
    }
  }
}

/// An image that is changed after it was prepared for a model, and before it is normalized.
package struct AugmentedImage: TensorEncodable {
  private let image: any TensorEncodable
  private let changes: [ImageChange]

  package init(_ image: any TensorEncodable, _ changes: [ImageChange]) {
    self.image = image
    self.changes = changes
  }

  package static var tensorKindName: String { PixelBuffer.tensorKindName }
  package var tensorElementCount: Int? { nil }
  package var encodedImageSize: (width: Int, height: Int)? { image.encodedImageSize }

  package func encode(into memory: inout MutableRawSpan, as spec: TensorSpec) throws {
    guard case .imageInput(let shape, var preprocessing) = spec.kind else {
      return try image.encode(into: &memory, as: spec)
    }
    let encoding = try PixelEncoding(shape, preprocessing.normalization, as: spec)
    let margin = changes.reduce(0) { sum, change in
      if case .crop(_, _, let margin) = change { sum + margin } else { sum }
    }
    preprocessing.normalization = nil
    let prepared = ImageShape(
      height: shape.height + margin, width: shape.width + margin,
      format: shape.format == .gray ? .gray : .rgb)
    var pixels = FloatPixels(
      width: prepared.width, height: prepared.height, channels: prepared.channels)
    try pixels.fill { span in
      try image.encode(
        into: &span,
        as: TensorSpec(
          name: spec.name, shape: prepared.axes, kind: .imageInput(prepared, preprocessing)))
    }
    for change in changes { pixels.apply(change) }
    pixels.write(to: &memory, as: encoding)
  }
}

/// How each item of a step is mixed with another one.
package struct BatchMix: Sendable, Hashable {
  /// The item that each one is mixed with.
  package var partners: [Int]
  /// The share of each item itself, from 0 to 1.
  package var shares: [Float]

  package init(partners: [Int], shares: [Float]) {
    self.partners = partners
    self.shares = shares
  }

  /// Draws the partners and shares for a number of items.
  init(count: Int, alpha: Double, _ generator: inout SplitMix64) {
    partners = generator.shuffled(Array(0..<count))
    shares = (0..<count).map { _ in Float(generator.nextBeta(alpha)) }
  }

  /// Mixes the items of a tensor of floats.
  func apply(to memory: inout MutableRawSpan) {
    memory.withUnsafeMutableBytes { bytes in
      let values = bytes.bindMemory(to: Float.self)
      let length = values.count / max(shares.count, 1)
      let originals = Array(values)
      for (item, share) in shares.enumerated() {
        let (start, other) = (item * length, partners[item] * length)
        for index in 0..<length {
          values[start &+ index] =
            share * originals[start &+ index] + (1 - share) * originals[other &+ index]
        }
      }
    }
  }
}

/// The random changes of the items in an epoch.
package struct AugmentationPlan: Sendable {
  private let augmentations: [Augmentation]
  private let images: [String]

  /// Makes the plan for a model; nil if nothing is changed.
  package init?(_ augmentations: [Augmentation], for signature: ModelSignature) {
    guard !augmentations.isEmpty else { return nil }
    self.augmentations = augmentations
    images = signature.inputs.filter(\.isImage).map(\.name)
  }

  /// Checks that the images of an item can be changed.
  ///
  /// - Throws: ``TensorIOError`` for a tensor. It has the values that the model takes, and changing them as
  ///   those of an image would normalize them once more.
  package func check(_ item: Batch.Item) throws {
    guard let change = augmentations.first(where: \.changesImages) else { return }
    for name in images {
      guard let value = item[name], let noun = value.preparedKindName else { continue }
      throw TensorIOError(
        .wrongKind,
        "The augmentation '\(change)' changes the image '\(name)' before it is normalized, but got \(noun), "
          + "whose values the model takes as they are. Pass the file of an image, or train without "
          + "augmentations.")
    }
  }

  /// Returns an item with its changes.
  ///
  /// They depend only on the state of the random numbers before the epoch and on the item's position in
  /// the epoch, so a training that continues in the middle of an epoch makes the same ones.
  package func changed(_ item: Batch.Item, at position: Int, ofEpoch state: UInt64) -> Batch.Item {
    var generator = Self.generator(state, position, stream: 0x6A09_E667_F3BC_C909)
    let changes = augmentations.compactMap { $0.draw(&generator) }
    guard !changes.isEmpty else { return item }
    var item = item
    for name in images {
      if let image = item[name] { item[name] = AugmentedImage(image, changes) }
    }
    return item
  }

  /// Returns how the items of a step are mixed; nil if they aren't.
  package func mix(ofItems count: Int, at position: Int, ofEpoch state: UInt64) -> BatchMix? {
    for case .mixUp(let alpha) in augmentations {
      var generator = Self.generator(state, position, stream: 0xBB67_AE85_84CA_A73B)
      return BatchMix(count: count, alpha: alpha, &generator)
    }
    return nil
  }

  private static func generator(_ state: UInt64, _ position: Int, stream: UInt64) -> SplitMix64 {
    var seeds = SplitMix64(seed: state ^ stream)
    return SplitMix64(seed: seeds.next() &+ UInt64(position) &* 0xD1B5_4A32_D192_ED03)
  }
}

extension TensorEncodable {
  /// What a value is called that is written into an image's input as it is; nil for an image.
  fileprivate var preparedKindName: String? {
    if let value = self as? TensorValue {
      switch value {
      case .tensor: return Tensor.tensorKindName
      case .bytes: return Data.tensorKindName
      default: return nil
      }
    }
    let noun = Self.tensorKindName
    return self is Tensor || noun == Data.tensorKindName ? noun : nil
  }
}
