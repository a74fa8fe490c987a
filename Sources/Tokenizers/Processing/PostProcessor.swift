// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The special tokens around one or two texts, and the types of all tokens.
struct PostProcessor {
  private enum Part {
    case text(Int, type: Int32)
    case special([Int32], type: Int32)
  }

  private var single: [Part] = [.text(0, type: 0)]
  private var pair: [Part] = [.text(0, type: 0), .text(1, type: 1)]
  /// Whether a processor of the file changes tokens; some change only offsets.
  private var isSet = false

  /// Makes no tokens.
  init() {}

  /// Makes BERT's `[CLS] A [SEP] B [SEP]`, or RoBERTa's `<s> A </s> </s> B </s>`.
  init(first: Int32, separator: Int32, isRoberta: Bool = false) {
    let end = Part.special([separator], type: 0)
    let type: Int32 = isRoberta ? 0 : 1
    single = [.special([first], type: 0), .text(0, type: 0), end]
    pair = single + (isRoberta ? [end] : [])
    pair += [.text(1, type: type), .special([separator], type: type)]
    isSet = true
  }

  /// The number of tokens that are added to one or two texts.
  func addedCount(isPair: Bool) -> Int {
    var count = 0
    for case .special(let ids, _) in isPair ? pair : single { count += ids.count }
    return count
  }

  /// Joins texts and special tokens.
  func process(_ texts: [[Int32]], addsSpecials: Bool) -> TokenizedText {
    var result = TokenizedText()
    for part in texts.count > 1 ? pair : single {
      switch part {
      case .text(let place, let type): result.append(texts[place], type: type)
      case .special(let ids, let type): if addsSpecials { result.append(ids, type: type) }
      }
    }
    return result
  }
}

extension PostProcessor {
  private static let names = [
    "BertProcessing", "ByteLevel", "RobertaProcessing", "Sequence", "TemplateProcessing",
  ]

  /// Reads a post-processor of tokenizer.json.
  init(_ element: JSONElement) throws {
    func index(_ name: String) throws -> Int32 {
      Int32(try element.required(name).pair("a token and its index").1.integer())
    }
    let type = try element.required("type").text()
    self.init()
    switch type {
    case "Sequence":
      for processor in try element.required("processors").steps() {
        let other = try PostProcessor(processor)
        guard !isSet || !other.isSet else {
          throw processor.failure("at most one post-processor that adds tokens")
        }
        if other.isSet { self = other }
      }
    case "BertProcessing":
      self = PostProcessor(first: try index("cls"), separator: try index("sep"))
    case "RobertaProcessing":
      // They are about offsets, but Python takes an object without them for BertProcessing.
      _ = try element.bool("trim_offsets")
      _ = try element.bool("add_prefix_space")
      self = PostProcessor(first: try index("cls"), separator: try index("sep"), isRoberta: true)
    case "TemplateProcessing":
      single = try Self.parts(element, "single", texts: ["A"])
      pair = try Self.parts(element, "pair", texts: ["A", "B"])
      isSet = true
    case "ByteLevel": break
    default: throw TokenizerError.unsupported("post-processor", type, Self.names)
    }
  }

  private static func parts(
    _ element: JSONElement, _ name: String, texts: [String]
  ) throws -> [Part] {
    let specials = try element.required("special_tokens")
    var parts: [Part] = []
    for part in try element.required(name).elements(most: 1_000) {
      let special = part["SpecialToken"]
      let body = try special ?? part.required("Sequence")
      let type = Int32(try body.required("type_id").integer())
      guard special != nil else {
        parts.append(.text(try body.required("id").position(in: texts), type: type))
        continue
      }
      let token = try specials.required(body.required("id").text())
      var ids: [Int32] = []
      for id in try token.required("ids").elements(most: 1_000) {
        ids.append(Int32(try id.integer()))
      }
      parts.append(.special(ids, type: type))
    }
    return parts
  }
}
