// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Makes the inputs of a model of text, as the Python package `tokenizers` does.
package struct Tokenizer: Sendable {
  /// How many tokens an encoding has, and which.
  package struct Options: Sendable, Hashable {
    /// The most tokens, with special ones; nil stands for the limit of the file, if it has one.
    package var maximumLength: Int?
    /// The number of tokens to which a shorter text is extended; nil stands for that of the file.
    package var fixedLength: Int?
    /// The index of the token that extends texts; nil stands for that of the file.
    package var paddingID: Int32?
    /// Whether to add tokens such as `[CLS]`.
    package var addsSpecialTokens: Bool

    package init(
      maximumLength: Int? = nil, fixedLength: Int? = nil, paddingID: Int32? = nil,
      addsSpecialTokens: Bool = true
    ) {
      self.maximumLength = maximumLength
      self.fixedLength = fixedLength
      self.paddingID = paddingID
      self.addsSpecialTokens = addsSpecialTokens
    }
  }

  private let normalizer: Normalizer?
  private let preTokenizer: PreTokenizer?
  private let model: TokenModel
  private let postProcessor: PostProcessor
  private let decoder: TokenDecoder?
  private let added: AddedTokens
  private let truncation: TextTruncation?
  private let padding: TextPadding?

  /// The most bytes of a text.
  private static let mostBytes = 64 << 20

  init(
    model: TokenModel, normalizer: Normalizer?, preTokenizer: PreTokenizer?,
    postProcessor: PostProcessor, decoder: TokenDecoder?, added: [AddedTokens.Token],
    truncation: TextTruncation? = nil, padding: TextPadding? = nil
  ) throws {
    self.model = model
    self.normalizer = normalizer
    self.preTokenizer = preTokenizer
    self.postProcessor = postProcessor
    self.decoder = decoder
    self.added = try AddedTokens(added, model.vocabulary, normalizer)
    self.truncation = truncation
    self.padding = padding
  }

  /// Returns the index of a token, or nil if the tokenizer doesn't have it.
  package func id(of token: String) -> Int32? {
    let text = Array(token.utf8)
    return added.id(of: text) ?? model.vocabulary.id(of: text)
  }

  /// Returns the text of a token, or nil if no token has the index.
  package func token(_ id: Int32) -> String? { bytes(of: id)?.text }

  private func bytes(of id: Int32) -> [UInt8]? {
    added.text(of: id) ?? model.vocabulary.text(of: id)
  }

  /// Returns the inputs of a model for a text, or for two texts that a model compares.
  ///
  /// - Throws: ``TokenizerError`` if the model has no token for a part of the text, or if the
  ///   options leave no room for it.
  package func encode(
    _ text: String, _ pair: String? = nil, options: Options = Options()
  ) throws -> TokenizedText {
    var texts = [try tokenize(text)]
    if let pair { texts.append(try tokenize(pair)) }
    var truncation = truncation
    if let length = options.maximumLength {
      truncation = truncation ?? TextTruncation(length: length)
      truncation?.length = length
    }
    let addsSpecials = options.addsSpecialTokens
    let count = addsSpecials ? postProcessor.addedCount(isPair: pair != nil) : 0
    try truncation?.truncate(&texts, added: count)
    var result = postProcessor.process(texts, addsSpecials: addsSpecials)
    var padding = padding
    if let length = options.fixedLength {
      padding = padding ?? TextPadding(id: id(of: "[PAD]") ?? id(of: "<pad>"))
      padding?.length = length
      padding?.multiple = nil
    }
    if let id = options.paddingID { padding?.id = id }
    try padding?.pad(&result)
    return result
  }

  /// Returns the indices of a text's tokens, without special tokens that the text doesn't have.
  private func tokenize(_ text: String) throws -> [Int32] {
    guard text.utf8.count <= Self.mostBytes else {
      throw TokenizerError(
        "The text has \(text.utf8.count) bytes, but at most 64 MiB were expected. Split it.")
    }
    var ids: [Int32] = []
    let bytes = Array(text.utf8)
    for (token, range) in added.split(bytes, isNormalized: false) {
      if let token {
        ids.append(token)
        continue
      }
      let part = range.count == bytes.count ? bytes : bytes.part(range)
      var normalized = NormalizedText(bytes: part, isStart: range.lowerBound == 0)
      try normalizer?.normalize(&normalized)
      for (token, range) in added.split(normalized.bytes, isNormalized: true) {
        if let token {
          ids.append(token)
          continue
        }
        var piece = normalized
        if range.count < piece.bytes.count {
          piece.bytes = normalized.bytes.part(range)
          piece.isStart = normalized.isStart && range.lowerBound == 0
        }
        var pieces = PieceList(piece)
        try preTokenizer?.split(&pieces)
        try model.tokenize(pieces, into: &ids)
      }
    }
    return ids
  }

  /// Returns the text of tokens.
  ///
  /// Indices that no token has are omitted, as in Python.
  package func decode(_ ids: [Int32], skipsSpecialTokens: Bool = true) throws -> String {
    var tokens: [[UInt8]] = []
    for id in ids {
      guard let token = bytes(of: id), !skipsSpecialTokens || !added.isSpecial(token) else {
        continue
      }
      tokens.append(decoder == nil && !tokens.isEmpty ? [32] + token : token)
    }
    if let decoder { tokens = try decoder.decode(tokens) }
    return TokenDecoder.joined(tokens).text
  }
}
