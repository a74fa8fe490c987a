// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import NetRunner
import TensorIO
import TensorIOLiteRT
import Testing

/// Tests the example of the README and of the documentation.
@Suite struct EvaluationExampleTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  @Test func `the example evaluates two models, and its report can be read again`() async {
    // This runs in its own process and folder, because the example's paths are relative.
    await #expect(processExitsWith: .success) {
      let files = FileManager.default
      let root = EvaluationExampleTests.root.path
      let folder = files.temporaryDirectory.appending(path: "example-\(UUID())").path
      try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
      defer { try? files.removeItem(atPath: folder) }
      try files.createSymbolicLink(
        atPath: folder + "/Demo", withDestinationPath: root + "/Demo")
      guard files.changeCurrentDirectoryPath(folder) else { throw CocoaError(.fileNoSuchFile) }

      // The example begins.
      let dataset = try Dataset(contentsOf: "Demo/digits.testbundle")
      let models = try ["digits", "digits-int8"].map { try ModelBundle("Demo/\($0).tiobundle") }
      let report = try EvaluationRun(dataset).evaluate(models, with: [.liteRT])
      for result in try Gate(parsing: "top1=0.9").check(report) {
        print(result.message)
      }
      for row in report.results where row.isCorrect == false {
        print(row.model, row.image, row.errorDescription ?? row.predicted ?? "nothing")
      }
      try report.write(to: "report.json")
      // The example ends.

      let written = try EvaluationReport(contentsOf: folder + "/report.json")
      let right = written.results.count { $0.isCorrect == true }
      guard written.models.map(\.model.id) == dataset.modelIDs, written.results.count == 40,
        right >= 38
      else {
        throw TensorIOError(
          .internalFault, "\(right) of \(written.results.count) answers are right.")
      }
    }
  }

  @Test(arguments: ["README.md", "Sources/NetRunner/Documentation.docc/NetRunner.md"])
  func `the documents show the code that the test runs`(_ page: String) throws {
    let lines = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: false)
    let first = try #require(lines.firstIndex { $0.hasSuffix("// The example begins.") })
    let last = try #require(lines.firstIndex { $0.hasSuffix("// The example ends.") })
    let example = lines[(first + 1)..<last].map { $0.dropFirst(6) }.joined(separator: "\n")
    let text = try String(contentsOf: Self.root.appending(path: page), encoding: .utf8)
    #expect(text.contains(example + "\n```"))
  }

  @Test func `a metric of one's own can give data for charts`() {
    var report = MetricReport(values: [MetricValue("agreement", 0.5, count: 2)])
    report.confusion = ConfusionMatrix(
      labels: ["a", "b"], counts: [[1, 0], [1, 0]], failed: [0, 0])
    report.classes = [ClassMetrics(label: "a", support: 1, values: ["recall": 1])]
    report.roc = [
      ROCCurve(
        label: "a", area: 0.5, points: [.init(falsePositiveRate: 0, truePositiveRate: 0)])
    ]
    report.calibration = [
      CalibrationBin(lower: 0, upper: 1, count: 2, confidence: 0.75, accuracy: 0.5)
    ]
    #expect(report.confusion?.counts == [[1, 0], [1, 0]] && report.classes?.count == 1)
  }
}
