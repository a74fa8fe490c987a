// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// How long texts lose tokens.
struct TextTruncation {
  /// Which text of a pair loses tokens.
  enum Strategy: CaseIterable {
    case longestFirst
    case onlyFirst
    case onlySecond
  }

  /// The most tokens, with those that are added to the text.
  var length: Int
  var strategy = Strategy.longestFirst
  /// Whether the first tokens are lost instead of the last ones.
  var isLeft = false

  /// Shortens texts so that they and a number of added tokens fit.
  func truncate(_ texts: inout [[Int32]], added: Int) throws {
    let most = length - added
    guard most >= 0 else {
      throw TokenizerError(
        "A text can have \(length) tokens, but \(added) special tokens are added. Increase the "
          + "maximum length.")
    }
    var counts: [Int] = []
    var total = 0
    for text in texts {
      counts.append(text.count)
      total += text.count
    }
    guard total > most else { return }
    guard most > 0 else {
      texts = Array(repeating: [], count: counts.count)
      return
    }
    if strategy == .longestFirst {
      var kept = most
      if counts.count > 1 {
        // Each text keeps half, but a short one leaves its rest to the other.
        let half = most / 2
        if counts[0] <= half {
          kept = counts[0]
        } else if counts[1] <= half {
          kept = most - counts[1]
        } else {
          // The longer text, or the second one, keeps the odd token.
          kept = counts[0] > counts[1] ? most - half : half
        }
        shorten(&texts[1], to: most - kept)
      }
      shorten(&texts[0], to: kept)
      return
    }
    let place = strategy == .onlyFirst ? 0 : 1
    guard place < texts.count, counts[place] > total - most else {
      throw TokenizerError(
        "The texts have \(total) tokens, but \(most) were expected, and the strategy "
          + "\(strategy) can't remove them from the other text.")
    }
    shorten(&texts[place], to: counts[place] - total + most)
  }

  private func shorten(_ text: inout [Int32], to count: Int) {
    let first = isLeft ? max(text.count - count, 0) : 0
    text = Array(text[first..<min(first + count, text.count)])
  }
}

extension TextTruncation {
  /// Reads the member `truncation` of tokenizer.json.
  ///
  /// The `stride` doesn't matter, because only the first part of a text is returned.
  init(_ element: JSONElement) throws {
    length = try element.required("max_length").integer(most: .max)
    let names = ["LongestFirst", "OnlyFirst", "OnlySecond"]
    strategy = Strategy.allCases[try element.required("strategy").position(in: names)]
    isLeft = try element["direction"]?.position(in: ["Left", "Right"]) == 0
  }
}
