// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Charts
import TensorIO

/// A model's worst mistakes as thumbnails, and the images that failed.
struct MistakesSection {
  var rows: [ResultRow]
  var images: ReportImages?
  var galleryLength: Int
  var samples: Dataset.Content

  private static let longestList = 100

  var html: Markup { gallery + failures }

  // MARK: - Mistakes

  private var gallery: Markup {
    let wrong = rows.filter { $0.isCorrect == false && !$0.error }
    guard !wrong.isEmpty else { return .empty }
    let worst = wrong.sorted { a, b in
      (Self.rank(a.score), -a.index) > (Self.rank(b.score), -b.index)
    }.prefix(galleryLength)
    let items = worst.map(figure)
    var about: Markup =
      "\(DecimalText(grouping: wrong.count)) \(samples.plural) are classified as another class"
    if wrong.count > worst.count { about += "; these \(worst.count) with the highest scores" }
    return """
      <h3>Worst mistakes</h3><p class="muted">\(about).</p>
      <ul class="gallery">\(items)</ul>

      """
  }

  private static func rank(_ score: Double?) -> Double {
    score.flatMap { $0.isNaN ? nil : $0 } ?? -.infinity
  }

  private func figure(_ row: ResultRow) -> Markup {
    let score: Markup = row.score.map { " \(DecimalText($0, digits: 2))" } ?? .empty
    return """
      <li><figure>\(frame(row))<figcaption><span class="wrong">\
      \(Markup.name(row.predicted ?? "nothing"))\(score)</span><span>is \
      \(Markup.name(row.truth ?? "?"))</span><small>\(Markup.name(row.image))</small>\
      </figcaption></figure></li>

      """
  }

  private func frame(_ row: ResultRow) -> Markup {
    guard let images else { return "<div class=\"frame none\">no image was requested</div>" }
    do {
      let thumbnail = try images.thumbnail(of: row.image)
      return """
        <div class="frame"><img class="\(thumbnail.isTiny ? "tiny" : "photo")" \
        alt="\(row.truth ?? row.image)" src="\(thumbnail.address)"></div>
        """
    } catch let error as TensorIOError where error.code != .fileNotFound {
      return "<div class=\"frame none\">cannot be shown: \(error.message)</div>"
    } catch {
      return "<div class=\"frame none\">the \(samples.noun) is no longer available</div>"
    }
  }

  // MARK: - Failures

  private var failures: Markup {
    let failed = rows.filter(\.error)
    guard !failed.isEmpty else { return .empty }
    let items = failed.prefix(Self.longestList).map { row -> Markup in
      """
      <tr><th scope="row" class="long">\(Markup.name(row.image))</th>\
      <td>\(Markup.name(row.truth ?? "no label"))</td>\
      <td class="long">\(row.errorDescription ?? "no reason was given")</td></tr>

      """
    }
    var caption: Markup = "\(DecimalText(grouping: failed.count)) \(samples.plural)"
    if failed.count > items.count {
      caption += "; the first \(items.count) are shown, the report's JSON and CSV have all of them"
    }
    let table: Markup = """
      <table><caption><div>\(caption).</div></caption><thead><tr><th scope="col">\(samples.title)</th>\
      <th scope="col">Label</th><th scope="col">Reason</th></tr></thead><tbody>\(items)</tbody></table>
      """
    return
      "<h3>\(samples.title)s that failed</h3>\(Markup.scrolling(table, label: "Failed \(samples.plural)"))"
  }
}
