// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The decompositions and compositions of Unicode 9.
///
/// The standard library has no public normalization, and Foundation's needs ICU's 40 MB on Linux.
/// The package `tokenizers` uses Unicode 9, whose decompositions are 15 KB.
struct NormalizationTable {
  /// The table, which is read when a text first needs it.
  static let shared = NormalizationTable()

  /// The number of the page with 256 cells of each 256 scalars; page 0 is empty.
  private var pages: [UInt8] = Array(repeating: 0, count: 0x1100)
  /// The index of each scalar's decomposition, or 0.
  private var cells: [UInt16] = Array(repeating: 0, count: 256)
  /// Where decompositions start in `scalars`.
  private var starts: [UInt16] = [0]
  /// Whether each decomposition is one of compatibility.
  private var isCompatibility: [Bool] = [false]
  private var scalars: [UInt32] = []
  /// The scalars that pairs compose to.
  private var compositions = PairTable([], [])
  /// Whether the 16 scalars from 16 times the index have one that composes with another before it.
  private var isSecond: [Bool] = Array(repeating: false, count: 0x2000)

  private init() {
    var digits = Digits(bytes: Array(NormalizationData.text.description.utf8))
    var last: [UInt32] = Array(repeating: 0, count: 32)
    var code: UInt32 = 0
    var pairs: [UInt64] = []
    var composed: [Int32] = []
    while let distance = digits.number() {
      code += distance
      let kind = digits.number() ?? 0
      let length = Int(kind == 0 ? digits.number() ?? 0 : kind / 2)
      for _ in 0..<(digits.number() ?? 0) {
        starts.append(UInt16(scalars.count))
        isCompatibility.append(kind == 0)
        for index in 0..<length {
          let zigzag = digits.number() ?? 0
          last[index] &+= zigzag & 1 == 0 ? zigzag >> 1 : ~(zigzag >> 1)
          scalars.append(last[index])
        }
        setCell(of: code, to: UInt16(starts.count - 1))
        if kind == 5 {
          pairs.append(UInt64(last[0]) << 32 | UInt64(last[1]))
          composed.append(Int32(code))
          isSecond[Int(last[1] >> 4)] = true
        }
        code += 1
      }
    }
    starts.append(UInt16(scalars.count))
    compositions = PairTable(pairs, composed)
  }

  /// Reads numbers of digits with five bits, the lowest first.
  private struct Digits {
    let bytes: [UInt8]
    var index = 0

    @inline(never)
    mutating func number() -> UInt32? {
      var value: UInt32 = 0
      var shift: UInt32 = 0
      while index < bytes.count {
        let character = bytes[index]
        let digit = UInt32(character > 92 ? character - 36 : character - 35)
        index += 1
        value |= (digit & 31) << shift
        if digit < 32 { return value }
        shift += 5
      }
      return nil
    }
  }

  private mutating func setCell(of code: UInt32, to index: UInt16) {
    let page = Int(code >> 8)
    if pages[page] == 0 {
      pages[page] = UInt8(cells.count >> 8)
      cells += Array(repeating: 0, count: 256)
    }
    cells[Int(pages[page]) << 8 | Int(code & 0xFF)] = index
  }

  /// Appends the full decomposition of a scalar.
  func decompose(_ value: UInt32, isCompatibility wanted: Bool, into result: inout [UInt32]) {
    if value >= 0xAC00, value < 0xD7A4 {
      // Unicode computes the decompositions of Hangul.
      let index = value - 0xAC00
      result.append(0x1100 + index / 588)
      result.append(0x1161 + index % 588 / 28)
      if index % 28 > 0 { result.append(0x11A7 + index % 28) }
      return
    }
    let page = value < 0x110000 ? pages[Int(value >> 8)] : 0
    let entry = Int(cells[Int(page) << 8 | Int(value & 0xFF)])
    guard entry > 0, wanted || !isCompatibility[entry] else {
      result.append(value)
      return
    }
    for index in Int(starts[entry])..<Int(starts[entry + 1]) {
      decompose(scalars[index], isCompatibility: wanted, into: &result)
    }
  }

  /// Returns the scalar that two scalars compose to, if there is one.
  func composition(of first: UInt32, _ second: UInt32) -> UInt32? {
    if second >= 0x1161, second < 0x11C3 {
      if first >= 0x1100, first < 0x1113, second < 0x1176 {
        return 0xAC00 + (first - 0x1100) * 588 + (second - 0x1161) * 28
      }
      let isOpen = first >= 0xAC00 && first < 0xD7A4 && (first - 0xAC00) % 28 == 0
      return isOpen && second > 0x11A7 ? first + second - 0x11A7 : nil
    }
    guard second < 0x20000, isSecond[Int(second >> 4)] else { return nil }
    return compositions[first, second].map { UInt32(bitPattern: $0) }
  }

  /// The canonical combining class of a scalar in Unicode 9.
  static func combiningClass(_ value: UInt32) -> UInt8 {
    guard value >= 0x300, !(0x3100..<0xA66F ~= value), !(0xAC00..<0xD7A4 ~= value),
      let properties = Unicode.Scalar(value)?.properties,
      properties.canonicalCombiningClass != .notReordered, properties.age?.major ?? .max <= 9
    else { return 0 }
    return properties.canonicalCombiningClass.rawValue
  }
}
