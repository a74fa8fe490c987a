// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import TensorIO
import TestSupport
import Testing

/// The page's view for labelling, in a browser.
@Suite(
  .enabled(if: Python.path != nil, "TENSORIO_PYTHON isn't set; see Tools/requirements.txt."))
struct NetRunnerLabelTests {
  /// Adds a model that finds the boxes in the pixels of a photo, and the digits.
  private static func addModels(to folder: String) throws {
    let bundle = try TemporaryBundle(
      "identity_image",
      inputs: [
        #"{"name": "photo", "type": "image", "shape": [8, 6, 3], "format": "RGB", "resize": "opencv-linear", "normalize": {"standard": "[0,1]"}}"#
      ],
      outputs: [
        #"{"name": "echo", "type": "array", "shape": [8, 18], "decode": {"type": "yolo", "layout": "v8", "units": "fractions", "labels": "labels.txt"}}"#
      ], assets: ["labels.txt": "circle\nsquare\nstar\ncross"])
    let path = folder + "/objects.tiobundle"
    try FileManager.default.copyItem(atPath: bundle.path, toPath: path)
    let json = try String(contentsOfFile: path + "/model.json", encoding: .utf8)
    try json.replacing(#""id": "test""#, with: #""id": "objects""#)
      .write(toFile: path + "/model.json", atomically: true, encoding: .utf8)
    try FileManager.default.copyItem(
      atPath: "\(CommandRunner.packageFolder.path)/Demo/digits.tiobundle",
      toPath: folder + "/digits.tiobundle")
  }

  @Test(arguments: PageSize.allCases)
  func `images get labels, boxes and outlines, which can be evaluated`(
    size: PageSize
  ) async throws {
    let models = try TemporaryFolder()
    let output = try TemporaryFolder()
    try Self.addModels(to: models.path)
    let server = try RunningServer(["--models", models.path])
    // Large lists don't depend on the size.
    let many = size == .medium ? ["--many"] : []
    let members = try await size.use("browse_label.py", [server.address, output.path] + many)
    let others = ["axe", "console", "milliseconds"]
    for (what, value) in members where !others.contains(what) {
      #expect(value == .bool(true), "\(what)")
    }
    #expect(members.count == (many.isEmpty ? 51 : 54))
    #expect(members["axe"] == .array([]))
    #expect(members["console"] == .array([]))
    let report = try await CommandRunner.run([
      "evaluate", output.path + "/objects-coco/annotations.json", "--model",
      models.path + "/objects.tiobundle", "--json",
    ])
    #expect(report.status == 0, "\(report)")
    let evaluation = try JSONValue(parsing: Data(report.output.utf8))
    guard case .object(let document) = evaluation, case .array(let results)? = document["models"],
      case .object(let model)? = results.first
    else {
      Issue.record("\(report.output)")
      return
    }
    #expect(model["pictures"] == .number(2) && model["failed"] == .number(0), "\(model)")
    #expect(model["labelled"] == .number(2), "\(model)")
  }
}
#endif
