// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Charts

/// An evaluation as a single web page that needs no other files and no network.
///
/// The page shows each model's metrics with their intervals, its confusion matrix, its latencies,
/// and its worst mistakes as thumbnails. If there are several models, each one is compared with the
/// first, image by image. Long lists are truncated with a note. The page therefore stays small
/// enough to send, however many images there are.
///
/// ```swift
/// var page = HTMLReport(report)
/// page.images = ReportImages(dataset)
/// try ReportFile("report.html").write(page.text())
/// ```
public struct HTMLReport: Sendable {
  /// The report.
  public var report: EvaluationReport
  /// The source of the thumbnails.
  ///
  /// If nil, the page has none.
  public var images: ReportImages?
  /// The results of the gates.
  public var gates: [GateResult]

  /// Creates a page.
  public init(
    _ report: EvaluationReport, images: ReportImages? = nil, gates: [GateResult] = []
  ) {
    self.report = report
    self.images = images
    self.gates = gates
  }

  /// Returns the page as HTML.
  ///
  /// - Throws: `TensorIOError` if libcrypto is missing.
  public func text() throws -> String {
    try HTMLPage(title: "\(report.dataset.name): evaluation", body: body).text()
  }

  private var body: Markup {
    let report = report.withDistinctModelNames()
    let overview = OverviewSection(report: report, gates: gates)
    var sections = overview.html
    for (index, result) in report.models.enumerated() {
      let section = ModelSection(
        result: result, rows: report.results.filter { $0.model == result.model.id },
        anchor: "model-\(index + 1)", images: images, samples: report.dataset.samples,
        // All models together show about as many images as a single model.
        galleryLength: max(6, 24 / max(1, report.models.count)),
        metricNames: report.settings.metrics, title: report.models.count == 1 ? "Results" : nil)
      sections += section.html
    }
    if report.models.count > 1 {
      sections += PairedSection(report: report).html
    }
    sections += ProvenanceSection(report: report).html
    return """
      <a class="skip" href="#content">Skip to the content</a>
      \(overview.header)
      <main id="content">
      \(sections)
      </main>
      <footer class="foot">Made by \(report.tool.name) \(report.tool.version). Everything is in this \
      file; it loads nothing.</footer>
      """
  }
}
