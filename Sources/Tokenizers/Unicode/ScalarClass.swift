// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The properties of a Unicode scalar that tokenizers distinguish.
///
/// The package `tokenizers` takes them from libraries with different versions of Unicode. Scalars
/// that Unicode added later don't have a property there, and neither here.
struct ScalarClass: OptionSet {
  let rawValue: UInt16

  init(rawValue: UInt16) { self.rawValue = rawValue }

  /// White space.
  static let whitespace = Self(rawValue: 1 << 5)
  /// Punctuation in Unicode 8, or in ASCII.
  static let punctuation = Self(rawValue: 1 << 6)
  /// A nonspacing mark in Unicode 8.
  static let accent = Self(rawValue: 1 << 7)
  /// A mark in Unicode 9.
  static let mark = Self(rawValue: 1 << 8)
  /// A control or format character, or one of private use, in Unicode 8.
  static let control = Self(rawValue: 1 << 9)
  /// A number.
  static let number = Self(rawValue: 1 << 10)
  /// A character of words, as `\w` in Unicode 16.
  static let word = Self(rawValue: 1 << 11)
  /// A character whose lowercase differs.
  static let uppercase = Self(rawValue: 1 << 12)

  /// The general category in Unicode 16, as an index of ``names``.
  var category: Int { Int(rawValue & 31) }

  /// The names of general categories, each with two letters.
  static let names = Array(
    "LuLlLtLmLoMnMcMeNdNlNoPcPdPsPePiPfPoSmScSkSoZsZlZpCcCfCsCoCn".utf8)

  /// The index of a general category in ``names``.
  private static func index(of category: Unicode.GeneralCategory) -> Int {
    switch category {
    case .uppercaseLetter: 0
    case .lowercaseLetter: 1
    case .titlecaseLetter: 2
    case .modifierLetter: 3
    case .otherLetter: 4
    case .nonspacingMark: 5
    case .spacingMark: 6
    case .enclosingMark: 7
    case .decimalNumber: 8
    case .letterNumber: 9
    case .otherNumber: 10
    case .connectorPunctuation: 11
    case .dashPunctuation: 12
    case .openPunctuation: 13
    case .closePunctuation: 14
    case .initialPunctuation: 15
    case .finalPunctuation: 16
    case .otherPunctuation: 17
    case .mathSymbol: 18
    case .currencySymbol: 19
    case .modifierSymbol: 20
    case .otherSymbol: 21
    case .spaceSeparator: 22
    case .lineSeparator: 23
    case .paragraphSeparator: 24
    case .control: 25
    case .format: 26
    case .surrogate: 27
    case .privateUse: 28
    case .unassigned: 29
    @unknown default: 29
    }
  }

  /// The properties of the scalars that most texts have.
  ///
  /// The standard library needs about 0.2 µs for each scalar.
  private static let table = computed(0..<0x3000)
  /// Variation selectors, and fullwidth and Arabic forms.
  private static let forms = computed(0xFB00..<0x10000)
  /// Emoji.
  private static let symbols = computed(0x1F000..<0x1FB00)

  private static func computed(_ range: Range<UInt32>) -> [Self] {
    var classes: [Self] = []
    for value in range { classes.append(Self(computedFor: value)) }
    return classes
  }

  /// Returns the properties of a scalar.
  @inline(__always)
  static func of(_ value: UInt32) -> Self {
    value < 0x3000 ? table[Int(value)] : of(late: value)
  }

  @inline(never)
  private static func of(late value: UInt32) -> Self {
    switch value {
    // Ideographs and Hangul syllables, in which no scalar is special.
    case 0x3400..<0x4DC0, 0x4E00..<0xA000, 0xAC00..<0xD7A4: [Self(rawValue: 4), word]
    case 0xFB00..<0x10000: forms[Int(value - 0xFB00)]
    case 0x1F000..<0x1FB00: symbols[Int(value - 0x1F000)]
    default: Self(computedFor: value)
    }
  }

  /// Reads the properties from the standard library.
  @inline(never)
  private init(computedFor value: UInt32) {
    guard let scalar = Unicode.Scalar(value) else {
      self.init(rawValue: 29)
      return
    }
    let properties = scalar.properties
    let age = properties.age.map { $0.major } ?? .max
    let now = Self.index(of: properties.generalCategory)
    // Unicode 17 made a letter of this scalar's category other.
    let category = value == 0x295 ? 1 : age <= 16 ? now : 29
    var set = Self(rawValue: UInt16(category))
    if properties.isWhitespace { set.insert(.whitespace) }
    if 8...10 ~= now { set.insert(.number) }
    if properties.changesWhenLowercased { set.insert(.uppercase) }
    let isMark = 5...7 ~= now
    if age <= 16 {
      let isWord = isMark || now == 8 || now == 11 || properties.isJoinControl
      if isWord || properties.isAlphabetic { set.insert(.word) }
    }
    if age <= 9, isMark { set.insert(.mark) }
    if age <= 8 {
      if 11...17 ~= now || value < 0x80 && 18...21 ~= now { set.insert(.punctuation) }
      if now == 5 { set.insert(.accent) }
      if now == 25 || now == 26 || now == 28 { set.insert(.control) }
    }
    self = Self(rawValue: set.rawValue ^ Self.change(of: value).rawValue)
  }

  /// The changed properties of scalars whose category has changed since Unicode 8 or 9.
  private static func change(of value: UInt32) -> Self {
    switch value {
    case 0x166D: .punctuation
    case 0x1734, 0x1885, 0x1886, 0xA9BD, 0x1171E: .accent
    case 0x1CF2, 0x1CF3: .mark
    case 0x111C9: [.punctuation, .accent, .mark]
    default: []
    }
  }
}
