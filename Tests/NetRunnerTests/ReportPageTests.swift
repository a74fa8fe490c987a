// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TensorIOImageCodecs
import TestSupport
import Testing

@testable import NetRunner

@Suite struct ReportPageTests {
  /// Photos, tall and wide, tiny images, and some that can't be read.
  static let images = ReportImages { id in
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

  /// Pages to look at: from one small model to 20,000 images.
  static func pages() throws -> [(name: String, text: String)] {
    let one = ReportFixture().make()
    let three = ReportFixture(models: ["mobile", "large", "tiny"]).make()
    let gates = try ["top1>=0.8", "latency_p95<=20", "failed<=0"].flatMap {
      try Gate(parsing: $0).check(three)
    }
    let many = ReportFixture(
      classes: hundred, images: 20_000, models: ["mobile", "large", "tiny"]
    ).make()
    let few = ReportFixture(images: 12, failures: []).make()
    return [
      ("one", try HTMLReport(one, images: images).text()),
      ("three", try HTMLReport(three, images: images, gates: gates).text()),
      ("many", try HTMLReport(many, images: images).text()),
      ("few", try HTMLReport(few).text()),
      ("comparison", try ReportComparison(three, "mobile", "large", seed: 1).html()),
    ]
  }

  private static let folder = ProcessInfo.processInfo.environment["TENSORIO_REPORT_PAGES"]

  @Test(.enabled(if: folder != nil, "TENSORIO_REPORT_PAGES isn't set."))
  func `pages to look at are written`() throws {
    let folder = try #require(Self.folder)
    for (name, text) in try Self.pages() {
      try ReportFile("\(folder)/\(name).html").write(text)
    }
  }

  // MARK: - Contents of a page

  @Test func `a page shows the results`() throws {
    let text = try HTMLReport(ReportFixture().make(), images: Self.images).text()
    for part in [
      "<h1><bdi>A model named mobile</bdi> on <bdi>Animals</bdi></h1>", "500 images",
      "<time datetime=\"2025-06-01T08:30:00Z\">2025-06-01, 08:30 UTC</time>",
      "<strong>3 of 500 images failed.</strong>", "2 files are not images and were left out",
      "<th scope=\"row\">top1</th><td class=\"n\">0.818</td><td class=\"n\">0.782 to 0.849</td>",
      "kappa is not defined", "<td class=\"lost\">1</td>", "src=\"data:image/jpeg;base64,",
      "<img class=\"tiny\" alt=\"", "cannot be shown:", "the image is no longer available",
      "its first bytes are 00 00 00 00", ReportFixture.hash("dataset"), "LiteRT 2.3.0",
      "<title>A model named mobile: ROC curves</title>", "predictions, ",
    ] {
      #expect(text.contains(part), "\(part)")
    }
  }

  @Test func `for few images, a page says how many images percentiles need`() throws {
    let text = try HTMLReport(ReportFixture(images: 12, failures: []).make()).text()
    #expect(text.contains("too few for p99 (needs 100)"))
    #expect(
      text.contains("<td class=\"n muted\">needs 20</td><td class=\"n muted\">needs 100</td>"))
    #expect(text.contains("no image was requested"))
  }

  @Test func `several models are compared with the first`() throws {
    let report = ReportFixture(models: ["mobile", "large", "tiny"]).make()
    let comparison = try ReportComparison(report, "mobile", "large", seed: 42)
    let text = try HTMLReport(report).text()
    let accuracy = try #require(comparison.accuracy)
    #expect(accuracy.difference > 0)
    #expect(text.contains("<b>+0.044</b>"))
    #expect(text.ranges(of: "McNemar's exact test").count == 2)
    #expect(text.contains("only <bdi>A model named tiny</bdi> is right about"))
    #expect(try comparison.html().contains("<b>+0.044</b>"))
  }

  @Test func `models with the same name are distinguished by their ids`() throws {
    var report = ReportFixture(models: ["mobile", "large", "tiny"]).make()
    report.models[0].model.name = "ImageClassifier"
    report.models[1].model.name = "ImageClassifier"
    let page = try HTMLReport(report).text()
    for name in ["ImageClassifier (mobile)", "ImageClassifier (large)"] {
      #expect(page.contains(">\(name)<"))
    }
    #expect(!page.contains(">ImageClassifier<"))
    #expect(!page.contains("(tiny)"))
    let comparison = try ReportComparison(report, "mobile", "large", seed: 1).html()
    #expect(comparison.contains(">ImageClassifier (mobile)<"))
    #expect(!comparison.contains(">ImageClassifier<"))
  }

  @Test func `names in the data are shown as text`() throws {
    let evil = "<script>alert(\"1\")</script>'&\u{0}\u{202E}<img src=x onerror=y>"
    var fixture = ReportFixture(
      classes: [evil + "a", evil + "b", evil + "c"], images: 60, models: [evil, "b\(evil)"],
      failures: [7])
    fixture.datasetPath = evil
    fixture.imageName = { index, _ in "\(evil)\(index)" }
    var report = fixture.make()
    report.created = evil
    report.dataset.name = evil
    report.dataset.notes = [evil]
    report.environment.cpu = evil
    report.results[7].errorDescription = evil
    report.models[0].metrics[evil] = report.models[0].metrics["classification"]
    report.models[0].metrics[evil]?.values[0].name = evil
    let images = ReportImages { throw TensorIOError(.invalidImage, $0) }
    let gate = GateResult(
      gate: Gate(name: evil, relation: .atLeast, bound: 1), model: evil, value: nil, isMet: false,
      message: evil)
    let text = try HTMLReport(report, images: images, gates: [gate]).text()
    #expect(text.ranges(of: "<script").count == 1)
    #expect(text.ranges(of: "<img").count == 0)
    #expect(!text.contains("onerror=y>"))
    #expect(text.unicodeScalars.allSatisfy { $0 != "\0" })
    #expect(text.contains("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&#39;&amp;\u{FFFD}"))
  }

  @Test func `a page loads nothing and allows only its own script`() throws {
    let report = ReportFixture(models: ["mobile", "large"]).make()
    let text = try HTMLReport(report, images: Self.images).text()
    #expect(!text.contains("http:") && !text.contains("https:") && !text.contains("@import"))
    #expect(!text.contains(" style=\"") && !text.contains(" onclick") && !text.contains("url("))
    #expect(text.contains("default-src &#39;none&#39;; img-src data:; style-src &#39;sha256-"))
    let sources = text.ranges(of: "src=\"").count
    #expect(sources == text.ranges(of: "src=\"data:image/").count && sources > 10)
  }

  @Test(.enabled(if: Python.path != nil, "TENSORIO_PYTHON isn't set."))
  func `Python's parser finds closed tags, unique names and correct hashes`() async throws {
    let script = """
      import base64, hashlib, json, re, sys
      from html.parser import HTMLParser
      VOID = {"meta", "link", "img", "br", "rect", "line", "circle", "polyline"}
      class Checker(HTMLParser):
          def __init__(self):
              super().__init__()
              self.open, self.faults, self.ids, self.links = [], [], [], []
              self.policy, self.parts = "", {}
          def handle_starttag(self, tag, attributes):
              values = dict(attributes)
              if len(values) != len(attributes):
                  self.faults.append(f"{tag}: an attribute twice")
              if "id" in values: self.ids.append(values["id"])
              if values.get("href", "").startswith("#"): self.links.append(values["href"][1:])
              if values.get("http-equiv"): self.policy = values["content"]
              if tag not in VOID: self.open.append(tag)
          def handle_startendtag(self, tag, attributes): pass
          def handle_endtag(self, tag):
              if not self.open or self.open.pop() != tag:
                  self.faults.append(f"</{tag}> at {self.getpos()}")
          def handle_data(self, data):
              if self.open and self.open[-1] in ("style", "script"):
                  self.parts[self.open[-1]] = self.parts.get(self.open[-1], "") + data
      faults = []
      for path in sys.argv[1:]:
          checker = Checker()
          checker.feed(open(path, encoding="utf-8").read())
          checker.close()
          faults += checker.faults + [f"{tag} stays open" for tag in checker.open]
          faults += [f"id {i} twice" for i in set(checker.ids) if checker.ids.count(i) > 1]
          faults += [f"no id {i}" for i in checker.links if i not in checker.ids]
          for part in ("style", "script"):
              digest = base64.b64encode(hashlib.sha256(checker.parts[part].encode()).digest())
              if f"{part}-src 'sha256-{digest.decode()}'" not in checker.policy:
                  faults.append(f"the hash of {part}")
      print(json.dumps(faults))
      """
    let three = ReportFixture(images: 200, models: ["mobile", "large", "tiny"]).make()
    let gates = try Gate(name: "failed", relation: .atMost, bound: 0).check(three)
    let pages = [
      try HTMLReport(three, images: Self.images, gates: gates).text(),
      try HTMLReport(ReportFixture(classes: Self.hundred, images: 1000).make()).text(),
      try HTMLReport(ReportFixture(images: 3, failures: [0, 1, 2]).make()).text(),
      try ReportComparison(three, "mobile", "tiny").html(),
    ]
    let output = try await ReportPeer.run(["-c", script], on: pages)
    #expect(output == "[]\n", "\(output)")
  }

  @Test func `empty and unusual reports give a page too`() throws {
    var report = ReportFixture(images: 30).make()
    report.models[0].metrics["classification"]?.confusion?.counts = [[1], [], [.max, .max]]
    report.models[0].metrics["classification"]?.confusion?.failed = [-1]
    report.models[0].metrics["classification"]?.values[0].value = .nan
    report.models[0].metrics["classification"]?.values[1].interval = .init(
      lower: -.infinity, upper: .nan)
    report.models[0].metrics["classification"]?.roc = [ROCCurve(label: "x", area: .nan, points: [])]
    report.models[0].metrics["classification"]?.calibration = [
      CalibrationBin(lower: .nan, upper: 2, count: .max, confidence: -1, accuracy: .infinity)
    ]
    report.models[0].metrics["empty"] = MetricReport(values: [])
    report.models[0].throughput = .infinity
    report.models[0].images = .min
    report.results[0].evaluation?.inferenceLatency = .infinity
    report.results[1].evaluation?.inferenceLatency = -1e300
    report.results[2].evaluation?.inferenceLatency = .nan
    report.results[3].score = .nan
    #expect(try HTMLReport(report).text().hasSuffix("</html>\n"))
    report.models = []
    report.results = []
    #expect(try HTMLReport(report).text().hasSuffix("</html>\n"))
  }

  @Test func `a page of 20,000 noisy images has less than 2 MB`() throws {
    // Noise is what JPEG compresses least.
    let noise = ReportImages { id in
      var random = SplitMix64(seed: UInt64(id.utf8.count))
      let bytes = (0..<(320 * 320 * 3)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      return PixelBuffer(width: 320, height: 320, format: .rgb, bytes: bytes)
    }
    let report = ReportFixture(
      classes: (0..<1000).map { "class number \($0)" }, images: 20_000,
      models: ["mobile"], failures: Set(0..<2000)
    ).make()
    let text = try HTMLReport(report, images: noise).text()
    #expect(text.utf8.count < 2_000_000)
    #expect(text.contains("2,000 images; the first 100 are shown"))
    #expect(text.contains("1000 classes; the 200 with the smallest f1 are shown, 800 are left out"))
    #expect(text.contains("the 12 smallest areas, 988 left out"))
    #expect(text.contains("pairs are left out"))
    #expect(text.contains("; these 24 with the highest scores"))
  }
}

@Suite struct ReportChartTests {
  @Test func `every value is in a bin or beyond the last one`() throws {
    var random = SplitMix64(seed: 1)
    let values = (0..<997).map { _ in 5 + 3 * random.uniform() }
    let histogram = try #require(Histogram(values + [5000, 6000, 7000]))
    #expect(histogram.beyond == 3)
    #expect(histogram.counts.reduce(0, +) == 997)
    #expect(histogram.start <= 5 && histogram.end >= 8 && histogram.end < 20)
    let first = values.count { $0 < histogram.start + histogram.width }
    #expect(histogram.counts[0] == first)
  }

  @Test(arguments: [
    [1.0], [0, 0, 0], [1e-9, 2e-9], [1e11, 1.1e11], [3, 3, 3, 3.0000001], [-1, 1],
  ])
  func `unusual values have a histogram`(_ values: [Double]) throws {
    let histogram = try #require(Histogram(values))
    #expect(histogram.counts.reduce(histogram.beyond, +) == values.count)
    #expect(histogram.width > 0 && histogram.counts.count <= 60)
  }

  @Test func `values that aren't finite are omitted`() {
    #expect(Histogram([]) == nil)
    #expect(Histogram([.nan, .infinity, 1e300]) == nil)
  }
}
