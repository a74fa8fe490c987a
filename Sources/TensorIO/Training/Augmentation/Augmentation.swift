// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// A random change of the images that a model is trained on, as a layer of Keras makes it.
///
/// Each item of each step gets changes of its own. They apply to the pixels from 0 to 255, after the
/// image was cropped and resized as model.json says, and before it is normalized. With the same
/// ``TrainingOptions/seed``, a training makes the same changes on every machine, and after it was
/// continued from a checkpoint.
///
/// ```swift
/// var options = TrainingOptions(epochs: 20)
/// options.augmentations = [.crop(margin: 16), .flip(), .rotation(0.05), .brightness(0.1)]
/// ```
public enum Augmentation: Sendable, Hashable {
  /// Mirrors half of the images, like `RandomFlip`.
  case flip(FlipMode = .horizontal)
  /// Prepares the image larger by a number of pixels on both axes, and takes a part of the input's size
  /// at a random place, like `RandomCrop`.
  case crop(margin: Int)
  /// Rotates by up to this share of a full turn in both directions, like `RandomRotation` with bilinear
  /// interpolation: 0.05 stands for 18 degrees.
  case rotation(Double, fill: FillMode = .reflect)
  /// Adds up to this share of 255 to all values, or takes it away, like `RandomBrightness`.
  case brightness(Double)
  /// Multiplies the differences from the mean of each channel by 1 and up to this much more or less, like
  /// `RandomContrast`.
  case contrast(Double)
  /// Multiplies the saturation by `x / (1 - x)`, where x differs from 0.5 by up to half of the number, like
  /// `RandomSaturation` with a `value_range` of `(0, 1)`.
  case saturation(Double)
  /// Turns the hue by up to half of this share of the circle in both directions, like `RandomHue`.
  case hue(Double)
  /// Mixes each item with another one of its step, like `MixUp`: the images and all other inputs that are
  /// floating-point numbers, such as a label for each class. The share follows a beta distribution.
  case mixUp(alpha: Double = 0.2)

  /// The axes along which an image is mirrored.
  public enum FlipMode: String, Sendable, CaseIterable {
    /// Left and right change places.
    case horizontal
    /// Top and bottom change places.
    case vertical
    /// Both at once, or neither.
    case both
  }

  /// What is beyond the edges of an image that is rotated.
  public enum FillMode: String, Sendable, CaseIterable {
    /// The image mirrored at its edge, which is repeated: `dcba|abcd|dcba`.
    case reflect
    /// The image once more: `abcd|abcd|abcd`.
    case wrap
    /// Black.
    case constant
    /// The values of the edge: `aaaa|abcd|dddd`.
    case nearest
  }
}

extension Augmentation: CustomStringConvertible {
  /// The augmentation as the command line takes it, such as `rotation=0.05,fill=reflect`.
  public var description: String {
    switch self {
    case .flip(let mode): "flip=\(mode.rawValue)"
    case .crop(let margin): "crop=\(margin)"
    case .rotation(let factor, let fill): "rotation=\(factor),fill=\(fill.rawValue)"
    case .brightness(let factor): "brightness=\(factor)"
    case .contrast(let factor): "contrast=\(factor)"
    case .saturation(let factor): "saturation=\(factor)"
    case .hue(let factor): "hue=\(factor)"
    case .mixUp(let alpha): "mixup=\(alpha)"
    }
  }
}

extension Augmentation {
  /// Whether the change needs an image with colours.
  private var needsColors: Bool {
    switch self {
    case .saturation, .hue: true
    case .flip, .crop, .rotation, .brightness, .contrast, .mixUp: false
    }
  }

  /// Whether the change is one of an image alone.
  var changesImages: Bool { if case .mixUp = self { false } else { true } }

  /// Checks the numbers, and that the model has an input that can be changed.
  static func check(_ augmentations: [Augmentation], for signature: ModelSignature) throws {
    guard !augmentations.isEmpty else { return }
    for augmentation in augmentations { try augmentation.checkNumbers() }
    let images = signature.inputs.filter(\.isImage)
    if augmentations.contains(where: \.changesImages), images.count != 1 {
      throw TensorIOError(
        .invalidOption,
        "Augmentation changes the image of a model with one image input, and this model has "
          + (images.isEmpty ? "none" : quotedList(images.map(\.name))) + ".")
    }
    for spec in images {
      guard case .imageInput(let shape, _) = spec.kind, shape.format == .gray else { continue }
      if let augmentation = augmentations.first(where: \.needsColors) {
        throw TensorIOError(
          .invalidOption,
          "The augmentation '\(augmentation)' needs colours, but '\(spec.name)' is gray.")
      }
    }
    guard augmentations.contains(where: { !$0.changesImages }) else { return }
    guard augmentations.count(where: { !$0.changesImages }) == 1 else {
      throw TensorIOError(.invalidOption, "Mix items once: leave one mixUp.")
    }
    if let spec = signature.inputs.first(where: { $0.dataType != .float32 }) {
      throw TensorIOError(
        .invalidOption,
        "mixUp needs inputs of float32, but '\(spec.name)' is \(spec.dataType). A label that can be "
          + "mixed has a number for each class.")
    }
  }

  private func checkNumbers() throws {
    func check(_ number: Double, _ range: ClosedRange<Double>) throws {
      guard range.contains(number) else {
        throw TensorIOError(
          .invalidOption,
          "The augmentation '\(self)' takes a number from \(range.lowerBound) to "
            + "\(range.upperBound).")
      }
    }
    switch self {
    case .flip: break
    case .crop(let margin): try check(Double(margin), 1...4096)
    case .rotation(let factor, _): try check(factor, 0...1)
    case .brightness(let factor), .contrast(let factor), .saturation(let factor), .hue(let factor):
      try check(factor, 0...1)
    case .mixUp(let alpha): try check(alpha, 0.001...1000)
    }
  }
}
