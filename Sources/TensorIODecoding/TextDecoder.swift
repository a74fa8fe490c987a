// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Decoders
import TensorIO

/// Decodes symbols or tokens to text.
struct TextDecoder: PreparedDecoder {
  private enum Kernel {
    case ctc(CTCDecoder)
    case tokens(TokenDecoder)
  }

  private let kernel: Kernel
  private let index: Int

  init(_ outputs: DecoderOutputs) throws {
    let options = outputs.options
    index = outputs.index
    let symbols = options.labels?.names ?? []
    let activation = options.text("activation").flatMap(BoxActivation.init) ?? .softmax
    if outputs.type == "ctc" {
      kernel = .ctc(
        try CTCDecoder(
          shape: outputs.shape, symbols: symbols, blank: options.count("blank"),
          activation: activation))
    } else {
      kernel = .tokens(
        try TokenDecoder(
          shape: outputs.shape, vocabulary: symbols, end: options.text("end"),
          skip: options.texts("skip") ?? [],
          joining: options.text("join").flatMap(TokenJoining.init) ?? .none,
          activation: activation))
    }
  }

  func decode(_ values: ModelOutputs) throws -> DecodedValue {
    try values.withFloats(at: index) { tensor in
      let text =
        switch kernel {
        case .ctc(let decoder): try decoder.decode(tensor)
        case .tokens(let decoder): try decoder.decode(tensor)
        }
      return .text(RecognizedText(text: text.text, score: text.score))
    }
  }
}
