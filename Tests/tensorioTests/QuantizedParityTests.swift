// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TensorIODecoding
import Testing

@testable import ModelTools

/// Parity of quantized layers, which a placeholder bundle can't have.
@Suite struct QuantizedParityTests {
  private static let image =
    CommandRunner.packageFolder.path + "/Tests/Fixtures/Parity/texture.jpg"

  private static func layer(
    _ normalization: PixelNormalization?, scale: Float, zeroPoint: Int64,
    resize: ResizeMethod = .pillowBilinear
  ) throws -> ImageLayer {
    try ImageLayer(
      TensorSpec(
        name: "image", shape: [40, 40, 3], dataType: .int8,
        kind: .imageInput(
          ImageShape(height: 40, width: 40),
          ImagePreprocessing(resize: resize, normalization: normalization)),
        storedQuantization: StoredQuantization(scales: [scale], zeroPoints: [zeroPoint])))
  }

  /// Compares a layer's tensor with another layer's, whose values are changed by a function.
  private static func report(
    _ layer: ImageLayer, _ other: ImageLayer,
    _ change: (Float) -> Float = { $0 }
  ) throws -> ParityReport {
    let maker = try ImageMaker(path: image, target: (40, 40))
    let theirs = try other.tensor(of: maker.upright).floats().map { Int8(change($0)) }
    let folder = try TemporaryFolder()
    let path = folder.path + "/theirs.npy"
    try NumPyFile.write(Tensor(theirs, shape: [40, 40, 3]), to: path)
    return try ParityReport(
      layer.tensor(of: maker.upright), of: maker, layer, ReferenceTensor(path, for: layer),
      tolerance: nil)
  }

  private static func differences(_ report: ParityReport) -> [String] {
    report.findings.filter { $0.result == .differs }
      .map { "\($0.stage.rawValue): \($0.looksLike ?? "")" }
  }

  @Test func `tensors with the same quantization are equal`() throws {
    let layer = try Self.layer(.minusOneToOne, scale: 2 / 255, zeroPoint: -1)
    #expect(try Self.report(layer, layer).isEqual)
  }

  @Test(arguments: [ResizeMethod.pillowBilinear, .tfBilinear])
  func `a different normalization is found despite the quantization`(_ resize: ResizeMethod) throws
  {
    let ours = try Self.layer(.minusOneToOne, scale: 0.02, zeroPoint: 3, resize: resize)
    let theirs = try Self.layer(.zeroToOne, scale: 0.02, zeroPoint: 3, resize: resize)
    let report = try Self.report(ours, theirs)
    #expect(Self.differences(report) == ["normalization: [0,1]"])
  }

  @Test func `bytes minus 128 instead of the model's scale are found`() throws {
    let ours = try Self.layer(.minusOneToOne, scale: 0.0125, zeroPoint: 3)
    let theirs = try Self.layer(nil, scale: 0.0125, zeroPoint: 3)
    let report = try Self.report(ours, theirs)
    #expect(
      Self.differences(report) == [
        "normalization: none (0...255)", "quantization: int8 (bytes minus 128)",
      ])
  }

  @Test func `truncation instead of rounding after the model's scale is found`() throws {
    let ours = try Self.layer(.minusOneToOne, scale: 0.0125, zeroPoint: 3)
    // The real values, which `astype` truncates instead of rounding.
    let real = try ImageLayer(
      TensorSpec(
        name: "image", shape: [40, 40, 3], dataType: .float32,
        kind: .imageInput(
          ImageShape(height: 40, width: 40), ImagePreprocessing(normalization: .minusOneToOne))))
    let report = try Self.report(ours, real) { $0 / 0.0125 + 3 }
    #expect(Self.differences(report) == ["quantization: truncation"])
    #expect(report.firstDifference == .quantization)
  }
}
