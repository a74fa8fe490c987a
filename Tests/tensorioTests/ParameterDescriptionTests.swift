// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import Testing

@testable import ModelTools
@testable import TensorIOLiteRT

/// What is taken from parameters, and what isn't.
@Suite struct ParameterDescriptionTests {
  private typealias Values = [String: ModelParameters.Value]

  private static let sound: Values = [
    "fe.sample_rate_hz": .number(16_000), "fe.sample_length_ms": .number(1000),
    "fe.window_size_ms": .number(30), "fe.window_step_ms": .number(20),
    "fe.filterbank_n_channels": .number(40),
  ]

  private static func describe(
    _ values: Values, _ input: [Int] = [1, 49, 40, 1], output: [Int] = [1, 3],
    type dataType: DataType = .int8, scale: Float? = 1, zeroPoint: Int64 = 0
  ) -> ParameterDescription {
    var tensor = TensorDescription(name: "input", dataType: dataType, shape: input)
    tensor.quantization = scale.map { StoredQuantization(scales: [$0], zeroPoints: [zeroPoint]) }
    return ParameterDescription(
      ModelParameters(values),
      SignatureDescription(
        key: "", inputs: [tensor],
        outputs: [TensorDescription(name: "output", dataType: .float32, shape: output)]))
  }

  @Test func `names of classes need a value each`() {
    let classes: Values = ["classes": .texts(["yes", "n\no", "other"])]
    let described = Self.describe(classes)
    #expect(described.labels == ["yes", "n o", "other"])
    #expect(described.checks == ["the model's own parameters (SL_PARAMSv1) give 3 class names"])
    let other = Self.describe(classes, output: [1, 16])
    #expect(other.labels == nil)
    #expect(
      other.checks == [
        "the model's own parameters (SL_PARAMSv1) name 3 classes, but the output has 16 values; the "
          + "names aren't used"
      ])
    let autoencoder = Self.describe(classes, [1, 3], output: [1, 3])
    #expect(autoencoder.labels == nil && autoencoder.checks.isEmpty)
    #expect(Self.describe(["classes": .texts([])]).checks.isEmpty)
  }

  @Test(
    arguments: [
      (0, DataType.float32, 1), (1 / 255, .float32, 255), (Double(Float(1) / 255), .int8, 255),
      (1 / 127.5, .float32, 127.5), (0, .int8, nil), (.nan, .float32, nil),
    ] as [(Double, DataType, Float?)])
  func `a factor of pixels is a normalization`(
    factor: Double, dataType: DataType, deviation: Float?
  ) {
    let described = Self.describe(
      ["samplewise_norm.rescale": .number(factor)], [1, 8, 8, 3], type: dataType)
    #expect(described.normalization?.mean == deviation.map { _ in [0] })
    #expect(described.normalization?.std == deviation.map { [$0] })
  }

  @Test func `only images have a factor`() {
    let described = Self.describe(
      ["samplewise_norm.rescale": .number(0)], [1, 5, 128, 1], type: .float32)
    #expect(described.normalization == nil && described.checks.isEmpty)
  }

  @Test func `images with a mean of their own have no factor`() {
    for key in ["mean_and_std", "mean", "std"] {
      let described = Self.describe(
        ["samplewise_norm.rescale": .number(0), "samplewise_norm.\(key)": .number(1)],
        [1, 8, 8, 3], type: .float32)
      #expect(described.isStandardized && described.normalization == nil)
    }
  }

  @Test func `a front end becomes an audio input only if its results fit`() {
    #expect(Self.describe(Self.sound).sound != nil)
    #expect(Self.describe(Self.sound, [1, 49, 1, 40]).sound != nil)
    let wrong = [
      Self.describe(Self.sound, [1, 50, 40, 1]),
      Self.describe(Self.sound, type: .float32, scale: nil),
      Self.describe(Self.sound, scale: 0.5), Self.describe(Self.sound, zeroPoint: -128),
      Self.describe(Self.sound.merging(["fe.window_step_ms": .number(0)]) { $1 }),
      Self.describe(Self.sound.merging(["fe.window_size_ms": .number(1e300)]) { $1 }),
      Self.describe(Self.sound.merging(["fe.sample_rate_hz": .number(0.5)]) { $1 }),
      Self.describe(Self.sound.merging(["fe.window_step_ms": .text("20")]) { $1 }),
      Self.describe(Self.sound, [1, 49, .max, 40]),
    ]
    for described in wrong {
      #expect(described.sound == nil)
      #expect(described.checks.first?.contains("describe a front end whose results don't") == true)
    }
  }

  @Test(arguments: [
    ("fe.dc_notch_filter_enable", "dc_notch_filter"),
    ("fe.quantize_dynamic_scale_enable", "quantize_dynamic_scale"),
    ("samplewise_norm.mean_and_std", "samplewise_norm"),
    ("samplewise_norm.rescale", "samplewise_norm"),
  ])
  func `a front end with more steps stays an array`(key: String, name: String) {
    let described = Self.describe(Self.sound.merging([key: .number(1)]) { $1 })
    #expect(described.sound == nil)
    #expect(described.checks.count == 1)
    #expect(described.checks[0].contains("(\(name)), which an audio input can't have"))
  }
}
