// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import Testing

@testable import ModelTools

/// Quantized layers, for which no bundle without a model will do.
@Suite struct QuantizedParityTests {
  private static let picture =
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

  /// Compares a layer's tensor with another's, whose numbers may go through a function.
  private static func report(
    _ layer: ImageLayer, _ other: ImageLayer,
    _ change: (Float) -> Float = { $0 }
  ) throws -> ParityReport {
    let maker = try PictureMaker(path: picture, target: (40, 40))
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

  @Test func `the same quantization is equal`() throws {
    let layer = try Self.layer(.minusOneToOne, scale: 2 / 255, zeroPoint: -1)
    #expect(try Self.report(layer, layer).isEqual)
  }

  @Test(arguments: [ResizeMethod.pillowBilinear, .tfBilinear])
  func `another normalization is found through the model's scale`(_ resize: ResizeMethod) throws {
    let ours = try Self.layer(.minusOneToOne, scale: 0.02, zeroPoint: 3, resize: resize)
    let theirs = try Self.layer(.zeroToOne, scale: 0.02, zeroPoint: 3, resize: resize)
    let report = try Self.report(ours, theirs)
    #expect(Self.differences(report) == ["normalization: [0,1]"])
  }

  @Test func `bytes less 128 for the model's scale are found`() throws {
    let ours = try Self.layer(.minusOneToOne, scale: 0.0125, zeroPoint: 3)
    let theirs = try Self.layer(nil, scale: 0.0125, zeroPoint: 3)
    let report = try Self.report(ours, theirs)
    #expect(
      Self.differences(report) == [
        "normalization: none (0...255)", "quantization: int8 (bytes minus 128)",
      ])
  }

  @Test func `truncation after the model's scale is found`() throws {
    let ours = try Self.layer(.minusOneToOne, scale: 0.0125, zeroPoint: 3)
    // What astype makes of the numbers before they are rounded.
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
