// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TestSupport
import Testing

@testable import NetRunner

/// Compares every value of the classification metric with scikit-learn's and SciPy's.
@Suite struct ClassificationParityTests {
  @Test(.enabled(if: MetricPeer.isThere, MetricPeer.reason))
  func `every value equals scikit-learn's`() async throws {
    let cases = ClassificationCase.all
    let answers = try await MetricPeer.answers(cases)
    try #require(answers.count == cases.count)
    for (item, theirs) in zip(cases, answers) {
      let report = try item.report()
      for value in report.values {
        #expect(
          isClose(value.value, theirs[value.name] ?? nil),
          "\(item.name): \(value.name) is \(value.value ?? .nan), not \(theirs[value.name] as Any)")
        guard let lower = theirs["\(value.name).lower"] else { continue }
        #expect(isClose(value.interval?.lower, lower), "\(item.name): \(value.name) from")
        #expect(
          isClose(value.interval?.upper, theirs["\(value.name).upper"] ?? nil),
          "\(item.name): \(value.name) to")
      }
      compareClasses(report, theirs, item.name)
    }
  }

  private func compareClasses(
    _ report: MetricReport, _ theirs: [String: Double?], _ name: String
  ) {
    for entry in report.classes ?? [] {
      #expect(isClose(Double(entry.support), theirs["class.\(entry.label).support"] ?? nil))
      for key in ["precision", "recall", "f1"] {
        let expected = theirs["class.\(entry.label).\(key)"] ?? nil
        #expect(
          isClose((entry.values[key] ?? nil) ?? 0, expected), "\(name): \(entry.label) \(key)")
      }
    }
    #expect(report.classes?.count == theirs.keys.count { $0.hasSuffix(".support") }, "\(name)")
    guard let confusion = report.confusion else {
      Issue.record("\(name) has no confusion matrix.")
      return
    }
    for (row, label) in confusion.labels.enumerated() {
      for (column, other) in confusion.labels.enumerated() {
        let expected = theirs["confusion.\(label).\(other)"] ?? nil
        #expect(isClose(Double(confusion.counts[row][column]), expected), "\(name)")
      }
    }
    let all = confusion.counts.joined().reduce(0, +) + confusion.failed.reduce(0, +)
    #expect(all == report.values.first?.count, "\(name)")
  }

  @Test(.enabled(if: MetricPeer.isThere, MetricPeer.reason))
  func `a value that is requested alone is the same`() async throws {
    for item in ClassificationCase.all where item.topK == 5 && item.truths.count < 50 {
      let report = try item.report()
      for value in report.values {
        let alone = try item.report(value.name)
        #expect(alone.values == [value], "\(item.name): \(value.name)")
      }
    }
  }
}
