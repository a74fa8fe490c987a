// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The inputs of a model for a text, or for a pair of texts.
package struct TokenizedText: Sendable, Equatable {
  /// The indices of the tokens.
  package var ids: [Int32] = []
  /// Which of the texts each token is in, as the model counts them.
  package var typeIDs: [Int32] = []
  /// 1 for tokens, and 0 for padding.
  package var attentionMask: [Int32] = []

  package init() {}

  mutating func append(_ ids: [Int32], type: Int32) {
    self.ids += ids
    for _ in ids {
      typeIDs.append(type)
      attentionMask.append(1)
    }
  }
}
