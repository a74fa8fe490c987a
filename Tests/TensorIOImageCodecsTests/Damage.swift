// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// A copy of a file with flipped bits, other bytes, a cut, or a part of another file.
func damaged(
  _ whole: [UInt8], with other: [UInt8], _ random: inout SplitMix64
) -> [UInt8] {
  var bytes = whole
  // Headers matter most, so half of the offsets are among the first bytes.
  func place(_ random: inout SplitMix64) -> Int {
    let end = Bool.random(using: &random) ? min(64, bytes.count) : bytes.count
    return Int.random(in: 0..<end, using: &random)
  }
  switch Int.random(in: 0..<5, using: &random) {
  case 0:
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      bytes[place(&random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    }
  case 1:
    for _ in 0..<Int.random(in: 1...8, using: &random) {
      bytes[place(&random)] = [0, 1, 0x7f, 0x80, 0xff].randomElement(using: &random) ?? 0
    }
  case 2:
    bytes.removeSubrange(Int.random(in: 0..<bytes.count, using: &random)...)
  case 3:
    let start = place(&random)
    let end = Int.random(in: start...min(bytes.count, start + 40), using: &random)
    bytes.replaceSubrange(start..<end, with: other.prefix(Int.random(in: 0...40, using: &random)))
  default:
    let cut = Int.random(in: 0..<other.count, using: &random)
    bytes = Array(bytes[..<place(&random)] + other[cut...])
  }
  return bytes
}
