// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// SentencePiece's marks of spaces.
struct Metaspace {
  /// Which pieces get a mark before them.
  enum Scheme: CaseIterable {
    case first
    case never
    case always
  }

  var replacement: UInt32 = 0x2581
  var scheme = Scheme.always
  var splits = true

  func split(_ pieces: inout PieceList) {
    let mark: [UInt8] = Array(scalar: replacement)
    pieces.replace { text, piece, result in
      let start = text[piece.start] == 32 ? replacement : text.scalar(at: piece.start).value
      let isMarked = start == replacement || scheme == .never || scheme == .first && !piece.isStart
      if !isMarked { result += mark }
      for byte in text[piece.range] {
        if byte == 32 { result += mark } else { result.append(byte) }
      }
    }
    if splits { pieces.split(.mergedWithNext, at: replacement) }
  }
}

extension Metaspace {
  /// Reads the options of a pre-tokenizer or decoder.
  init(_ element: JSONElement) throws {
    replacement = try element.required("replacement").scalar()
    let addsSpace = try element.bool("add_prefix_space", default: true)
    scheme =
      try element["prepend_scheme"].map {
        Scheme.allCases[try $0.position(in: ["first", "never", "always"])]
      } ?? (addsSpace ? .always : .never)
    if !addsSpace, scheme != .never {
      throw element.failure("'prepend_scheme' never because of 'add_prefix_space'")
    }
    splits = try element.bool("split", default: true)
  }
}
