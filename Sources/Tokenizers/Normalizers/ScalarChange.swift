// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// A change of single scalars.
enum ScalarChange {
  /// Lowercase letters.
  case lowercase
  /// No scalars with a property.
  case remove(ScalarClass)
  /// BERT's: spaces instead of white space, no control characters, and spaces beside Chinese ones.
  case clean(controls: Bool, chinese: Bool)
  /// SentencePiece's rules `nmt`: spaces instead of white space, and no control characters.
  case nmt

  /// Whether ASCII characters stay as they are.
  var keepsASCII: Bool { if case .remove = self { true } else { false } }

  /// Appends what replaces a scalar, and returns whether it's something.
  @inline(__always)
  func append(_ value: UInt32, to result: inout [UInt8]) -> Bool {
    switch self {
    case .lowercase:
      if value < 0x80 {
        result.append(UInt8(65...90 ~= value ? value + 32 : value))
        return true
      }
      if let scalar = Unicode.Scalar(value), ScalarClass.of(value).contains(.uppercase) {
        result += Array(scalar.properties.lowercaseMapping.utf8)
        return true
      }
    case .remove(let property):
      if !ScalarClass.of(value).isDisjoint(with: property) { return false }
    case .clean(let controls, let chinese):
      if value < 0x7F, value > 32 { break }
      if controls {
        let own = ScalarClass.of(value)
        let isLine = value == 9 || value == 10 || value == 13
        if !isLine, own.contains(.control) || value == 0xFFFD { return false }
        if own.contains(.whitespace) {
          result.append(32)
          return true
        }
      }
      guard chinese, Self.isChinese(value) else { break }
      result.append(32)
      result.append(scalar: value)
      result.append(32)
      return true
    case .nmt:
      switch value {
      case 1...8, 0xB, 0xE...0x1F, 0x7F, 0x8F, 0x9F: return false
      case 9, 0xA, 0xC, 0xD, 0x1680, 0x200B...0x200F, 0x2028, 0x2029, 0x2581, 0xFEFF, 0xFFFD:
        result.append(32)
        return true
      default: break
      }
    }
    result.append(scalar: value)
    return true
  }

  private static func isChinese(_ value: UInt32) -> Bool {
    switch value {
    case 0x4E00...0x9FFF, 0x3400...0x4DBF, 0x20000...0x2A6DF, 0x2A700...0x2B73F,
      0x2B740...0x2B81F, 0x2B920...0x2CEAF, 0xF900...0xFAFF, 0x2F800...0x2FA1F:
      true
    default: false
    }
  }
}
