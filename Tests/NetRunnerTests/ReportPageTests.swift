// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import NetRunner
import TensorIO
import TensorIOImageCodecs
import Testing

@Suite struct ReportPageTests {
  /// Photos, tall and wide, tiny pictures, and some that cannot be read.
  static let pictures = ReportPictures { id in
    let number = id.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF }
    if number % 11 == 3 { throw TensorIOError(.invalidImage, "'\(id)' ends after 12 bytes.") }
    if number % 11 == 4 { throw TensorIOError(.fileNotFound, "There is no file '\(id)'.") }
    let (width, height) = number % 5 == 0 ? (8, 8) : number % 3 == 0 ? (300, 900) : (640, 480)
    let hue = Double(number % 97) / 97
    var bytes: [UInt8] = []
    for y in 0..<height {
      for x in 0..<width {
        let across = Double(x) / Double(width)
        let down = Double(y) / Double(height)
        let (dx, dy) = (across - 0.5, down - 0.45)
        let isDisc = dx * dx + dy * dy < 0.06
        for part in [hue, across, down] {
          let level = isDisc ? 0.85 * part + 0.1 : 0.5 * part + 0.3
          bytes.append(UInt8(255 * level))
        }
      }
    }
    return PixelBuffer(width: width, height: height, format: .rgb, bytes: bytes)
  }

  static let hundred = (0..<100).map { "class number \($0)" }

  /// The pages that people look at: from one small model to 20,000 pictures.
  static func pages() throws -> [(name: String, text: String)] {
    let one = ReportFixture().make()
    let three = ReportFixture(models: ["mobile", "large", "tiny"]).make()
    let gates = try ["top1>=0.8", "latency_p95<=20", "failed<=0"].flatMap {
      try Gate(parsing: $0).check(three)
    }
    let many = ReportFixture(
      classes: hundred, pictures: 20_000, models: ["mobile", "large", "tiny"]
    ).make()
    let few = ReportFixture(pictures: 12, failures: []).make()
    return [
      ("one", HTMLReport(one, pictures: pictures).text),
      ("three", HTMLReport(three, pictures: pictures, gates: gates).text),
      ("many", HTMLReport(many, pictures: pictures).text),
      ("few", HTMLReport(few).text),
      ("comparison", try ReportComparison(three, "mobile", "large", seed: 1).html),
    ]
  }

  private static let folder = ProcessInfo.processInfo.environment["TENSORIO_REPORT_PAGES"]

  @Test(.enabled(if: folder != nil, "TENSORIO_REPORT_PAGES names no folder for pages to look at."))
  func `pages to look at are written`() throws {
    let folder = try #require(Self.folder)
    for (name, text) in try Self.pages() {
      try ReportFile("\(folder)/\(name).html").write(text)
    }
  }
}
