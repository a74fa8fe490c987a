// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Tensor contents that are the same each time the tests run.
struct RandomBytes {
  /// The contents of a tensor.
  enum Content {
    case bytes(Data)
    case strings([Data])

    /// The bytes; strings are in TensorFlow Lite's layout.
    var packed: Data {
      switch self {
      case .bytes(let data): return data
      case .strings(let strings):
        var offsets = [Int32(strings.count)]
        var offset = Int32(4 * (strings.count + 2))
        for string in strings {
          offsets.append(offset)
          offset += Int32(string.count)
        }
        offsets.append(offset)
        return offsets.withUnsafeBytes { Data($0) } + strings.reduce(Data(), +)
      }
    }
  }

  private var state: UInt64

  init(seed: UInt64) { state = seed }

  /// Numbers that suit models: floats from -2 to 2, small integers, any byte.
  mutating func content(_ type: String, count: Int) -> Content {
    func bytes<Number>(_ numbers: [Number]) -> Content {
      .bytes(numbers.withUnsafeBytes { Data($0) })
    }
    let words = (0..<count).map { _ in next() }
    let floats = words.map { Float($0 % 65_536) / 16_384 - 2 }
    switch type {
    case "float32": return bytes(floats)
    case "float64": return bytes(floats.map { Double($0) / 3 })
    case "float16": return bytes(floats.map { Float16($0) })
    case "bfloat16": return bytes(floats.map { UInt16($0.bitPattern >> 16) })
    case "bool": return bytes(words.map { UInt8($0 % 2) })
    case "int8", "uint8": return bytes(words.map { UInt8(truncatingIfNeeded: $0) })
    case "int16", "uint16": return bytes(words.map { UInt16($0 % 1_000) })
    case "int32", "uint32": return bytes(words.map { UInt32($0 % 1_000) })
    case "int64", "uint64": return bytes(words.map { UInt64($0 % 1_000) })
    case "string": return .strings(words.map { Data(String($0 % 1_000).utf8) })
    default: return .bytes(Data())
    }
  }

  /// SplitMix64.
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return (mixed ^ (mixed >> 31)) >> 16
  }
}
