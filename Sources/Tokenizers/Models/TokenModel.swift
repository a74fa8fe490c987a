// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// A model that splits words into tokens.
enum TokenModel {
  case wordPiece(WordPieceModel)
  case bpe(BPEModel)
  case unigram(UnigramModel)

  /// Reads a model from the member `model` of tokenizer.json.
  init(_ element: JSONElement) throws {
    // Old files have no type; the members tell which it is.
    let type =
      try element["type"]?.text()
      ?? (element["merges"] != nil
        ? "BPE" : element["unk_id"] != nil ? "Unigram" : "WordPiece")
    switch type {
    case "WordPiece": self = .wordPiece(try WordPieceModel(element))
    case "WordLevel": self = .wordPiece(try WordPieceModel(element, hasOnlyWords: true))
    case "BPE": self = .bpe(try BPEModel(element))
    case "Unigram": self = .unigram(try UnigramModel(element))
    default:
      throw TokenizerError.unsupported("model", type, ["BPE", "Unigram", "WordLevel", "WordPiece"])
    }
  }

  /// The tokens and their indices.
  var vocabulary: Vocabulary {
    switch self {
    case .wordPiece(let model): model.vocabulary
    case .bpe(let model): model.vocabulary
    case .unigram(let model): model.vocabulary
    }
  }

  /// Appends the indices of the tokens of each piece.
  func tokenize(_ pieces: PieceList, into indices: inout [Int32]) throws {
    var word = BPEWord()
    var lattice = UnigramLattice()
    for piece in pieces.pieces {
      switch self {
      case .wordPiece(let model): try model.tokenize(pieces.bytes, piece.range, into: &indices)
      case .bpe(let model): try model.tokenize(pieces.bytes, piece.range, &word, into: &indices)
      case .unigram(let model):
        try model.tokenize(pieces.bytes, piece.range, &lattice, into: &indices)
      }
    }
  }
}
