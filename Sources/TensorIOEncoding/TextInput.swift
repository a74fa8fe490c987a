// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

public import TensorIO
import Tokenizers

/// A text, or a pair of texts that a model compares, for inputs of the type `text`.
///
/// ```swift
/// let outputs = try model.run(TextInput("How do I get there?", "Take the train."))
/// ```
///
/// Writing it to a tensor divides it into tokens with the tokenizer that model.json names. If all
/// inputs of a model take text, one value is for all of them.
public struct TextInput: Sendable, Hashable {
  /// The text.
  public var text: String
  /// The second text; nil if the model takes only one.
  public var second: String?

  /// Makes an input of one text or of two.
  public init(_ text: String, _ second: String? = nil) {
    self.text = text
    self.second = second
  }
}

extension TextInput: ExpressibleByStringLiteral {
  /// Makes an input of one text.
  public init(stringLiteral text: String) { self.init(text) }
}

extension TextInput: TensorEncodable {
  public static var tensorKindName: String { "a text" }
  public var tensorElementCount: Int? { nil }

  public func encode(into memory: inout MutableRawSpan, as spec: TensorSpec) throws {
    let coding = try spec.coding("text", for: Self.self)
    let tokens: TokenizedText
    do {
      let encoder = try coding.prepared { try TextEncoder(coding) }
      tokens = try encoder.encode(
        self,
        options: Tokenizer.Options(
          maximumLength: spec.elementCount, fixedLength: spec.elementCount,
          paddingID: coding.count("pad").map(Int32.init),
          addsSpecialTokens: coding.flag("special_tokens") ?? true))
    } catch let error as TokenizerError {
      throw TensorIOError(.wrongKind, "'\(spec.name)': \(error.message)", cause: error)
    }
    let numbers =
      switch coding.text("part") {
      case "mask": tokens.attentionMask
      case "types": tokens.typeIDs
      default: tokens.ids
      }
    try numbers.encode(into: &memory, as: spec)
  }
}
