// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Charts

struct LatencySection {
  var result: ModelResult
  var rows: [ResultRow]
  var samples: Dataset.Content

  private struct Stage {
    var name: String
    var what: String
    var statistics: LatencyStatistics
    var value: (EvaluationRecord) -> Double
  }

  private var stages: [Stage] {
    let latency = result.latency
    return [
      Stage(name: "decode", what: "read and decode", statistics: latency.decode) {
        $0.decodeLatency
      },
      Stage(name: "preprocess", what: "crop, resize, normalize", statistics: latency.preprocess) {
        $0.preprocessorLatency
      },
      Stage(name: "inference", what: "run the model", statistics: latency.inference) {
        $0.inferenceLatency
      },
      Stage(name: "postprocess", what: "read the outputs", statistics: latency.postprocess) {
        $0.postprocessLatency
      },
    ]
  }

  private var total: Stage {
    Stage(name: "total", what: "all stages", statistics: result.latency.total) { $0.total }
  }

  var html: Markup {
    let evaluations = rows.compactMap(\.evaluation)
    guard result.latency.total.count > 0 else {
      return "<h3>Latency</h3><p>No \(samples.noun) was timed.</p>\n"
    }
    var plots = Markup.empty
    for stage in [total] + stages {
      plots += plot(stage, evaluations)
    }
    return """
      <h3>Latency</h3>
      \(table)\(shares)<div class="plots">\(plots)</div>

      """
  }

  // MARK: - Table

  private var table: Markup {
    let all = stages + [total]
    let rows = all.map { stage -> Markup in
      let numbers = stage.statistics
      return """
        <tr><th scope="row">\(stage.name)</th><td class="muted aside">\(stage.what)</td>\
        \(cell(numbers.mean, 1, numbers.count))\(cell(numbers.p50, 1, numbers.count))\
        \(cell(numbers.p90, 10, numbers.count))\(cell(numbers.p95, 20, numbers.count))\
        \(cell(numbers.p99, 100, numbers.count))\(cell(numbers.maximum, 1, numbers.count))</tr>

        """
    }
    let table: Markup = """
      <table><caption><div>Milliseconds per \(samples.noun), over \(DecimalText(grouping: result.latency.total.count)) \
      \(samples.plural). A percentile is shown if at least one \(samples.noun) lies beyond it.</div></caption>
      <thead><tr><th scope="col">Stage</th><th scope="col" class="aside">What it does</th><th scope="col" class="n">mean</th>\
      <th scope="col" class="n">p50</th><th scope="col" class="n">p90</th>\
      <th scope="col" class="n">p95</th><th scope="col" class="n">p99</th>\
      <th scope="col" class="n">max</th></tr></thead><tbody>\(rows)</tbody></table>
      """
    return .scrolling(table, label: "Latencies")
  }

  private func cell(_ value: Double?, _ least: Int, _ count: Int) -> Markup {
    guard let value else { return "<td class=\"n muted\">needs \(least)</td>" }
    return "<td class=\"n\">\(DecimalText(milliseconds: value))</td>"
  }

  /// A bar that shows each stage's fraction of the mean.
  private var shares: Markup {
    let means = stages.map { max(0, $0.statistics.mean ?? 0) }
    let sum = means.reduce(0, +)
    guard sum > 0, sum.isFinite else { return .empty }
    var parts = Markup.empty
    var names = Markup.empty
    var start = 0.0
    for (index, stage) in stages.enumerated() {
      let width = means[index] / sum * 1000
      parts +=
        "<rect class=\"s\(index)\" x=\"\(start)\" y=\"0\" width=\"\(width)\" height=\"22\"/>"
      start += width
      let percent = DecimalText(means[index] / sum * 100, digits: 1)
      names += """
        <span><svg class="swatch" viewBox="0 0 11 11" aria-hidden="true"><rect class="s\(index)" \
        width="11" height="11" rx="2"/></svg>\(stage.name) \(percent)%</span>
        """
      if index + 1 < stages.count { names += " &nbsp; " }
    }
    return """
      <svg class="bar" viewBox="0 0 1000 22" preserveAspectRatio="none" aria-hidden="true">\(parts)\
      </svg>
      <p class="small muted">Mean: \(names)</p>

      """
  }

  // MARK: - Histograms

  private func plot(_ stage: Stage, _ evaluations: [EvaluationRecord]) -> Markup {
    guard let histogram = Histogram(evaluations.map(stage.value)) else { return .empty }
    let numbers = stage.statistics
    let marks = [
      ("p50", numbers.p50), ("p90", numbers.p90), ("p95", numbers.p95), ("p99", numbers.p99),
    ].compactMap { name, value in value.map { (name: name, value: $0) } }
    var notes = [
      "the highest bar is \(DecimalText(grouping: histogram.counts.max() ?? 0)) \(samples.plural)"
    ]
    if numbers.p99 == nil { notes.append("too few for p99 (needs 100)") }
    if histogram.beyond > 0, let most = numbers.maximum {
      notes.append("\(histogram.beyond) beyond, up to \(DecimalText(milliseconds: most)) ms")
    }
    let chart = HistogramChart(
      histogram: histogram, title: "\(result.model.name): \(stage.name) latency in milliseconds",
      marks: marks)
    let note: Markup =
      "\(notes.joined(separator: "; "))"
    return """
      <figure><figcaption><strong>\(stage.name)</strong>, ms; \(note)</figcaption>\(chart.html)</figure>

      """
  }
}
