// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TensorIOImageCodecs
import TensorIOLiteRT
import TestSupport
import Testing

@testable import NetRunner

/// The SHA-256 of a bundle, by which results are told apart.
@Suite struct ModelIdentityTests {
  private static let demo = EvaluatorTests.demo

  /// A copy of the demo's bundle, which a test can change.
  private struct Copy {
    let folder: TemporaryFolder
    let path: String

    init() throws {
      folder = try TemporaryFolder()
      path = folder.path + "/digits.tiobundle"
      try FileManager.default.copyItem(
        atPath: "\(ModelIdentityTests.demo)/digits.tiobundle", toPath: path)
    }

    func bundle() throws -> ModelBundle { try ModelBundle(path) }

    func sha256() throws -> String? { try ModelRecord(bundle(), ImageDecoder()).bundleSHA256 }

    func replace(_ text: String, with other: String, in file: String) throws {
      let before = try String(contentsOfFile: path + "/" + file, encoding: .utf8)
      let after = before.replacing(text, with: other)
      #expect(after != before)
      try after.write(toFile: path + "/" + file, atomically: true, encoding: .utf8)
    }
  }

  @Test func `only what decides results changes the SHA-256 of a bundle`() throws {
    let copy = try Copy()
    let first = try copy.sha256()
    #expect(try Copy().sha256() == first)
    try copy.replace("\"Digits\"", with: "\"Numbers\"", in: "model.json")
    try copy.replace("\"version\": \"1\"", with: "\"version\":   \"2\"", in: "model.json")
    try Data("notes".utf8).write(to: URL(filePath: copy.path + "/README.md"))
    #expect(try copy.sha256() == first)
    var found = [first]
    func expectChange() throws {
      let sha256 = try copy.sha256()
      #expect(!found.contains(sha256))
      found.append(sha256)
    }
    try copy.replace("three", with: "drei", in: "assets/labels.txt")
    try expectChange()
    try copy.replace("[0,1]", with: "[-1,1]", in: "model.json")
    try expectChange()
    let model = "\"file\": \"model.tflite\""
    let weights = copy.path + "/weights.safetensors"
    try Data("weights".utf8).write(to: URL(filePath: weights))
    try copy.replace(
      model, with: model + ", \"weights\": \"weights.safetensors\"", in: "model.json")
    try expectChange()
    try Data("other weights".utf8).write(to: URL(filePath: weights))
    try expectChange()
    try Data("a model".utf8).write(to: URL(filePath: copy.path + "/model.tflite"))
    try expectChange()
  }

  @Test(arguments: ["rows.jsonl", "rows.sqlite"])
  func `rows of other labels or of an earlier version aren't continued`(name: String) throws {
    let copy = try Copy()
    let path = copy.folder.path + "/" + name
    func run() throws {
      let images = try Dataset(images: ["\(Self.demo)/images/digit-7-01.png"])
      _ = try BulkRun(images, log: BulkMerge.log(path)).run([copy.bundle()], with: [.liteRT])
    }
    func message() -> String? { #expect(throws: TensorIOError.self) { try run() }?.message }
    try run()
    try run()
    var rows: [BulkRow] = []
    try BulkMerge.log(path).forEachRow { rows.append($0) }
    #expect(rows.count == 1)
    try copy.replace("three", with: "drei", in: "assets/labels.txt")
    #expect(message()?.contains("rows of a different 'digits'") == true)
    rows[0].run = try BulkRowMaker.olderStamp(
      of: ModelRecord(copy.bundle(), ImageDecoder()), EvaluationOptions())
    try BulkMerge.log(path, replacing: true).append(rows)
    #expect(message()?.contains("from an earlier version of this program") == true)
  }

  @Test func `a comparison warns of equal model files in different bundles`() throws {
    var reports = [ReportFixture(images: 10).make(), ReportFixture(images: 10).make()]
    #expect(try ReportComparison(reports[0], reports[1]).warnings.isEmpty)
    reports[1].models[0].model.bundleSHA256 = "1"
    #expect(try ReportComparison(reports[0], reports[1]).warnings.isEmpty)
    reports[0].models[0].model.bundleSHA256 = "0"
    let warnings = try ReportComparison(reports[0], reports[1]).warnings
    #expect(warnings.count == 1)
    #expect(
      warnings.first?.hasPrefix(
        "The bundles of the same model file differ: 0 in the first report, 1 in the second.")
        == true)
  }
}
