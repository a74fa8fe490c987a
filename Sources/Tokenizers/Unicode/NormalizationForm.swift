// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The normalization forms of Unicode.
enum NormalizationForm: String, CaseIterable {
  case nfd = "NFD"
  case nfc = "NFC"
  case nfkd = "NFKD"
  case nfkc = "NFKC"

  private var composes: Bool { self == .nfc || self == .nfkc }
  private var isCompatibility: Bool { self == .nfkd || self == .nfkc }

  /// Returns a text in this form.
  func normalized(_ text: [UInt8]) -> [UInt8] {
    var index = text.asciiEnd()
    guard index < text.count else { return text }
    var result: [UInt8] = []
    result.reserveCapacity(text.count + text.count / 8)
    var scalars: [UInt32] = []
    var copied = 0
    while index < text.count {
      // ASCII stays as it is, but a mark may compose with the character before it.
      let start = max(index - 1, copied)
      result += text[copied..<start]
      scalars.removeAll(keepingCapacity: true)
      var end = start
      while end < text.count, end <= index || text[end] >= 0x80 {
        let scalar = text.scalar(at: end)
        NormalizationTable.shared.decompose(
          scalar.value, isCompatibility: isCompatibility, into: &scalars)
        end += scalar.length
      }
      finish(&scalars)
      for scalar in scalars { result.append(scalar: scalar) }
      copied = end
      index = end
      while index < text.count, text[index] < 0x80 { index += 1 }
    }
    result += text[copied...]
    return result
  }

  /// Reorders marks and composes.
  private func finish(_ scalars: inout [UInt32]) {
    var classes: [UInt8] = []
    for scalar in scalars { classes.append(NormalizationTable.combiningClass(scalar)) }
    var start = 0
    while start < scalars.count {
      guard classes[start] > 0 else {
        start += 1
        continue
      }
      var end = start + 1
      while end < scalars.count, classes[end] > 0 { end += 1 }
      if end > start + 1 { Self.sort(&scalars, &classes, start..<end) }
      start = end
    }
    if composes { Self.compose(&scalars, classes) }
  }

  /// Sorts marks by their class; marks of one class keep their order.
  private static func sort(_ scalars: inout [UInt32], _ classes: inout [UInt8], _ run: Range<Int>) {
    // There are few classes, so that this takes linear time for any number of marks.
    let marks = Array(scalars[run])
    let old = Array(classes[run])
    var place = run.lowerBound
    var last: UInt8 = 0
    while place < run.upperBound {
      var next = UInt8.max
      for own in old where own > last { next = min(next, own) }
      for index in 0..<marks.count where old[index] == next {
        scalars[place] = marks[index]
        classes[place] = next
        place += 1
      }
      last = next
    }
  }

  private static func compose(_ scalars: inout [UInt32], _ classes: [UInt8]) {
    var count = 0
    var starter: Int?
    // The class of the last scalar that was kept after the starter.
    var last: UInt8 = 0
    for (scalar, own) in zip(scalars, classes) {
      let isBlocked = starter.map { count > $0 + 1 && last >= own } ?? true
      if !isBlocked, let base = starter,
        let composed = NormalizationTable.shared.composition(of: scalars[base], scalar)
      {
        scalars[base] = composed
        continue
      }
      if own == 0 { starter = count }
      last = own
      scalars[count] = scalar
      count += 1
    }
    scalars.removeLast(scalars.count - count)
  }
}
