// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import TensorIO

struct AugmentationTests {
  /// A change, and its numbers as the Python program takes them.
  ///
  /// `@unchecked Sendable` because the numbers never change.
  private struct Case: @unchecked Sendable {
    var change: ImageChange
    var json: [String: Any]
  }

  private static let cases: [Case] =
    Augmentation.FlipMode.allCases.map {
      Case(change: .flip($0), json: ["kind": "flip", "mode": $0.rawValue])
    }
    + [(0, 0), (3, 1), (2, 4)].map { x, y in
      Case(
        change: .crop(x: x, y: y, margin: 4), json: ["kind": "crop", "x": x, "y": y, "margin": 4])
    }
    + Augmentation.FillMode.allCases.flatMap { fill in
      [-180.0, -72.25, -10, 0, 3.5, 45, 90, 133].map { degrees in
        Case(
          change: .rotation(degrees: degrees, fill: fill),
          json: ["kind": "rotation", "degrees": degrees, "fill": fill.rawValue])
      }
    }
    + [-200, -12.5, 30, 120].map {
      Case(change: .brightness($0), json: ["kind": "brightness", "delta": $0])
    }
    + [0, 0.4, 1.7].map { Case(change: .contrast($0), json: ["kind": "contrast", "factor": $0]) }

  private static let colorCases: [Case] =
    [0, 0.3, 1.5, 40].map {
      Case(change: .saturation($0), json: ["kind": "saturation", "factor": $0])
    }
    + [-0.5, -0.2, 0.05, 0.5].map { Case(change: .hue($0), json: ["kind": "hue", "delta": $0]) }

  /// An image of random bytes with some gray, black and white pixels.
  private static func image(
    _ width: Int, _ height: Int, _ format: PixelBuffer.Format, _ generator: inout SplitMix64
  ) -> PixelBuffer {
    let channels = format.bytesPerPixel
    var bytes = (0..<(width * height * channels)).map { _ in UInt8(generator.next(below: 256)) }
    for pixel in [0, 3, 7] {
      let gray: UInt8 = [0, 255, 90][pixel % 3]
      for channel in 0..<channels { bytes[pixel * channels + channel] = gray }
    }
    return PixelBuffer(width: width, height: height, format: format, bytes: bytes)
  }

  /// Encodes an image for a model that takes its size, less the margin of a crop, without a normalization.
  private static func values(_ image: PixelBuffer, _ change: ImageChange) throws -> [Float] {
    var margin = 0
    if case .crop(_, _, let cropped) = change { margin = cropped }
    let shape = ImageShape(
      height: image.height - margin, width: image.width - margin,
      format: image.format == .gray ? .gray : .rgb)
    let spec = TensorSpec(
      name: "image", shape: shape.axes, kind: .imageInput(shape, ImagePreprocessing()))
    var values = [Float](repeating: -1, count: spec.elementCount)
    var span = values.mutableSpan
    var memory = span.mutableBytes
    try AugmentedImage(image, [change]).encode(into: &memory, as: spec)
    return values
  }

  private static func json(_ image: PixelBuffer) -> [[[Int]]] {
    let channels = image.format.bytesPerPixel
    return image.withBytes { bytes in
      (0..<image.height).map { y in
        (0..<image.width).map { x in
          (0..<channels).map { channel in
            Int(
              bytes.unsafeLoad(
                fromByteOffset: (y * image.width + x) * channels + channel, as: UInt8.self))
          }
        }
      }
    }
  }

  @Test(.enabled(if: Python.path != nil, "Python is missing; run 'Scripts/setup.sh --peers'."))
  func `every change equals that of Keras's layer`() async throws {
    var generator = SplitMix64(seed: 11)
    for format in [PixelBuffer.Format.rgb, .gray] {
      let images = [(9, 7), (16, 21), (33, 12)].map {
        Self.image($0.0, $0.1, format, &generator)
      }
      let cases = Self.cases + (format == .rgb ? Self.colorCases : [])
      let given = try JSONSerialization.data(withJSONObject: [
        "images": images.map(Self.json), "changes": cases.map(\.json),
      ])
      let output = try await Python.compute(["Tools/peers/augment.py"], input: given)
      let expected = try JSONDecoder().decode([[[Float]]].self, from: Data(output.utf8))
      #expect(expected.count == cases.count)
      for (test, results) in zip(cases, expected) {
        for (image, result) in zip(images, results) {
          let found = try Self.values(image, test.change)
          #expect(found.count == result.count)
          let difference = zip(found, result).map { abs($0 - $1) }.max() ?? .infinity
          #expect(difference < 0.01, "\(test.change) of \(image.width) x \(image.height) pixels")
        }
      }
    }
  }

  @Test(.enabled(if: Python.path != nil, "Python is missing; run 'Scripts/setup.sh --peers'."))
  func `mixed items equal those of Keras's layer`() async throws {
    var generator = SplitMix64(seed: 5)
    let images = [Self.image(5, 4, .rgb, &generator), Self.image(5, 4, .rgb, &generator)]
    let mix = BatchMix(partners: [1, 0], shares: [0.25, 0.9])
    let given = try JSONSerialization.data(withJSONObject: [
      "images": images.map(Self.json),
      "changes": [["kind": "mix", "partners": mix.partners, "shares": mix.shares]],
    ])
    let output = try await Python.compute(["Tools/peers/augment.py"], input: given)
    let expected = try JSONDecoder().decode([[[Float]]].self, from: Data(output.utf8))[0][0]
    var values = try images.flatMap { try Self.values($0, .brightness(0)) }
    var span = values.mutableSpan
    var memory = span.mutableBytes
    mix.apply(to: &memory)
    let difference = zip(values, expected).map { abs($0 - $1) }.max() ?? .infinity
    #expect(values.count == expected.count && difference < 1e-4)
  }

  @Test func `changed pixels are normalized as those of the image itself`() throws {
    var generator = SplitMix64(seed: 2)
    let image = Self.image(8, 6, .rgb, &generator)
    let normalization = PixelNormalization(
      scale: ColorValues(red: 0.5, green: 0.25, blue: 2), bias: ColorValues(red: 1, blue: -3))
    for layout in [ImageShape.Layout.channelsLast, .channelsFirst] {
      for format in ImageShape.Format.allCases {
        for type in [DataType.float32, .uint8, .float16, .int8] {
          let shape = ImageShape(height: 6, width: 8, format: format, layout: layout)
          var preprocessing = ImagePreprocessing()
          if type == .float32 || type == .float16 { preprocessing.normalization = normalization }
          let spec = TensorSpec(
            name: "image", shape: shape.axes, dataType: type,
            kind: .imageInput(shape, preprocessing))
          func bytes(_ value: any TensorEncodable) throws -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: spec.byteCount)
            var span = bytes.mutableSpan
            var memory = span.mutableBytes
            try value.encode(into: &memory, as: spec)
            return bytes
          }
          // Two flips undo each other.
          let found = try bytes(AugmentedImage(image, [.flip(.both), .flip(.both)]))
          #expect(try found == bytes(image), "\(layout), \(format), \(type)")
        }
      }
    }
  }

  @Test func `a tensor isn't changed as if it were an image`() throws {
    let shape = ImageShape(height: 1, width: 2, format: .rgb)
    let spec = TensorSpec(
      name: "image", shape: shape.axes, kind: .imageInput(shape, ImagePreprocessing()))
    let signature = ModelSignature(inputs: [spec], outputs: [])
    let plan = try #require(AugmentationPlan([.mixUp(), .flip()], for: signature))
    try plan.check([
      "image": PixelBuffer(width: 2, height: 1, format: .rgb, bytes: [0, 1, 2, 3, 4, 5])
    ])
    let tensor = try Tensor([1, 2, 3, 4, 5, 6] as [Float], shape: [1, 2, 3])
    for (value, noun) in [
      (tensor, "a tensor"), (TensorValue.tensor(tensor), "a tensor"), (Data(count: 24), "bytes"),
    ] as [(any TensorEncodable, String)] {
      let error = #expect(throws: TensorIOError.self) { try plan.check(["image": value]) }
      #expect(
        error?.message
          == "The augmentation 'flip=horizontal' changes the image 'image' before it is normalized, but got "
          + "\(noun), whose values the model takes as they are. Pass the file of an image, or train "
          + "without augmentations.")
    }
    // Items are mixed as the model takes them.
    try #require(AugmentationPlan([.mixUp()], for: signature)).check(["image": tensor])
  }

  @Test func `numbers are drawn from the ranges of Keras's layers`() {
    var generator = SplitMix64(seed: 1)
    let count = 4000
    func draws(_ augmentation: Augmentation) -> [ImageChange?] {
      (0..<count).map { _ in augmentation.draw(&generator) }
    }
    let flips = draws(.flip()).count { $0 != nil }
    #expect(abs(flips - count / 2) < 200)
    func check(_ augmentation: Augmentation, _ range: ClosedRange<Double>) {
      let numbers = draws(augmentation).map { change -> Double in
        switch change {
        case .rotation(let degrees, _): degrees
        case .brightness(let number), .contrast(let number), .saturation(let number),
          .hue(let number):
          Double(number)
        default: .nan
        }
      }
      let width = range.upperBound - range.lowerBound
      #expect(numbers.allSatisfy { range.lowerBound - 1e-6 * width...range.upperBound ~= $0 })
      #expect((numbers.max() ?? 0) - (numbers.min() ?? 0) > 0.98 * width, "\(augmentation)")
    }
    check(.rotation(0.1), -36...36)
    check(.brightness(0.2), -51...51)
    check(.contrast(0.3), 0.7...1.3)
    check(.saturation(0.2), 0.4 / 0.6...0.6 / 0.4)
    check(.hue(0.4), -0.2...0.2)
    var places: Set<[Int]> = []
    for case .crop(let x, let y, 2)? in draws(.crop(margin: 2)) { places.insert([x, y]) }
    #expect(places.count == 9)
    // The mean of a beta distribution with equal parameters is a half, and its variance 1 / (4 (2a + 1)).
    for alpha in [0.01, 0.2, 1, 3.5] {
      let shares = (0..<20_000).map { _ in generator.nextBeta(alpha) }
      #expect(shares.allSatisfy { (0...1).contains($0) })
      let mean = shares.reduce(0, +) / 20_000
      let variance = shares.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / 20_000
      #expect(abs(mean - 0.5) < 0.02)
      #expect(abs(variance - 1 / (4 * (2 * alpha + 1))) < 0.006, "\(alpha): \(variance)")
    }
  }

  @Test(arguments: [
    (
      [Augmentation.rotation(2)], "The augmentation 'rotation=2.0,fill=reflect' takes a number from"
    ),
    ([.crop(margin: 0)], "The augmentation 'crop=0' takes a number from 1.0 to 4096.0."),
    ([.hue(0.1)], "The augmentation 'hue=0.1' needs colours, but 'image' is gray."),
    ([.mixUp()], "mixUp needs inputs of float32, but 'label' is int32."),
    ([.brightness(.nan)], "The augmentation 'brightness=nan' takes a number from"),
  ])
  func `augmentations that don't suit the model are refused`(
    augmentations: [Augmentation], message: String
  ) {
    let shape = ImageShape(height: 4, width: 4, format: .gray)
    let signature = ModelSignature(
      inputs: [
        TensorSpec(
          name: "image", shape: shape.axes, kind: .imageInput(shape, ImagePreprocessing())),
        TensorSpec(name: "label", shape: [1], dataType: .int32, kind: .scalar(nil)),
      ], outputs: [])
    let error = #expect(throws: TensorIOError.self) {
      try Augmentation.check(augmentations, for: signature)
    }
    #expect(error?.message.hasPrefix(message) == true, "\(error?.message ?? "")")
  }
}
