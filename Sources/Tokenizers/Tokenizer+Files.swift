// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

extension Tokenizer {
  /// Reads a `tokenizer.json`, as the package `tokenizers` writes it.
  ///
  /// - Parameters:
  ///   - bytes: The contents of the file.
  ///   - file: The name of the file for messages.
  /// - Throws: ``TokenizerError`` if the file is damaged, too large, or has a part that isn't
  ///   supported.
  package init(json bytes: [UInt8], file: String = "tokenizer.json") throws {
    let document = JSONElement(try JSONTree(bytes, file: file))
    if let version = try document["version"]?.text(), version != "1.0" {
      throw TokenizerError.unsupported("version", version, ["1.0"])
    }
    try self.init(
      model: TokenModel(document.required("model")),
      normalizer: document["normalizer"].map(Normalizer.init),
      preTokenizer: document["pre_tokenizer"].map(PreTokenizer.init),
      postProcessor: document["post_processor"].map(PostProcessor.init) ?? PostProcessor(),
      decoder: document["decoder"].map(TokenDecoder.init),
      added: document["added_tokens"]?.elements().map(AddedTokens.Token.init) ?? [],
      truncation: document["truncation"].map(TextTruncation.init),
      padding: document["padding"].map(TextPadding.init))
  }

  /// Reads a BERT model's `vocab.txt`, which has a token on each line.
  ///
  /// - Parameters:
  ///   - bytes: The contents of the file.
  ///   - file: The name of the file for messages.
  ///   - lowercases: Whether the model is uncased: text becomes lowercase and loses its accents.
  ///   - stripsAccents: Whether text loses its accents; nil stands for `lowercases`.
  ///   - separatesChinese: Whether each Chinese character is a word.
  /// - Throws: ``TokenizerError`` if the file has no `[UNK]`, `[CLS]` or `[SEP]`, or is too large.
  package init(
    bertVocabulary bytes: [UInt8], file: String = "vocab.txt", lowercases: Bool = true,
    stripsAccents: Bool? = nil, separatesChinese: Bool = true
  ) throws {
    let vocabulary = try Vocabulary(lines: bytes, file: file)
    let specials = ["[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"]
    var ids: [Int32] = []
    var added: [AddedTokens.Token] = []
    for (place, special) in specials.enumerated() {
      let token = Array(special.utf8)
      let id = vocabulary.id(of: token)
      guard id != nil || place > 2 else {
        throw TokenizerError(
          "\(file) has no line '\(special)', which BERT's tokenizer needs. Check that it's BERT's "
            + "vocabulary.")
      }
      ids.append(id ?? 0)
      if id != nil { added.append(AddedTokens.Token(special: token)) }
    }
    let model = WordPieceModel(vocabulary)
    try self.init(
      model: .wordPiece(model),
      normalizer: .bert(
        BertNormalizer(
          separatesChinese: separatesChinese, stripsAccents: stripsAccents ?? lowercases,
          lowercases: lowercases)),
      preTokenizer: .bert,
      postProcessor: PostProcessor(first: ids[1], separator: ids[2]),
      decoder: .wordPiece(prefix: model.prefix, cleansUp: true),
      added: added)
  }

  /// Reads a file of a tokenizer, whose kind its name says.
  ///
  /// - Parameters:
  ///   - bytes: The contents of the file.
  ///   - name: The name of the file: `tokenizer.json` or `vocab.txt`, with any folder or prefix.
  ///   - lowercases: Whether a `vocab.txt` is that of an uncased model.
  /// - Throws: ``TokenizerError`` as the other initializers do, and for other names.
  package init(_ bytes: [UInt8], name: String, lowercases: Bool = true) throws {
    if name.hasSuffix(".json") {
      try self.init(json: bytes, file: name)
    } else if name.hasSuffix(".txt") {
      try self.init(bertVocabulary: bytes, file: name, lowercases: lowercases)
    } else {
      let hint = name.hasSuffix(".model") ? " Write it with save_pretrained() in Python." : ""
      throw TokenizerError(
        "'\(name)' isn't a tokenizer that can be read. Expected is tokenizer.json or vocab.txt."
          + hint)
    }
  }
}
