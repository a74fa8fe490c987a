// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
/// A pattern for model names, in which `*` matches any number of characters.
struct ModelPattern {
  private let bytes: [UInt8]

  /// Parses a pattern; nil if no name can match it.
  init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard (1...100).contains(bytes.count),
      bytes.allSatisfy({ byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2A, 0x2D, 0x2E, 0x5F: true
        default: false
        }
      })
    else { return nil }
    self.bytes = bytes
  }

  /// Whether a name matches.
  ///
  /// Only the last `*` is ever retried, so the time is at most the product of the lengths.
  func matches(_ name: String) -> Bool {
    let name = Array(name.utf8)
    var (index, position) = (0, 0)
    var star: (index: Int, position: Int)?
    while position < name.count {
      if index < bytes.count, bytes[index] == 0x2A {
        star = (index, position)
        index += 1
      } else if index < bytes.count, bytes[index] == name[position] {
        index += 1
        position += 1
      } else if let (starIndex, starPosition) = star {
        star = (starIndex, starPosition + 1)
        index = starIndex + 1
        position = starPosition + 1
      } else {
        return false
      }
    }
    return bytes[index...].allSatisfy { $0 == 0x2A }
  }
}
#endif
