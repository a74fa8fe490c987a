// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// What a picture goes through on its way into a tensor, in order.
enum ParityStage: String, CaseIterable {
  case decode
  case orientation
  case crop
  case resize
  case channelOrder = "channel order"
  case normalization
  case quantization
}

/// What was found out about a stage.
struct StageFinding {
  let stage: ParityStage
  let result: Result
  /// What the other side looks like; nil where it looks like the bundle.
  var looksLike: String?
  /// What the bundle does.
  var insteadOf: String?
  /// How to make both sides the same.
  var suggestion: String?
  /// Choices that explain the other side as well: this picture cannot tell them apart.
  var rivals: [String] = []

  enum Result: String {
    case same
    case differs
    /// Nothing known explains the other side, so nothing is claimed.
    case unknown
  }
}
