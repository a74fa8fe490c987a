// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

extension PatternParser {
  /// A literal scalar; in groups that ignore case, all that are equal to it.
  mutating func literal(_ scalar: Unicode.Scalar) throws -> Program {
    var set = ScalarSet()
    let value = scalar.value
    set.insert(value...value)
    let before = last
    if ignoresCase {
      guard scalar.isASCII else { throw failure("letters beyond ASCII without case") }
      if scalar.properties.isAlphabetic { set.insert((value ^ 32)...(value ^ 32)) }
      // Two letters beyond ASCII have lowercase letters of it.
      if value | 32 == 0x73 { set.insert(0x17F...0x17F) }
      if value | 32 == 0x6B { set.insert(0x212A...0x212A) }
      // Ligatures are equal to two letters.
      switch ((before?.value ?? 0) | 32, value | 32) {
      case (0x66, 0x66), (0x66, 0x69), (0x66, 0x6C), (0x73, 0x73), (0x73, 0x74):
        throw failure("'ff', 'fi', 'fl', 'ss' or 'st' without case")
      default: break
      }
    }
    let program = add(set)
    last = scalar
    return program
  }

  enum Escape {
    case set(ScalarSet)
    case scalar(Unicode.Scalar)
  }

  /// Reads what follows a backslash.
  mutating func escape(isInSet: Bool) throws -> Escape {
    guard let scalar = next else { throw failure("'\\' at its end") }
    index += 1
    switch scalar {
    case "n": return .scalar("\n")
    case "r": return .scalar("\r")
    case "t": return .scalar("\t")
    case "s", "S": return .set(ScalarSet(.whitespace, isNegated: scalar == "S"))
    case "d", "D":
      guard let set = ScalarSet(category: "Nd", isNegated: scalar == "D") else { break }
      return .set(set)
    case "w", "W":
      return .set(Self.word(isNegated: scalar == "W", isInSet: isInSet))
    case "p", "P": return .set(try category(isNegated: scalar == "P"))
    default:
      guard scalar.isASCII, !scalar.properties.isAlphabetic, scalar.properties.numericType == nil
      else { break }
      return .scalar(scalar)
    }
    throw failure("'\\\(scalar)'")
  }

  /// The set of `\w`.
  private static func word(isNegated: Bool, isInSet: Bool) -> ScalarSet {
    // Oniguruma has no joiners, but outside of sets it has some digits and fractions.
    var others = ScalarSet(.word)
    for value: UInt32 in isInSet ? [] : [0xB2, 0xB3, 0xB9, 0xBC, 0xBD, 0xBE] {
      others.insert(value...value)
    }
    others.isNegated = true
    var set = ScalarSet()
    set.insert(others)
    set.insert(0x200C...0x200D)
    set.isNegated = !isNegated
    return set
  }

  private mutating func category(isNegated: Bool) throws -> ScalarSet {
    var name = ""
    var isNegated = isNegated
    if skip("{") {
      if skip("^") { isNegated.toggle() }
      while let scalar = next, scalar != "}" {
        name.unicodeScalars.append(scalar)
        index += 1
      }
      index += 1
    }
    guard let set = ScalarSet(category: name, isNegated: isNegated) else {
      throw failure("'\\p{\(name)}'")
    }
    return set
  }

  /// Reads a set after its opening bracket.
  mutating func brackets(depth: Int) throws -> ScalarSet {
    guard depth < 50 else { throw failure("more than 50 nested sets") }
    var set = ScalarSet(isNegated: skip("^"))
    var isFirst = true
    while let scalar = next {
      index += 1
      var low = scalar
      switch scalar {
      case "]":
        guard !isFirst else { throw failure("an empty set") }
        return set
      case "[":
        guard next != ":" else { throw failure("'[:'") }
        set.insert(try brackets(depth: depth + 1))
        isFirst = false
        continue
      case "&":
        if next == "&" { throw failure("'&&'") }
      case "\\":
        switch try escape(isInSet: true) {
        case .set(let other):
          set.insert(other)
          isFirst = false
          continue
        case .scalar(let escaped): low = escaped
        }
      default: break
      }
      isFirst = false
      var high = low
      if next == "-", index + 1 < scalars.count, scalars[index + 1] != "]" {
        index += 1
        high = scalars[index]
        index += 1
        if high == "\\" {
          guard case .scalar(let escaped) = try escape(isInSet: true) else {
            throw failure("an unusual range")
          }
          high = escaped
        }
        guard high != "[", low <= high else { throw failure("an unusual range") }
      }
      set.insert(low.value...high.value)
    }
    throw failure("'[' without ']'")
  }
}
