// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Charts
import TensorIO

/// What a model answered for the first samples: labels, numbers with units, texts, depths, class maps,
/// images.
///
/// Objects have ``ObjectsSection``, and wrong classes ``MistakesSection``.
struct AnswersSection {
  var rows: [ResultRow]
  var images: ReportImages?
  var galleryLength: Int

  var html: Markup {
    guard rows.allSatisfy({ $0.isCorrect == nil && ObjectsSection.objects(in: $0).isEmpty }) else {
      return .empty
    }
    let answered = rows.lazy.filter { !$0.error }.map { ($0, $0.answer) }
      .filter { !$0.1.isEmpty || $0.0.picture != nil }
    let shown = Array(answered.prefix(galleryLength))
    guard let first = shown.first else { return .empty }
    let hasPictures = (try? images?.thumbnail(of: first.0.image)) != nil
    let content = hasPictures ? gallery(shown) : table(shown)
    return "<h3>Answers</h3><p class=\"muted\">The first \(shown.count).</p>\n\(content)\n"
  }

  private func gallery(_ shown: [(ResultRow, [String])]) -> Markup {
    let items = shown.map { row, lines -> Markup in
      let spans = lines.map { line -> Markup in "<span>\(line)</span>" }
      let truth: Markup = row.truth.map { "<span>is \(Markup.name($0))</span>" } ?? .empty
      let truthPicture = row.comparison?.shapes?.truthPicture
      var pictures =
        row.picture.map { picture($0, truthPicture == nil ? nil : "Prediction") } ?? .empty
      pictures += truthPicture.map { picture($0, "Truth") } ?? .empty
      let legend = row.picture?.legend?.map(entry) ?? []
      return """
        <li><figure>\(frame(row))\(pictures)<figcaption>\(legend)\(spans)\(truth)\
        <small>\(Markup.name(row.image))</small></figcaption></figure></li>

        """
    }
    return "<ul class=\"gallery\">\(items)</ul>"
  }

  private func frame(_ row: ResultRow) -> Markup {
    guard let thumbnail = try? images?.thumbnail(of: row.image) else {
      return "<div class=\"frame none\">the picture is missing</div>"
    }
    return """
      <div class="frame"><img class="\(thumbnail.isTiny ? "tiny" : "photo")" alt="\(row.image)" \
      src="\(thumbnail.address)"></div>
      """
  }

  private func picture(_ picture: ResultPicture, _ title: String?) -> Markup {
    guard picture.address.hasPrefix("data:image/") else { return .empty }
    let name: Markup = title.map { "<small>\($0)</small>" } ?? .empty
    return """
      \(name)<div class="frame"><img alt="\(picture.output)" src="\(picture.address)"></div>
      """
  }

  private func entry(_ entry: ResultPicture.Entry) -> Markup {
    """
    <span><svg class="swatch" viewBox="0 0 11 11" aria-hidden="true"><rect fill="\(entry.color)" \
    width="11" height="11"/></svg>\(Markup.name(entry.label)) \
    \(DecimalText(entry.share * 100, digits: 1))%</span>
    """
  }

  private func table(_ shown: [(ResultRow, [String])]) -> Markup {
    let items = shown.map { row, lines -> Markup in
      """
      <tr><th scope="row" class="long">\(Markup.name(row.image))</th>\
      <td class="long">\(lines.joined(separator: "; "))</td><td>\(row.truth ?? "")</td></tr>

      """
    }
    let table: Markup = """
      <table><thead><tr><th scope="col">Sample</th><th scope="col">Answer</th>\
      <th scope="col">Truth</th></tr></thead><tbody>\(items)</tbody></table>
      """
    return .scrolling(table, label: "Answers")
  }
}
