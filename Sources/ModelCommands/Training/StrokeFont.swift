// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// A font of straight strokes, for images in which no other font is available.
///
/// Font files differ between machines or are missing. These letters look the same everywhere.
enum StrokeFont {
  /// The strokes of the characters, as points in a grid.
  ///
  /// Each point is a column and a row, and a slash separates strokes. Row 0 is the top of capitals,
  /// row 6 is the baseline, and row 8 is the bottom of descenders.
  private static let glyphs: [Character: String] = [
    "0": "10 30 41 45 36 16 05 01 10",
    "1": "11 20 26",
    "2": "01 10 30 41 42 06 46",
    "3": "01 10 30 41 42 33 44 45 36 16 05 / 33 23",
    "4": "36 30 04 44",
    "5": "40 00 03 12 32 43 45 36 16 05",
    "6": "41 30 10 01 05 16 36 45 44 33 13 04",
    "7": "00 40 16",
    "8": "13 02 01 10 30 41 42 33 13 04 05 16 36 45 44 33",
    "9": "05 16 36 45 41 30 10 01 02 13 33 42",
    "a": "42 46 / 43 32 12 03 05 16 36 45",
    "b": "00 06 / 03 12 32 43 45 36 16 05",
    "c": "43 32 12 03 05 16 36 45",
    "d": "40 46 / 43 32 12 03 05 16 36 45",
    "e": "04 44 43 32 12 03 05 16 36 45",
    "f": "30 20 11 16 / 02 32",
    "g": "42 47 38 18 07 / 43 32 12 03 05 16 36 45",
    "h": "00 06 / 03 12 32 43 46",
    "i": "02 06 / 00 00",
    "j": "12 17 08 / 10 10",
    "k": "00 06 / 32 05 / 14 36",
    "l": "00 06",
    "m": "02 06 / 03 12 22 33 36 / 33 42 52 63 66",
    "n": "02 06 / 03 12 32 43 46",
    "o": "12 32 43 45 36 16 05 03 12",
    "p": "02 08 / 03 12 32 43 45 36 16 05",
    "q": "42 48 / 43 32 12 03 05 16 36 45",
    "r": "02 06 / 03 12 22",
    "s": "43 32 12 03 14 34 45 36 16 05",
    "t": "10 15 26 36 / 02 32",
    "u": "02 05 16 36 45 / 42 46",
    "v": "02 26 42",
    "w": "02 16 32 56 62",
    "x": "02 46 / 42 06",
    "y": "02 26 / 42 18 08",
    "z": "02 42 06 46",
    "A": "06 20 46 / 14 34",
    "B": "00 06 36 45 44 33 03 / 33 42 41 30 00",
    "C": "41 30 10 01 05 16 36 45",
    "D": "00 06 36 45 41 30 00",
    "E": "40 00 06 46 / 03 33",
    "F": "40 00 06 / 03 33",
    "G": "41 30 10 01 05 16 36 45 43 23",
    "H": "00 06 / 40 46 / 03 43",
    "I": "00 06",
    "J": "30 35 26 16 05",
    "K": "00 06 / 40 04 / 13 46",
    "L": "00 06 36",
    "M": "06 00 24 40 46",
    "N": "06 00 46 40",
    "O": "10 30 41 45 36 16 05 01 10",
    "P": "06 00 30 41 42 33 03",
    "Q": "10 30 41 45 36 16 05 01 10 / 24 46",
    "R": "06 00 30 41 42 33 03 / 23 46",
    "S": "41 30 10 01 02 13 33 44 45 36 16 05",
    "T": "00 40 / 20 26",
    "U": "00 05 16 36 45 40",
    "V": "00 26 40",
    "W": "00 16 31 56 60",
    "X": "00 46 / 40 06",
    "Y": "00 23 40 / 23 26",
    "Z": "00 40 06 46",
    ".": "06 06",
    ",": "16 08",
    ":": "02 02 / 06 06",
    "-": "04 34",
    "+": "04 44 / 22 26",
    "_": "07 47",
    "/": "07 40",
    "(": "20 11 15 26",
    ")": "00 11 15 06",
    "[": "20 00 06 26",
    "]": "00 20 26 06",
    "=": "03 43 / 05 45",
    "%": "06 40 / 00 10 11 01 00 / 35 45 46 36 35",
    "<": "32 04 36",
    ">": "02 34 06",
    "!": "00 04 / 06 06",
  ]

  /// A box, which replaces characters without strokes.
  private static let unknown = "00 40 46 06 00"

  /// Returns the width of a text.
  static func width(of text: String, size: Double) -> Double {
    let advances = text.map { advance(of: $0) }
    return max(0, advances.reduce(0, +) - gap) * unit(size)
  }

  /// Returns the strokes of a text.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - place: The left end of the baseline.
  ///   - size: The font size. Capitals are about 0.72 of it high.
  /// - Returns: The points of each stroke.
  static func strokes(
    of text: String, at place: LossPlot.Position, size: Double
  ) -> [[LossPlot.Position]] {
    var left = 0.0
    var strokes: [[LossPlot.Position]] = []
    for character in text {
      for line in lines(of: character) {
        strokes.append(
          line.map { point in
            LossPlot.Position(
              x: place.x + (left + Double(point.column)) * unit(size),
              y: place.y + Double(point.row - 6) * unit(size))
          })
      }
      left += advance(of: character)
    }
    return strokes
  }

  private static let gap = 1.9

  private static func unit(_ size: Double) -> Double { size * 0.12 }

  private static func advance(of character: Character) -> Double {
    if character == " " { return 3.2 }
    return Double(lines(of: character).joined().map(\.column).max() ?? 0) + gap
  }

  private static func lines(of character: Character) -> [[(column: Int, row: Int)]] {
    if character == " " { return [] }
    return (glyphs[character] ?? unknown).split(separator: "/").map { line in
      line.split(separator: " ").map { point in
        let digits = point.compactMap(\.wholeNumberValue)
        return (digits.first ?? 0, digits.last ?? 0)
      }
    }
  }
}
