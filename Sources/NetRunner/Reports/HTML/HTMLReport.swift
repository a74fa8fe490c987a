// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// An evaluation as one page for people, which needs no other file and no network.
///
/// The page shows a model after the other: its numbers with their intervals, what it takes for what,
/// how long it takes, and its worst mistakes as small pictures; several models are compared picture
/// by picture with the first. Long lists are cut, and say so: the page stays small enough to be sent
/// around, however many pictures there were.
///
/// ```swift
/// var page = HTMLReport(report)
/// page.pictures = ReportPictures(dataset)
/// try ReportFile("report.html").write(page.text)
/// ```
public struct HTMLReport: Sendable {
  /// The report.
  public var report: EvaluationReport
  /// Where the pictures of mistakes come from; without, the page has none.
  public var pictures: ReportPictures?
  /// What gates found.
  public var gates: [GateResult]

  /// Makes a page.
  public init(
    _ report: EvaluationReport, pictures: ReportPictures? = nil, gates: [GateResult] = []
  ) {
    self.report = report
    self.pictures = pictures
    self.gates = gates
  }

  /// The page as HTML.
  public var text: String {
    HTMLPage(title: "\(report.dataset.name): evaluation", body: body).text
  }

  private var body: HTMLFragment {
    let report = report.withDistinctModelNames()
    let overview = OverviewSection(report: report, gates: gates)
    var sections = overview.html
    for (place, result) in report.models.enumerated() {
      let section = ModelSection(
        result: result, rows: report.results.filter { $0.model == result.model.id },
        anchor: "model-\(place + 1)", pictures: pictures,
        // All models together show about as many pictures as one.
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
