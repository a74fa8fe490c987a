// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The stages from an image file to a tensor, in order.
enum ParityStage: String, CaseIterable {
  case decode
  case orientation
  case crop
  case resize
  case channelOrder = "channel order"
  case normalization
  case quantization
}

/// The result of comparing both sides in one stage.
struct StageFinding {
  let stage: ParityStage
  let result: Result
  /// What the other side seems to do; nil if it does the same as the bundle.
  var looksLike: String?
  /// What the bundle does.
  var insteadOf: String?
  /// A suggestion that makes both sides the same.
  var suggestion: String?
  /// Choices that explain the other side equally well, because this image can't tell them apart.
  var rivals: [String] = []

  enum Result: String {
    case same
    case differs
    /// Nothing known explains the other side, so the stage may or may not differ.
    case unknown
  }
}
