// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Charts

/// Compares a report's models with the first one, image by image.
struct PairedSection {
  var report: EvaluationReport

  private var samples: Dataset.Content { report.dataset.samples }

  var html: Markup {
    guard let first = report.models.first else { return .empty }
    var content = Markup.empty
    for other in report.models.dropFirst() {
      content +=
        "<h3>\(Markup.name(first.model.name)) and \(Markup.name(other.model.name))</h3>\n"
      do {
        let comparison = try ReportComparison(
          report, first.model.id, other.model.id, seed: report.settings.seed)
        content += ComparisonSection(comparison: comparison).content
      } catch {
        content += "<p class=\"warn\">They cannot be compared: \("\(error)")</p>\n"
      }
    }
    return """
      <section aria-labelledby="paired"><h2 id="paired">\(samples.title) by \(samples.noun)</h2>
      <p class="sub">The models ran on the same \(samples.plural). The test counts only the \(samples.plural) that \
      exactly one of two models is right about.</p>
      \(content)</section>

      """
  }
}

/// The comparison of two models on the same images.
struct ComparisonSection {
  var comparison: ReportComparison

  private static let longestList = 20

  var content: Markup {
    var html = warnings
    html += figures
    html += "<div class=\"columns\">\(table)\(facts)</div>\n"
    html += list(isRightInA: true) + list(isRightInA: false) + unpaired
    return html
  }

  private var warnings: Markup {
    let items = comparison.warnings.map { warning -> Markup in
      "<div class=\"warn\">\(warning)</div>\n"
    }
    return "\(items)"
  }

  private static func signed(_ value: Double) -> DecimalText {
    DecimalText(value, digits: 3, showsPlus: true)
  }

  // MARK: - Numbers

  private var figures: Markup {
    var items = Markup.empty
    if let accuracy = comparison.accuracy {
      let interval = accuracy.interval
      items += """
        <li><b>\(Self.signed(accuracy.difference))</b><span>top 1, second minus first; 95%: \
        \(Self.signed(interval.lower)) to \(Self.signed(interval.upper))</span></li>\
        <li><b>p \(Self.probability(comparison.mcNemar.exactP))</b>\
        <span>McNemar's exact test of equal accuracy</span></li>
        """
    }
    for ratio in comparison.latency {
      guard let median = ratio.median else { continue }
      var label: Markup = "\(ratio.stage) time, second divided by first"
      if let interval = ratio.interval {
        label += """
          ; 95%: \(DecimalText(interval.lower, digits: 2)) to \
          \(DecimalText(interval.upper, digits: 2))
          """
      }
      items += "<li><b>&times; \(DecimalText(median, digits: 2))</b><span>\(label)</span></li>"
    }
    return "<ul class=\"figures\">\(items)</ul>\n"
  }

  private static func probability(_ value: Double) -> String {
    DecimalText(probability: value).description
  }

  private var table: Markup {
    let mcNemar = comparison.mcNemar
    return """
      <div class="scroll"><table><caption><div>\(DecimalText(grouping: comparison.scored)) \(comparison.samples.plural) \
      with a label.</div></caption>
      <thead><tr><td></td><th scope="col" class="n">second right</th>\
      <th scope="col" class="n">second wrong</th></tr></thead><tbody>
      <tr><th scope="row">first right</th><td class="n">\(comparison.bothRight)</td>\
      <td class="n">\(mcNemar.onlyA)</td></tr>
      <tr><th scope="row">first wrong</th><td class="n">\(mcNemar.onlyB)</td>\
      <td class="n">\(comparison.bothWrong)</td></tr></tbody></table></div>
      """
  }

  private var facts: Markup {
    var items = Markup.empty
    if let accuracy = comparison.accuracy {
      items += """
        <dt>top 1</dt><dd>\(DecimalText(accuracy.a, digits: 3)) first, \
        \(DecimalText(accuracy.b, digits: 3)) second; the interval is Tango's for pairs</dd>
        """
    }
    if let chiSquare = comparison.mcNemar.chiSquare, let p = comparison.mcNemar.chiSquareP {
      items += """
        <dt>chi-square</dt><dd>\(DecimalText(chiSquare, digits: 2)), p \
        \(Self.probability(p)) with the continuity correction</dd>
        """
    }
    items += """
      <dt>failed</dt><dd>\(comparison.a.failed.count) first, \(comparison.b.failed.count) second</dd>\
      <dt>only in one</dt><dd>\(comparison.a.unpaired.count) first, \
      \(comparison.b.unpaired.count) second</dd>
      """
    return "<dl class=\"facts\">\(items)</dl>"
  }

  // MARK: - Images

  private func list(isRightInA: Bool) -> Markup {
    let flips = comparison.flips.filter { $0.isRightInA == isRightInA }
    guard !flips.isEmpty else { return .empty }
    let name = isRightInA ? comparison.a.model.name : comparison.b.model.name
    let rows = flips.prefix(Self.longestList).map { flip -> Markup in
      """
      <tr><th scope="row" class="long">\(Markup.name(flip.image))</th>\
      <td>\(Markup.name(flip.truth ?? "?"))</td>\
      <td>\(Markup.name(flip.predictedA ?? "failed"))</td>\
      <td>\(Markup.name(flip.predictedB ?? "failed"))</td></tr>

      """
    }
    let left = flips.count - rows.count
    let rest: Markup = left > 0 ? "<p class=\"muted\">\(left) more are left out.</p>" : .empty
    let table: Markup = """
      <table><thead><tr><th scope="col">\(comparison.samples.title)</th><th scope="col">Label</th>\
      <th scope="col">\(Markup.name(comparison.a.model.name))</th>\
      <th scope="col">\(Markup.name(comparison.b.model.name))</th></tr></thead>
      <tbody>\(rows)</tbody></table>
      """
    return """
      <details><summary>\(DecimalText(grouping: flips.count)) that only \(Markup.name(name)) is \
      right about</summary>\(Markup.scrolling(table, label: "\(comparison.samples.title)s"))\(rest)</details>

      """
  }

  private var unpaired: Markup {
    var html = Markup.empty
    for (side, ordinal) in [(comparison.a, "first"), (comparison.b, "second")]
    where !side.unpaired.isEmpty {
      let items = side.unpaired.prefix(Self.longestList).map { id -> Markup in
        "<li>\(Markup.name(id))</li>"
      }
      let left = side.unpaired.count - items.count
      let rest: Markup = left > 0 ? "<li>and \(left) more</li>" : .empty
      html += """
        <details><summary>\(DecimalText(grouping: side.unpaired.count)) only in the \(ordinal) report\
        </summary><ul class="notes">\(items)\(rest)</ul></details>

        """
    }
    return html
  }
}

extension ReportComparison {
  /// Returns the comparison as a web page that needs no other files and no network.
  ///
  /// - Throws: `TensorIOError` if libcrypto is missing.
  public func html() throws -> String {
    var comparison = self
    comparison.a.model.name = a.model.title(among: [b.model])
    comparison.b.model.name = b.model.title(among: [a.model])
    let nameA = Markup.name(comparison.a.model.name)
    let nameB = Markup.name(comparison.b.model.name)
    let dates = [a, b].map { side -> Markup in
      side.created.isEmpty ? "not dated" : "\(OverviewSection.date(side.created))"
    }
    let body: Markup = """
      <header class="top"><p class="kicker">Comparison, \(samples.noun) by \(samples.noun)</p>
      <h1>\(nameA) and \(nameB)</h1>
      <p class="sub">\(DecimalText(grouping: paired)) \(paired == 1 ? samples.noun : samples.plural) in both</p>
      <dl class="facts"><dt>first</dt><dd>\(Markup.name(a.model.id)), version \
      \(Markup.name(a.model.version)), evaluated \(dates[0])</dd>
      <dt>second</dt><dd>\(Markup.name(b.model.id)), version \
      \(Markup.name(b.model.version)), evaluated \(dates[1])</dd></dl></header>
      <main>\(ComparisonSection(comparison: comparison).content)</main>
      <footer class="foot">Everything is in this file; it loads nothing.</footer>
      """
    return try HTMLPage(
      title: "\(comparison.a.model.name) and \(comparison.b.model.name): comparison", body: body
    ).text()
  }
}
