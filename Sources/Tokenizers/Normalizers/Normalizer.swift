// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// A change of a text before it's split.
indirect enum Normalizer {
  case sequence([Normalizer])
  case bert(BertNormalizer)
  case form(NormalizationForm)
  case change(ScalarChange)
  case strip(left: Bool, right: Bool)
  case replace(TextPattern, [UInt8])
  case prepend([UInt8])
  case precompiled(CharacterMap)

  /// Changes a text.
  func normalize(_ text: inout NormalizedText) throws {
    switch self {
    case .sequence(let normalizers):
      for normalizer in normalizers { try normalizer.normalize(&text) }
    case .bert(let normalizer): normalizer.normalize(&text)
    case .form(let form): text.bytes = form.normalized(text.bytes)
    case .change(let change): text.map(change)
    case .strip(let left, let right): text.strip(left: left, right: right)
    case .replace(let pattern, let content): try text.replace(pattern, with: content)
    case .prepend(let prefix): if !text.bytes.isEmpty { text.bytes = prefix + text.bytes }
    case .precompiled(let map): text.bytes = try map.mapped(text.bytes)
    }
  }
}

extension Normalizer {
  private static let names = [
    "BertNormalizer", "Lowercase", "NFC", "NFD", "NFKC", "NFKD", "Nmt", "Precompiled",
    "Prepend", "Replace", "Sequence", "Strip", "StripAccents",
  ]

  /// Reads a normalizer of tokenizer.json.
  init(_ element: JSONElement) throws {
    let type = try element.required("type").text()
    if let form = NormalizationForm(rawValue: type) {
      self = .form(form)
      return
    }
    switch type {
    case "Sequence":
      self = .sequence(try element.required("normalizers").steps().map(Normalizer.init))
    case "BertNormalizer", "Bert":
      let lowercases = try element.bool("lowercase")
      self = .bert(
        BertNormalizer(
          cleansText: try element.bool("clean_text"),
          separatesChinese: try element.bool("handle_chinese_chars"),
          stripsAccents: try element.bool("strip_accents", default: lowercases),
          lowercases: lowercases))
    case "Lowercase": self = .change(.lowercase)
    case "Nmt": self = .change(.nmt)
    case "StripAccents": self = .change(.remove(.mark))
    case "Strip":
      self = .strip(
        left: try element.bool("strip_left"),
        right: try element.bool("strip_right"))
    case "Replace":
      self = .replace(
        try TextPattern(element.required("pattern")), try element.required("content").shortBytes())
    case "Prepend": self = .prepend(try element.required("prepend").shortBytes())
    case "Precompiled":
      self = .precompiled(try CharacterMap(element.required("precompiled_charsmap")))
    default: throw TokenizerError.unsupported("normalizer", type, Self.names)
    }
  }
}
