// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TestSupport
import Testing

@testable import NetRunner

@Suite struct ReportComparisonTests {
  /// The numbers of images that only one model predicts correctly, and of all images.
  struct Table: Codable {
    var onlyA: Int
    var onlyB: Int
    var count: Int
  }

  static let tables = [
    (20, 40, 160), (0, 0, 50), (0, 5, 44), (1, 0, 1), (0, 3, 3), (3, 12, 30), (15, 15, 100),
    (150, 86, 1600), (24, 25, 20_000), (900, 1100, 20_000), (20_000, 0, 20_000), (0, 1, 20_000),
  ].map { Table(onlyA: $0, onlyB: $1, count: $2) }

  /// Tango's test by its definition: a search maximizes the likelihood, not Tango's formula.
  private static let script = """
    import json, sys
    from math import log, sqrt
    from scipy import optimize, stats
    def tango(b, c, n):
        z, d = stats.norm.ppf(0.975), (b - c) / n
        def statistic(delta):
            low, high = max(0, -delta), (1 - delta) / 2
            def loss(q):
                rest = 1 - 2 * q - delta
                parts = [(b, q + delta), (c, q), (n - b - c, rest)]
                return -sum(k * log(max(p, 1e-300)) for k, p in parts if k)
            q = optimize.minimize_scalar(loss, bounds=(low, high), method="bounded",
                                         options={"xatol": 1e-13}).x
            return (b - c - n * delta) / sqrt(max(1e-300, n * (2 * q + delta * (1 - delta))))
        def edge(end, sign):
            if d == end:
                return end
            return optimize.brentq(lambda x: statistic(x) - sign * z, d, end * (1 - 1e-12), xtol=1e-12)
        return [edge(-1, 1), edge(1, -1)]
    answers = []
    for t in json.load(open(sys.argv[1])):
        a, b, n = t["onlyA"], t["onlyB"], t["count"]
        p = stats.binomtest(min(a, b), a + b).pvalue if a + b else 1
        x = max(0, abs(a - b) - 1) ** 2 / (a + b) if a + b else 0
        answers.append([p, x, stats.chi2.sf(x, 1), *tango(b, a, n)])
    print(json.dumps(answers))
    """

  @Test(.enabled(if: Python.path != nil, "TENSORIO_PYTHON isn't set; the test needs SciPy."))
  func `tests and intervals equal SciPy's`() async throws {
    let data = try JSONEncoder().encode(Self.tables)
    let output = try await ReportPeer.run(
      ["-W", "ignore", "-c", Self.script], on: [String(decoding: data, as: UTF8.self)])
    let answers = try JSONDecoder().decode([[Double]].self, from: Data(output.utf8))
    for (table, answer) in zip(Self.tables, answers) {
      let test = McNemarTest(onlyA: table.onlyA, onlyB: table.onlyB)
      let difference = PairedDifference(
        bothRight: 0, onlyA: table.onlyA, onlyB: table.onlyB, of: table.count)
      #expect(abs(test.exactP - answer[0]) <= 1e-10 * answer[0], "\(table)")
      #expect(abs((test.chiSquare ?? 0) - answer[1]) <= 1e-12 * answer[1], "\(table)")
      #expect(abs((test.chiSquareP ?? 1) - answer[2]) <= 1e-12 * answer[2] + 1e-300, "\(table)")
      #expect(abs(difference.interval.lower - answer[3]) < 2e-6, "\(table) \(difference)")
      #expect(abs(difference.interval.upper - answer[4]) < 2e-6, "\(table) \(difference)")
    }
  }

  @Test func `McNemar's test gives known values`() {
    // Agresti, Categorical Data Analysis: 150 and 86 of 1600 voters changed their mind.
    let test = McNemarTest(onlyA: 150, onlyB: 86)
    #expect(abs((test.chiSquare ?? 0) - 63.0 * 63 / 236) < 1e-12)
    #expect(McNemarTest(onlyA: 0, onlyB: 0).exactP == 1)
    #expect(McNemarTest(onlyA: 0, onlyB: 0).chiSquare == nil)
    #expect(McNemarTest(onlyA: 7, onlyB: 7).exactP == 1)
    #expect(McNemarTest(onlyA: 7, onlyB: 7).chiSquareP == 1)
    #expect(McNemarTest(onlyA: 0, onlyB: 6).exactP == 0.03125)
  }

  @Test func `the interval is symmetric and never empty`() {
    let one = PairedDifference(bothRight: 10, onlyA: 3, onlyB: 9, of: 40)
    let other = PairedDifference(bothRight: 10, onlyA: 9, onlyB: 3, of: 40)
    #expect(abs(one.interval.lower + other.interval.upper) < 1e-12)
    #expect(abs(one.interval.upper + other.interval.lower) < 1e-12)
    let same = PairedDifference(bothRight: 50, onlyA: 0, onlyB: 0, of: 50)
    #expect(same.interval.lower < -0.05 && same.interval.upper > 0.05)
    let all = PairedDifference(bothRight: 0, onlyA: 0, onlyB: 9, of: 9)
    #expect(all.interval.upper == 1 && all.interval.lower < 1)
  }

  @Test func `a ratio is the median of the images' ratios`() {
    var pairs: [(a: Double, b: Double)] = []
    for place in 1...101 {
      let latency = Double(place)
      pairs.append((a: latency, b: place % 2 == 0 ? 3 * latency : 2 * latency))
    }
    let useless: [(a: Double, b: Double)] = [(0, 1), (1, .nan), (.infinity, 1)]
    let ratio = LatencyRatio(stage: "total", pairs: pairs + useless)
    #expect(ratio.count == 101)
    #expect(ratio.median == 2)
    #expect(ratio.interval?.lower == 2 && ratio.interval?.upper == 3)
    #expect(LatencyRatio(stage: "total", pairs: pairs, seed: 1).interval != nil)
    #expect(LatencyRatio(stage: "total", pairs: Array(pairs.prefix(19))).interval == nil)
    #expect(LatencyRatio(stage: "total", pairs: []).median == nil)
  }

  @Test func `the resampled interval of a median fits the binomial distribution`() throws {
    var random = SplitMix64(seed: 3)
    let ratios = (0..<2001).map { _ in 1 + random.uniform() }.sorted()
    let ratio = LatencyRatio(stage: "total", pairs: ratios.map { (1, $0) }, seed: 9)
    let interval = try #require(ratio.interval)
    // The order statistics at n / 2 -+ 1.96 * sqrt(n) / 2.
    #expect(abs(interval.lower - ratios[1000 - 44]) < 0.004)
    #expect(abs(interval.upper - ratios[1000 + 44]) < 0.004)
    let again = LatencyRatio(stage: "total", pairs: ratios.reversed().map { (1, $0) }, seed: 9)
    #expect(again == ratio)
  }

  // MARK: - Reports

  @Test func `two models of a report are paired by image`() throws {
    let report = ReportFixture(models: ["mobile", "large"]).make()
    let comparison = try ReportComparison(report, "mobile", "large")
    #expect(comparison.paired == 500 && comparison.scored == 500)
    #expect(comparison.warnings.isEmpty)
    let (both, neither) = (comparison.bothRight, comparison.bothWrong)
    let (onlyA, onlyB) = (comparison.mcNemar.onlyA, comparison.mcNemar.onlyB)
    #expect(both + neither + onlyA + onlyB == 500)
    #expect(comparison.flips.count == onlyA + onlyB && onlyA > 0 && onlyB > 0)
    let top1 = report.models.map { $0.metrics["classification"]?.values[0].value }
    #expect(comparison.accuracy?.a == top1[0] && comparison.accuracy?.b == top1[1])
    #expect(comparison.a.failed == comparison.b.failed && comparison.a.failed.count == 3)
    #expect(comparison.latency.map(\.count) == [497, 497])
    #expect((comparison.latency[0].median ?? 0) > 1.5)
    for flip in comparison.flips {
      #expect((flip.predictedA == flip.truth) == flip.isRightInA)
    }
    let mirrored = try ReportComparison(report, "large", "mobile")
    #expect(mirrored.mcNemar.onlyA == onlyB && mirrored.mcNemar.exactP == comparison.mcNemar.exactP)
  }

  @Test func `images that only one report has are listed`() throws {
    let first = ReportFixture(images: 60, failures: [1]).make()
    var second = ReportFixture(images: 60, failures: [2]).make()
    second.results.removeAll { $0.index == 5 || $0.index == 6 }
    second.results[0].image = "new.jpg"
    second.results[7].isCorrect = nil
    let comparison = try ReportComparison(first, second)
    #expect(comparison.paired == 57 && comparison.scored == 56)
    #expect(comparison.a.unpaired == ["images/cat-0.jpg", "images/bee-5.jpg", "images/ant-6.jpg"])
    #expect(comparison.b.unpaired == ["new.jpg"])
    #expect(comparison.a.failed == ["images/dog-1.jpg"])
    #expect(comparison.b.failed == ["images/fox-2.jpg"])
    #expect(comparison.text.contains("Images     57 in both, 3 only in a, 1 only in b"))
    #expect(comparison.text.contains("b says nothing (failed)"))
  }

  @Test func `different datasets are rejected or give a warning`() throws {
    let first = ReportFixture(images: 30).make()
    var second = first
    second.dataset.sha256 = ReportFixture.hash("other")
    second.environment.cpu = "Another CPU"
    second.results[3].truth = "emu"
    let error = #expect(throws: TensorIOError.self) { try ReportComparison(first, second) }
    #expect(error?.message.contains(second.dataset.sha256) == true)
    var options = ReportComparison.Options()
    options.allowsOtherDatasets = true
    let warnings = try ReportComparison(first, second, options).warnings
    #expect(warnings.count == 3)
    #expect(warnings[0].hasPrefix("The datasets differ: \(first.dataset.sha256) in the first"))
    #expect(warnings[1].hasPrefix("The processor differs: Some CPU @ 2.50GHz in the first report"))
    #expect(warnings[2] == "1 of 30 images has a different label in the second report.")
  }

  @Test func `for an unknown model, the error lists the others`() throws {
    let report = ReportFixture(images: 20, models: ["mobile", "large"]).make()
    func message(_ body: () throws -> ReportComparison) -> String {
      #expect(throws: TensorIOError.self) { try body() }?.message ?? ""
    }
    #expect(
      message { try ReportComparison(report, report) }
        == "The first report has 2 models (mobile, large). Name the one to compare with "
        + "--model ID for each report.")
    #expect(
      message { try ReportComparison(report, "mobile", "huge") }
        == "The second report has no model 'huge'. It has: mobile, large.")
    #expect(
      message { try ReportComparison(report, "mobile", "mobile") }
        == "'mobile' cannot be compared with itself: name two models.")
    var twice = report
    twice.results[1].image = twice.results[0].image
    #expect(
      message { try ReportComparison(twice, "mobile", "large") }
        .hasPrefix("The first report has the image 'images/cat-0.jpg' twice for 'mobile'"))
  }

  @Test func `the JSON is stable and can be read again`() throws {
    let report = ReportFixture(models: ["mobile", "large"]).make()
    let comparison = try ReportComparison(report, "mobile", "large", seed: 7)
    let text = try comparison.json()
    let again = try JSONDecoder().decode(ReportComparison.self, from: Data(text.utf8))
    #expect(try again.json() == text)
    #expect(again.text == comparison.text)
  }
}
