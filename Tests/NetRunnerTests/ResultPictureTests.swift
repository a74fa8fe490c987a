// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Charts
import Foundation
import TensorIO
import TensorIOImageCodecs
import TensorIOLiteRT
import TestSupport
import Testing

@testable import NetRunner

/// Reports on models whose results are pictures.
struct ResultPictureTests {
  /// Writes a bundle of a model that returns its image of 6 x 8 pixels.
  private func bundle(_ model: String, format: String, channels: Int, output: String) throws
    -> ModelBundle
  {
    let bundle = FileManager.default.temporaryDirectory
      .appending(path: "pictures-\(UUID().uuidString)/echo.tiobundle")
    let assets = bundle.appending(path: "assets")
    try FileManager.default.createDirectory(at: assets, withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      atPath: FileManager.default.currentDirectoryPath + "/Tests/Fixtures/Models/\(model).tflite",
      toPath: bundle.path + "/model.tflite")
    let document = """
      {"name": "Echo", "details": "", "id": "echo", "version": "1", "author": "", "license": "",
       "model": {"file": "model.tflite", "quantized": \(channels == 1)},
       "inputs": [{"name": "image", "type": "image", "shape": [8, 6, \(channels)],
                   "format": "\(format)"}],
       "outputs": [{"name": "echo", \(output)}]}
      """
    try Data(document.utf8).write(to: bundle.appending(path: "model.json"))
    return try ModelBundle(bundle.path)
  }

  /// A photo of 6 x 8 pixels that gets lighter downwards.
  private static let photo = PixelBuffer(
    width: 6, height: 8, format: .rgb,
    bytes: (0..<8).flatMap { [UInt8](repeating: UInt8($0 * 30), count: 18) })

  private func report(_ bundle: ModelBundle, images: Int) throws -> EvaluationReport {
    let samples = (0..<images).map {
      Sample(id: "\($0)", source: .pixels(Self.photo, name: "\($0)"))
    }
    let run = try EvaluationRun(
      Dataset(layout: .folder, name: "photos", path: "photos", samples: samples),
      options: EvaluationOptions())
    return try run.evaluate([bundle], with: [.liteRT])
  }

  private static func pixels(_ picture: ResultPicture?) throws -> PixelBuffer {
    let picture = try #require(picture)
    let parts = picture.address.split(separator: ",")
    let bytes = try #require(Data(base64Encoded: String(parts[1])))
    return try ImageDecoder().decode([UInt8](bytes), named: "the picture")
  }

  /// The bytes without alpha.
  private static func bytes(_ image: PixelBuffer) -> [UInt8] {
    let size = image.format.bytesPerPixel
    return image.withBytes { bytes in
      bytes.withUnsafeBytes { bytes in
        bytes.indices.filter { $0 % size < 3 }.map { bytes[$0] }
      }
    }
  }

  @Test func `the first images have a picture of the depth`() throws {
    let bundle = try bundle(
      "identity_image_gray_uint8", format: "GRAY", channels: 1,
      output: #""type": "array", "shape": [8, 6], "decode": {"type": "depth", "inverse": true}"#)
    let report = try report(bundle, images: 30)
    #expect(report.results.map { $0.picture != nil } == (0..<30).map { $0 < 24 })
    let picture = try Self.pixels(report.results[0].picture)
    #expect((picture.width, picture.height) == (6, 8))
    // From the farthest value, 0, to the nearest one, 210.
    let lights = (0..<8).map { UInt8((Double($0 * 30) / 210 * 255).rounded()) }
    #expect(
      Self.bytes(picture)
        == lights.flatMap { light in
          [UInt8](repeating: light, count: 18)
        })
    let read = try EvaluationReport(json: report.json())
    #expect(read.results.map(\.picture) == report.results.map(\.picture))
    let html = try HTMLReport(read, images: ReportImages { _ in Self.photo }).text()
    let pictures = html.matches(of: /<img alt="echo" src="data:image\/png;base64,/)
    #expect(pictures.count == 24)
    #expect(html.contains("from 0 to 210"))
  }

  @Test func `an image is its own picture`() throws {
    let bundle = try bundle(
      "identity_image", format: "RGB", channels: 3,
      output: #""type": "image", "shape": [8, 6, 3], "format": "RGB""#)
    let picture = try Self.pixels(report(bundle, images: 1).results[0].picture)
    #expect(Self.bytes(picture) == Self.bytes(Self.photo))
  }

  @Test func `a class map has a legend, and keeps its colours when it is scaled down`() throws {
    let classes = (0..<300 * 400).map { UInt16($0 % 300 < 225 ? 7 : $0 / 300 < 100 ? 2 : 0) }
    var prediction = Prediction()
    let map = ClassMap(
      width: 300, height: 400, classes: classes, labels: Labels(text: "sky\nsea\n<land>"))
    prediction.outputs = [("scores", .number(.float(1))), ("map", .classMap(map))]
    let picture = try #require(try ResultPicture(prediction))
    #expect(picture.output == "map")
    #expect(picture.legend?.map(\.label) == ["class 7", "sky", "<land>"])
    #expect(picture.legend?.map(\.share) == [0.75, 0.1875, 0.0625])
    let pixels = try Self.pixels(picture)
    #expect((pixels.width, pixels.height) == (180, 240))
    let colours = Set(
      pixels.withBytes { bytes in
        bytes.withUnsafeBytes { bytes in
          stride(from: 0, to: bytes.count, by: pixels.format.bytesPerPixel).map {
            Array(bytes[$0..<$0 + 3])
          }
        }
      })
    let expected = map.legend.map { [$0.color.red, $0.color.green, $0.color.blue] }
    #expect(colours == Set(expected))
    var row = ResultRow(
      index: 0, type: "file", image: "a.png", model: "m", testBundle: "d", error: false)
    row.picture = picture
    let html = AnswersSection(
      rows: [row], images: ReportImages { _ in Self.photo }, galleryLength: 6
    ).html.text
    #expect(html.contains("<bdi>&lt;land&gt;</bdi> 6.3%"), "\(html)")
    row.picture?.address = "javascript:alert(1)"
    #expect(
      !AnswersSection(rows: [row], images: ReportImages { _ in Self.photo }, galleryLength: 6)
        .html.text.contains("javascript"))
  }
}
