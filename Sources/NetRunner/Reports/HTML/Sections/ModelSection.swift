// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Charts
import TensorIO

struct ModelSection {
  var result: ModelResult
  var rows: [ResultRow]
  var anchor: String
  var images: ReportImages?
  var samples: Dataset.Content
  var galleryLength: Int
  /// The names of the metrics, in the order in which they were requested.
  var metricNames: [String]
  /// The section's title, or nil for the model's name.
  var title: String?

  private var metrics: [(key: String, value: MetricReport)] {
    result.metrics(ordered: metricNames)
  }

  var html: Markup {
    let model = result.model
    var content = figures
    for (name, report) in metrics {
      content += metric(name, report)
    }
    content +=
      ObjectsSection(
        rows: rows, images: images, galleryLength: galleryLength, skeleton: result.skeleton ?? [],
        anchor: anchor
      ).html
    content += AnswersSection(rows: rows, images: images, galleryLength: galleryLength).html
    content +=
      MistakesSection(
        rows: rows, images: images, galleryLength: galleryLength, samples: samples
      ).html
    content += LatencySection(result: result, rows: rows, samples: samples).html
    let name: Markup = title.map { "\($0)" } ?? .name(model.name)
    return """
      <section aria-labelledby="\(anchor)"><h2 id="\(anchor)">\(name)</h2>
      <p class="sub">\(Markup.name(model.id)), version \(Markup.name(model.version)), on \
      \(model.backend)</p>
      \(content)</section>

      """
  }

  // MARK: - Figures

  private var figures: Markup {
    var items = Markup.empty
    let first = metrics.first?.value.values.first
    if let first, first.value != nil {
      var label: Markup = "\(first.name)"
      if let interval = first.interval {
        label += ", 95%: \(first.shown(interval.lower)) to \(first.shown(interval.upper))"
      }
      items += "<li><b>\(first.text)</b><span>\(label)</span></li>"
    }
    if let median = result.latency.total.p50 {
      items +=
        "<li><b>\(DecimalText(milliseconds: median)) ms</b><span>median per \(samples.noun)</span></li>"
    }
    items +=
      "<li><b>\(DecimalText(milliseconds: result.throughput))</b><span>\(samples.plural) per second</span></li>"
    let failed = DecimalText(grouping: result.failed)
    items += """
      <li class="\(result.failed > 0 ? "bad" : "good")"><b>\(failed)</b><span>of \
      \(DecimalText(grouping: result.images)) \(samples.plural) failed</span></li>
      """
    if result.labelled < result.images {
      items +=
        "<li><b>\(DecimalText(grouping: result.labelled))</b><span>\(samples.plural) have a label</span></li>"
    }
    return "<ul class=\"figures\">\(items)</ul>\n"
  }

  // MARK: - Metrics

  private func metric(_ name: String, _ report: MetricReport) -> Markup {
    let notes = report.notes.map { note -> Markup in "<li>\(note)</li>" }
    let list: Markup = notes.isEmpty ? .empty : "<ul class=\"notes\">\(notes)</ul>\n"
    let table = MetricTable(name: name, report: report).html
    var tables: Markup = "<div><h3>Metrics: \(name)</h3>\n\(table)\(list)</div>\n"
    if let confusion = report.confusion {
      tables +=
        "<div>\(ConfusionSection(matrix: confusion, samples: samples, isOfObjects: confusion.isOfObjects).html)</div>\n"
    }
    if let classes = report.classes, !classes.isEmpty {
      tables += "<div>\(ClassTable(classes: classes).html)</div>\n"
    }
    return "<div class=\"flow\">\(tables)</div>\n" + plots(report)
  }

  private func plots(_ report: MetricReport) -> Markup {
    let model = result.model.name
    var plots = Markup.empty
    if let curves = report.roc, !curves.isEmpty {
      plots += ROCChart(curves: curves, model: model).html
    }
    if let bins = report.calibration, !bins.isEmpty {
      plots += CalibrationChart(bins: bins, model: model).html
    }
    guard !plots.text.isEmpty else { return .empty }
    return "<h3>Confidence and accuracy</h3><div class=\"plots\">\(plots)</div>\n"
  }
}

extension ModelResult {
  /// The metrics in the order in which they were requested, then others in alphabetical order.
  func metrics(ordered names: [String]) -> [(key: String, value: MetricReport)] {
    let ranks = Dictionary(
      names.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    return metrics.sorted { a, b in
      (ranks[a.key] ?? .max, a.key) < (ranks[b.key] ?? .max, b.key)
    }
  }
}

/// The values of a metric with their intervals.
struct MetricTable {
  var name: String
  var report: MetricReport

  var html: Markup {
    let rows = report.values.map(row)
    let table: Markup = """
      <table><thead><tr><th scope="col">Metric</th><th scope="col" class="n">Value</th>\
      <th scope="col" class="n">95% interval</th><th scope="col" class="aside">0 to 1</th><th scope="col" class="n">From</th><th scope="col">Better</th></tr></thead>
      <tbody>\(rows)</tbody></table>
      """
    return .scrolling(table, label: "Numbers of \(name)")
  }

  private func row(_ value: MetricValue) -> Markup {
    let number: Markup = value.value == nil ? "not defined" : "\(value.text)"
    var interval: Markup = "&ndash;"
    if let range = value.interval {
      interval = "\(value.shown(range.lower)) to \(value.shown(range.upper))"
    }
    return """
      <tr><th scope="row">\(value.name)</th><td class="n">\(number)</td>\
      <td class="n">\(interval)</td><td class="aside">\(whisker(value))</td>\
      <td class="n">\(DecimalText(grouping: value.count))</td>\
      <td class="muted">\(value.isHigherBetter ? "higher" : "lower")</td></tr>

      """
  }

  /// A dot for the value and a bar for its interval, on a scale from 0 to 1.
  private func whisker(_ value: MetricValue) -> Markup {
    guard let number = value.value, (0...1).contains(number) else { return .empty }
    let axis = ChartAxis(0, 1, at: 5, 145)
    var range = Markup.empty
    if let interval = value.interval {
      range = """
        <rect class="range" x="\(axis.position(of: interval.lower))" y="4" height="8" rx="2" \
        width="\(max(2, axis.position(of: interval.upper) - axis.position(of: interval.lower)))"/>
        """
    }
    return """
      <svg class="whisker" viewBox="0 0 150 16" aria-hidden="true"><line class="rail" x1="5" \
      x2="145" y1="8" y2="8"/>\(range)<rect class="dot" \
      x="\(axis.position(of: number) - 1)" y="2" width="2" height="12"/></svg>
      """
  }
}

struct ClassTable {
  var classes: [ClassMetrics]

  /// The maximum number of classes, of which the worst ones are shown.
  private static let longest = 200

  var html: Markup {
    let known = ["precision", "recall", "f1", "iou", "ap", "ap50"]
    let all = Set(classes.flatMap(\.values.keys))
    let names = known.filter(all.contains) + all.subtracting(known).sorted()
    let key = all.contains("f1") ? "f1" : names.first
    var shown = classes
    if shown.count > Self.longest, let key {
      shown = shown.sorted { ($0.values[key] ?? nil) ?? 2 < ($1.values[key] ?? nil) ?? 2 }
      shown = Array(shown.prefix(Self.longest))
    }
    let heads = names.map { name -> Markup in
      "<th scope=\"col\" class=\"n\">\(name)</th>"
    }
    let rows = shown.map { item -> Markup in
      let cells = names.map { name -> Markup in
        guard let value = item.values[name] ?? nil else {
          return "<td class=\"n\" data-v=\"\">&ndash;</td>"
        }
        return
          "<td class=\"n\" data-v=\"\(value.description)\">\(DecimalText(value, digits: 3))</td>"
      }
      return """
        <tr><th scope="row">\(Markup.name(item.label))</th>\
        <td class="n" data-v="\(item.support)">\(DecimalText(grouping: item.support))</td>\
        \(cells)</tr>

        """
    }
    var caption: Markup = "\(counted(classes.count, "class", "classes"))"
    if shown.count < classes.count {
      caption += """
        ; the \(shown.count) with the smallest \(key ?? "numbers") are shown, \
        \(classes.count - shown.count) are left out
        """
    }
    let table: Markup = """
      <table class="sortable"><caption><div>\(caption).</div></caption><thead><tr><th scope="col">Class</th>\
      <th scope="col" class="n">support</th>\(heads)</tr></thead>
      <tbody>\(rows)</tbody></table>
      """
    return """
      <h3>Class by class</h3>
      <div class="scroll tall" role="region" aria-label="Class by class" tabindex="0">\(table)</div>

      """
  }
}
