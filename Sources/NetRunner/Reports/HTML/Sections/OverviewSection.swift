// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Charts

/// The start of a page: what was evaluated, the main results, and what failed.
struct OverviewSection {
  var report: EvaluationReport
  var gates: [GateResult]

  private var models: [ModelResult] { report.models }

  private var samples: Dataset.Content { report.dataset.samples }

  // MARK: - Header

  var header: Markup {
    let dataset = report.dataset
    let names = models.map { Markup.name($0.model.name) }
    let title: Markup =
      models.count == 1
      ? "\(names) on \(Markup.name(dataset.name))"
      : "\(models.count) models on \(Markup.name(dataset.name))"
    var about: Markup =
      "\(DecimalText(grouping: report.imageCount)) \(report.imageCount == 1 ? samples.noun : samples.plural)"
    if let part = report.part { about += ", part \(part.index) of \(part.count)" }
    if let limit = report.settings.limit, limit < dataset.images {
      about += " (limited from \(DecimalText(grouping: dataset.images)))"
    }
    if !report.created.isEmpty {
      about +=
        " &middot; <time datetime=\"\(report.created)\">\(Self.date(report.created))</time>"
    }
    return """
      <header class="top">
      <p class="kicker">Evaluation</p>
      <h1>\(title)</h1>
      <p class="sub">\(about)</p>
      \(navigation)
      </header>
      """
  }

  private var navigation: Markup {
    guard models.count > 1 else { return .empty }
    var links = Markup.empty
    for (position, result) in models.enumerated() {
      links +=
        "<li><a href=\"#model-\(position + 1)\">\(Markup.name(result.model.name))</a></li>"
    }
    return """
      <nav aria-label="Sections"><ul>\(links)<li><a href="#paired">\(samples.title) by \(samples.noun)</a></li>\
      <li><a href="#provenance">How it was measured</a></li></ul></nav>
      """
  }

  /// Formats a date such as `2025-06-01T08:30:00Z` for people, and leaves other text unchanged.
  static func date(_ created: String) -> String {
    let parts = created.split(separator: "T")
    guard parts.count == 2, parts[1].hasSuffix("Z"), parts[1].utf8.count >= 6 else {
      return created
    }
    return "\(parts[0]), \(parts[1].prefix(5)) UTC"
  }

  // MARK: - Content

  var html: Markup {
    var html = failures
    if !report.dataset.notes.isEmpty {
      let notes = report.dataset.notes.map { note -> Markup in "<li>\(note)</li>" }
      html += "<ul class=\"notes\">\(notes)</ul>\n"
    }
    html += gateList
    if models.count > 1 { html += table }
    return html
  }

  private var failures: Markup {
    let failed = models.filter { $0.failed > 0 }
    guard !failed.isEmpty else { return .empty }
    var parts = failed.map { result -> String in
      let share = "\(result.failed) of \(result.images) \(samples.plural) failed"
      return models.count == 1 ? share : "\(share) with \(result.model.name)"
    }
    if models.count > 1, Set(models.map { [$0.failed, $0.images] }).count == 1 {
      parts = [
        "\(models[0].failed) of \(models[0].images) \(samples.plural) failed with each model"
      ]
    }
    return """
      <div class="warn"><strong>\(parts.joined(separator: "; ")).</strong> Those with a label count \
      as wrong. The latencies include none of them.</div>

      """
  }

  private var gateList: Markup {
    guard !gates.isEmpty else { return .empty }
    let missed = gates.count { !$0.isMet }
    let rows = gates.map { result -> Markup in
      """
      <tr><td class="\(result.isMet ? "met" : "unmet")">\(result.isMet ? "met" : "not met")</td>\
      <th scope="row" class="mono">\(result.gate.description)</th>\
      <td>\(Markup.name(result.model))</td>\
      <td class="long">\(result.message)</td></tr>

      """
    }
    let title = missed == 0 ? "Gates: all are met" : "Gates: \(missed) of \(gates.count) not met"
    let table: Markup = """
      <table><thead><tr><th scope="col">Result</th><th scope="col">Gate</th>\
      <th scope="col">Model</th><th scope="col">Found</th></tr></thead>
      <tbody>\(rows)</tbody></table>
      """
    return """
      <section aria-labelledby="gates"><h2 id="gates">\(title)</h2>
      \(Markup.scrolling(table, label: "Gates"))</section>

      """
  }

  // MARK: - Models side by side

  private struct Column {
    var name: String
    var isHigherBetter: Bool
    /// Each model's number, for comparison and as it is displayed.
    var values: [(number: Double?, text: Markup)]

    var best: Double? {
      let numbers = values.compactMap(\.number).filter { !$0.isNaN }
      guard numbers.count > 1, Set(numbers).count > 1 else { return nil }
      return isHigherBetter ? numbers.max() : numbers.min()
    }
  }

  private var table: Markup {
    let columns = metricColumns + otherColumns
    let heads = columns.map { column -> Markup in
      "<th scope=\"col\" class=\"n\">\(column.name)</th>"
    }
    let rows = models.indices.map { position -> Markup in
      let cells = columns.map { column -> Markup in
        let (number, text) = column.values[position]
        let style = number != nil && number == column.best ? "n best" : "n"
        let sortable = number.map(\.description) ?? ""
        return "<td class=\"\(style)\" data-v=\"\(sortable)\">\(text)</td>"
      }
      let model = models[position].model
      return """
        <tr><th scope="row"><a href="#model-\(position + 1)">\(Markup.name(model.name))</a></th>\
        \(cells)</tr>

        """
    }
    let table: Markup = """
      <table class="sortable"><caption><div>The best number of each column is bold. To see whether \
      a difference is more than chance, go to <a href="#paired">\(samples.noun) by \(samples.noun)</a>.</div></caption>
      <thead><tr><th scope="col">Model</th>\(heads)</tr></thead><tbody>\(rows)</tbody></table>
      """
    return """
      <section aria-labelledby="side"><h2 id="side">Side by side</h2>
      \(Markup.scrolling(table, label: "Models side by side"))</section>

      """
  }

  /// The first values of the metrics, in the order of the first model that has them.
  private var metricColumns: [Column] {
    var names: [(metric: String, value: MetricValue)] = []
    for result in models {
      for (metric, found) in result.metrics(ordered: report.settings.metrics) {
        for value in found.values where value.value != nil {
          let isKnown = names.contains { $0.metric == metric && $0.value.name == value.name }
          if isKnown { continue }
          names.append((metric, value))
        }
      }
    }
    return names.prefix(7).map { metric, value in
      let values = models.map { result -> (Double?, Markup) in
        let found = result.metrics[metric]?.values.first { $0.name == value.name }
        guard let found, let number = found.value else { return (nil, "&ndash;") }
        return (number, "\(found.text)")
      }
      return Column(name: value.name, isHigherBetter: value.isHigherBetter, values: values)
    }
  }

  private var otherColumns: [Column] {
    func latency(_ name: String, _ key: KeyPath<LatencyStatistics, Double?>) -> Column {
      let values = models.map { result -> (Double?, Markup) in
        guard let value = result.latency.total[keyPath: key] else { return (nil, "&ndash;") }
        return (value, "\(DecimalText(milliseconds: value))")
      }
      return Column(name: name, isHigherBetter: false, values: values)
    }
    let throughput = models.map { result -> (Double?, Markup) in
      (result.throughput, "\(DecimalText(milliseconds: result.throughput))")
    }
    let failed = models.map { result -> (Double?, Markup) in
      (Double(result.failed), "\(result.failed)")
    }
    return [
      latency("median ms", \.p50), latency("p95 ms", \.p95),
      Column(name: "\(samples.plural)/s", isHigherBetter: true, values: throughput),
      Column(name: "failed", isHigherBetter: false, values: failed),
    ]
  }
}

extension EvaluationReport {
  /// The number of images per model, or the largest number if they differ.
  var imageCount: Int { models.map(\.images).max() ?? 0 }
}

extension Markup {
  static func + (left: Markup, right: Markup) -> Markup {
    var sum = left
    sum += right
    return sum
  }
}

extension MetricValue {
  /// The value, with more decimals for higher counts.
  var text: DecimalText { shown(value ?? .nan) }

  /// Formats another number in the same way, such as a bound of the interval.
  func shown(_ number: Double) -> DecimalText {
    let digits = number.magnitude >= 100 ? 1 : count >= 10_000 ? 4 : 3
    return DecimalText(number, digits: digits)
  }
}
