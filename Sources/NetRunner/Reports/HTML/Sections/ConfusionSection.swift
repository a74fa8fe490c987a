// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Charts
import TensorIO
import TensorIOImageCodecs

/// The confusion matrix: the whole table, or an image and the most frequent confusions.
struct ConfusionSection {
  var matrix: ConfusionMatrix
  var samples: Dataset.Content
  /// Whether the matrix counts objects, and its last class is the background.
  var isOfObjects = false

  /// The maximum number of classes in a table; more are shown as an image and a list.
  private static let largestTable = 30
  private static let longestList = 20

  private var indices: Range<Int> { 0..<min(matrix.labels.count, matrix.counts.count) }

  private func count(_ row: Int, _ column: Int) -> Double {
    let numbers = matrix.counts[row]
    return numbers.indices.contains(column) ? Double(numbers[column]) : 0
  }

  private func failed(_ row: Int) -> Int {
    matrix.failed.indices.contains(row) ? matrix.failed[row] : 0
  }

  /// The number of images of a class, including failed ones.
  private func total(_ row: Int) -> Double {
    matrix.counts[row].reduce(Double(failed(row))) { $0 + Double($1) }
  }

  var html: Markup {
    guard !indices.isEmpty else { return .empty }
    return "<h3>Confusion matrix</h3>\n"
      + (indices.count <= Self.largestTable ? table : summary)
  }

  // MARK: - All of it

  private var table: Markup {
    let showsFailed = indices.contains { failed($0) > 0 }
    let longest = matrix.labels.map(\.count).max() ?? 0
    let isTall = longest > 4 && indices.count > 8 || longest > 8
    let heads = indices.map { column -> Markup in
      "<th scope=\"col\"><span>\(Markup.name(matrix.labels[column]))</span></th>"
    }
    let rows = indices.map { row -> Markup in
      var cells = Markup.empty
      for column in indices { cells += cell(row, column) }
      if showsFailed {
        let lost = failed(row)
        cells += lost > 0 ? "<td class=\"lost\">\(lost)</td>" : "<td></td>"
      }
      return "<tr><th scope=\"row\">\(Markup.name(matrix.labels[row]))</th>\(cells)</tr>\n"
    }
    let lastHead: Markup =
      showsFailed ? "<th scope=\"col\"><span>failed</span></th>" : .empty
    let table: Markup = """
      <table class="matrix"><caption><div>Each row is a true class, and each column is the class \
      that the model \(isOfObjects ? "found" : "ranked first").\(background) Right answers are blue and mistakes are red. A darker cell has a \
      larger share of its row; empty cells are 0.</div></caption>
      <thead class="\(isTall ? "tall" : "flat")"><tr><th scope="col"><span>true class</span></th>\
      \(heads)\(lastHead)</tr></thead><tbody>\(rows)</tbody></table>
      """
    return .scrolling(table, label: "Confusion matrix")
  }

  private var background: Markup {
    guard isOfObjects else { return .empty }
    return """
       The row of the background has detections without an object, and its column has objects that \
      weren't found. A detection with a score of at least 0.25 belongs to the object that it overlaps \
      most, by at least one half.
      """
  }

  private func cell(_ row: Int, _ column: Int) -> Markup {
    let number = count(row, column)
    guard number > 0 else { return "<td></td>" }
    let share = min(max(number / total(row), 0), 1)
    let level = Int((share * 10).rounded(.toNearestOrAwayFromZero))
    let shade = (row == column ? "d" : "e") + String(level)
    return "<td class=\"\(shade)\">\(matrix.counts[row][column])</td>"
  }

  // MARK: - The most of it

  private var summary: Markup {
    var pairs: [(row: Int, column: Int, count: Double)] = []
    for row in indices {
      for column in indices where column != row && count(row, column) > 0 {
        pairs.append((row, column, count(row, column)))
      }
    }
    pairs.sort { ($0.count, -$0.row, -$0.column) > ($1.count, -$1.row, -$1.column) }
    let rows = pairs.prefix(Self.longestList).map { pair -> Markup in
      let share = pair.count / total(pair.row) * 100
      return """
        <tr><th scope="row">\(Markup.name(matrix.labels[pair.row]))</th>\
        <td>\(Markup.name(matrix.labels[pair.column]))</td>\
        <td class="n">\(matrix.counts[pair.row][pair.column])</td>\
        <td class="n">\(DecimalText(share, digits: 1))%</td></tr>

        """
    }
    var caption: Markup = "The most confused pairs"
    if pairs.count > rows.count {
      caption += "; \(DecimalText(grouping: pairs.count - rows.count)) pairs are left out"
    }
    let table: Markup = """
      <table><caption><div>\(caption).</div></caption><thead><tr><th scope="col">True class</th>\
      <th scope="col">Predicted as</th><th scope="col" class="n">\(isOfObjects ? "Objects" : "\(samples.title)s")</th>\
      <th scope="col" class="n">Share of the class</th></tr></thead><tbody>\(rows)</tbody></table>
      """
    return
      "<div class=\"flow\">\(Markup.scrolling(table, label: "Confused pairs"))\(map)</div>"
  }

  /// An image with a pixel for each pair of classes, or for each block of pairs if there are many.
  private var map: Markup {
    let block = (indices.count + 255) / 256
    let side = (indices.count + block - 1) / block
    var shares = [Double](repeating: 0, count: side * side)
    var right = 0.0
    var all = 0.0
    for row in indices {
      let total = total(row)
      all += total
      right += count(row, row)
      guard total > 0 else { continue }
      for column in indices {
        let index = row / block * side + column / block
        shares[index] = max(shares[index], count(row, column) / total)
      }
    }
    var pixels: [UInt8] = []
    pixels.reserveCapacity(4 * shares.count)
    for (index, share) in shares.enumerated() {
      // The square root makes small fractions visible beside large ones.
      let alpha = UInt8(min(255, 255 * max(0, share).squareRoot()))
      let isRight = index / side == index % side
      pixels += isRight ? [76, 134, 222, alpha] : [226, 98, 56, alpha]
    }
    let image = PixelBuffer(width: side, height: side, format: .rgba, bytes: pixels)
    guard let bytes = try? ImageEncoder().encode(image, as: .png) else { return .empty }
    let percent = all > 0 ? right / all * 100 : 0
    let description =
      "\(indices.count) classes: \(DecimalText(percent, digits: 1))% of the "
      + "\(isOfObjects ? "objects and detections" : samples.plural) lie on the "
      + "diagonal."
    return """
      <figure><figcaption>All \(indices.count) classes: true classes from top to bottom, predicted \
      classes from left to right. Right answers are blue and mistakes are red.</figcaption>
      <img class="heat-map" width="\(side)" height="\(side)" alt="\(description)" \
      src="data:image/png;base64,\(Thumbnail.base64(bytes))"></figure>
      """
  }
}
