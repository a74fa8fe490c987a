// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The tokens with which short texts are extended.
struct TextPadding {
  /// The most tokens to which texts are extended.
  static let most = 1_048_576

  /// The number of tokens; nil extends a text only to a multiple of ``multiple``.
  var length: Int?
  /// A number of which the number of tokens must be a multiple.
  var multiple: Int?
  /// Whether padding comes before the text.
  var isLeft = false
  /// The index of the padding's token; nil if the file names none.
  var id: Int32?
  /// The type of the padding's token.
  var typeID: Int32 = 0

  /// Extends a text.
  func pad(_ text: inout TokenizedText) throws {
    var length = max(length ?? 0, text.ids.count)
    if let multiple, multiple > 0, length % multiple > 0 { length += multiple - length % multiple }
    let count = length - text.ids.count
    guard count > 0 else { return }
    guard count <= Self.most else {
      throw TokenizerError(
        "A text is extended by \(count) tokens, but at most \(Self.most) were expected. Check "
          + "`padding`.")
    }
    guard let id else {
      throw TokenizerError(
        "The tokenizer has no `padding`, and no token [PAD] or <pad>. Name the token's index in "
          + "the options.")
    }
    func extend(_ values: inout [Int32], with value: Int32) {
      let padding: [Int32] = Array(repeating: value, count: count)
      values = isLeft ? padding + values : values + padding
    }
    extend(&text.ids, with: id)
    extend(&text.typeIDs, with: typeID)
    extend(&text.attentionMask, with: 0)
  }
}

extension TextPadding {
  /// Reads the member `padding` of tokenizer.json.
  init(_ element: JSONElement) throws {
    let strategy = try element.required("strategy")
    if let fixed = strategy["Fixed"] {
      length = try fixed.integer(most: Self.most)
    } else if try strategy.text() != "BatchLongest" {
      throw strategy.failure("'BatchLongest' or an object with 'Fixed'")
    }
    multiple = try element["pad_to_multiple_of"]?.integer(most: Self.most)
    isLeft = try element.required("direction").position(in: ["Left", "Right"]) == 0
    id = Int32(try element.required("pad_id").integer())
    typeID = Int32(try element.required("pad_type_id").integer())
  }
}
