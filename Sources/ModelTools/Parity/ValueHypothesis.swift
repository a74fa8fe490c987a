// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// One way in which bytes may have become numbers, which are rounded if they are whole.
struct ValueHypothesis {
  var normalization: KnownNormalization
  var storage: NumberStorage
  var rounding: Rounding

  /// Returns the mean distance of the reference from what this makes of an image, in bytes.
  func error(
    _ planes: [[Float]], _ order: ChannelOrder, _ reference: ReferenceTensor, step: Int
  ) -> Double {
    var sum = 0.0
    var count = 0.0
    let range = storage.range
    for (channel, theirs) in reference.channels.enumerated() {
      let color = order.isGray ? 0 : order.plane(channel)
      let plane = planes[order.plane(channel)]
      let (scale, bias) = line(ofColor: color)
      let unit = Double(scale.magnitude)
      guard unit > 0 else { return .infinity }
      for index in stride(from: 0, to: theirs.count, by: step) {
        var value = rounding(scale * plane[index] + bias)
        if let range { value = min(max(value, range.lowerBound), range.upperBound) }
        sum += Double((value - theirs[index]).magnitude) / unit
        count += 1
      }
    }
    return sum / max(count, 1)
  }

  private func line(ofColor color: Int) -> (scale: Float, bias: Float) {
    let scale = normalization.values.scale.ordered(.rgb)[color]
    let bias = normalization.values.bias.ordered(.rgb)[color]
    switch storage {
    case .floats, .bytes: return (scale, bias)
    case .bytesLess128: return (scale, bias - 128)
    case .model(let stored, let zeroPoint, _): return (scale / stored, bias / stored + zeroPoint)
    }
  }
}

enum NumberStorage: Hashable {
  case floats
  case bytes
  case bytesLess128
  /// Quantized with the scale and the zero point that the model stores.
  case model(scale: Float, zeroPoint: Float, isSigned: Bool)

  var label: String {
    switch self {
    case .floats: "floats"
    case .bytes: "bytes from 0 to 255"
    case .bytesLess128: "bytes minus 128"
    case .model(let scale, let zeroPoint, _):
      "the model's scale \(scale) and zero point \(Int(zeroPoint))"
    }
  }

  fileprivate var range: ClosedRange<Float>? {
    switch self {
    case .floats: nil
    case .bytes: 0...255
    case .bytesLess128: -128...127
    case .model(_, _, let isSigned): isSigned ? -128...127 : 0...255
    }
  }
}

struct KnownNormalization {
  let label: String
  let values: PixelNormalization
  private let ownSuggestion: String?

  init(_ label: String, _ values: PixelNormalization, suggestion: String? = nil) {
    self.label = label
    self.values = values
    ownSuggestion = suggestion
  }

  func suggestion(isGray: Bool) -> String {
    ownSuggestion
      ?? "Write \(Self.json(values, isGray: isGray)) in model.json, or change the Python code."
  }

  static let none = KnownNormalization(
    "none (0...255)", PixelNormalization(scale: 1),
    suggestion: "Remove \"normalize\" from model.json, or change the Python code.")

  static let all: [KnownNormalization] = [
    none,
    standard("[0,1]", .zeroToOne), standard("[-1,1]", .minusOneToOne),
    KnownNormalization("ImageNet's mean and deviation (torchvision)", imageNet),
    KnownNormalization(
      "ImageNet's mean and deviation with red and blue swapped", imageNet.exchanged),
    KnownNormalization("Caffe's means", caffe),
    KnownNormalization("Caffe's means with red and blue swapped", caffe.exchanged),
    KnownNormalization("CLIP's mean and deviation", clip),
    KnownNormalization("v / 256", PixelNormalization(scale: 1 / 256)),
    KnownNormalization(
      "(v - 127.5) / 128", PixelNormalization(scale: 1 / 128, bias: ColorValues(all: -127.5 / 128))),
    KnownNormalization(
      "(v - 128) / 128", PixelNormalization(scale: 1 / 128, bias: ColorValues(all: -1))),
    KnownNormalization("v - 128", PixelNormalization(scale: 1, bias: ColorValues(all: -128))),
  ]

  private static func standard(_ name: String, _ values: PixelNormalization) -> Self {
    KnownNormalization(
      name, values,
      suggestion:
        "Write \"normalize\": {\"standard\": \"\(name)\"} in model.json, or change the Python code."
    )
  }

  private static let imageNet = PixelNormalization(
    mean: (0.485, 0.456, 0.406), deviation: (0.229, 0.224, 0.225))
  private static let clip = PixelNormalization(
    mean: (0.48145466, 0.4578275, 0.40821073), deviation: (0.26862954, 0.26130258, 0.27577711))
  private static let caffe = PixelNormalization(
    scale: ColorValues(all: 1), bias: ColorValues(red: -123.68, green: -116.779, blue: -103.939))

  /// Returns a normalization in the form of model.json.
  static func json(_ values: PixelNormalization, isGray: Bool = false) -> String {
    func text(_ colors: ColorValues) -> String {
      "{\"r\": \(colors.red), \"g\": \(colors.green), \"b\": \(colors.blue)}"
    }
    let scale = values.scale.common.map { "\($0)" } ?? text(values.scale)
    // Only the bias of a gray layer is a single number.
    let bias = isGray ? "\(values.bias.red)" : text(values.bias)
    return "\"normalize\": {\"scale\": \(scale), \"bias\": \(bias)}"
  }
}

extension PixelNormalization {
  /// Makes the normalization `(v / 255 - mean) / deviation`.
  fileprivate init(mean: (Float, Float, Float), deviation: (Float, Float, Float)) {
    self.init(
      scale: ColorValues(
        red: 1 / (255 * deviation.0), green: 1 / (255 * deviation.1),
        blue: 1 / (255 * deviation.2)),
      bias: ColorValues(
        red: -mean.0 / deviation.0, green: -mean.1 / deviation.1, blue: -mean.2 / deviation.2))
  }

  /// The normalization with the numbers of red and blue swapped.
  fileprivate var exchanged: PixelNormalization {
    func exchange(_ colors: ColorValues) -> ColorValues {
      ColorValues(red: colors.blue, green: colors.green, blue: colors.red)
    }
    return PixelNormalization(scale: exchange(scale), bias: exchange(bias))
  }
}
