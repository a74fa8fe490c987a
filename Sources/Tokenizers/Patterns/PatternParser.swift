// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Reads regular expressions in the syntax of Oniguruma.
struct PatternParser {
  typealias Program = [TextPattern.Instruction]

  private(set) var sets: [ScalarSet] = []
  private let source: String
  let scalars: [Unicode.Scalar]
  var index = 0
  var ignoresCase = false
  var last: Unicode.Scalar?

  init(_ source: String) {
    self.source = source
    scalars = Array(source.unicodeScalars)
  }

  /// The most instructions, because counts copy their group.
  private static let mostInstructions = 5_000
  private static let mostCharacters = 2_048

  /// Reads the whole expression.
  mutating func pattern() throws -> Program {
    guard scalars.count <= Self.mostCharacters else {
      throw TokenizerError(
        "A pattern has \(scalars.count) characters, but at most \(Self.mostCharacters) were "
          + "expected.")
    }
    let program = try alternatives(depth: 0)
    guard next == nil else { throw failure("')' without '('") }
    return program
  }

  var next: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

  func failure(_ what: String) -> TokenizerError {
    TokenizerError(
      "The pattern '\(source)' has \(what), which isn't supported. Supported are texts, '.', '|', "
        + "'^', '$', sets, \\p{…} with general categories, \\d, \\s and \\w, groups, (?i:…), (?=…), "
        + "(?!…), and the counts *, +, ?, {n,m}.")
  }

  mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
    guard next == scalar else { return false }
    index += 1
    return true
  }

  private mutating func skip(text: String) -> Bool {
    let start = index
    for byte in Array(text.utf8) where !skip(Unicode.Scalar(byte)) {
      index = start
      return false
    }
    return true
  }

  private mutating func alternatives(depth: Int) throws -> Program {
    guard depth < 50 else { throw failure("more than 50 nested groups") }
    var branches: [Program] = []
    repeat {
      var branch: Program = []
      while let scalar = next, scalar != "|", scalar != ")" {
        branch += try counted(try atom(depth: depth))
        guard branch.count < Self.mostInstructions else { throw failure("too many parts") }
      }
      last = nil
      branches.append(branch)
    } while skip("|")
    var program = branches.removeLast()
    while let branch = branches.popLast() {
      var longer: Program = [.split(1, branch.count + 2)]
      longer += branch
      longer.append(.jump(program.count + 1))
      program = longer + program
      guard program.count < Self.mostInstructions else { throw failure("too many parts") }
    }
    return program
  }

  /// Reads the count after a part.
  private mutating func counted(_ part: Program) throws -> Program {
    var least = 1
    var most = 1
    var isInterval = false
    if skip("*") {
      (least, most) = (0, .max)
    } else if skip("+") {
      most = .max
    } else if skip("?") {
      least = 0
    } else if next == "{" {
      isInterval = true
      (least, most) = try interval()
    } else {
      return part
    }
    last = nil
    let keeps = !isInterval && skip("+")
    if next == "*" || next == "+" || next == "?" || next == "{" {
      throw failure("two counts in a row, such as '+?',")
    }
    if part.count == 1, case .one(let set) = part[0] {
      return [.run(set, least: least, most: most, keeps: keeps)]
    }
    guard !keeps else { throw failure("'+' after the count of a group") }
    guard !isInterval else { throw failure("'{' after a group") }
    guard Self.advances(part) else { throw failure("a count of a part that can be empty") }
    let isLoop = most == .max
    var program = least > 0 ? part : []
    program.append(.split(1, part.count + (isLoop ? 2 : 1)))
    program += part
    if isLoop { program.append(.jump(-part.count - 1)) }
    return program
  }

  /// Whether each way through instructions takes at least one scalar.
  private static func advances(_ program: Program) -> Bool {
    var pending = [0]
    var isSeen = Array(repeating: false, count: program.count)
    while let index = pending.popLast() {
      guard index < program.count else { return false }
      guard !isSeen[index] else { continue }
      isSeen[index] = true
      switch program[index] {
      case .one: break
      case .run(_, let least, _, _): if least == 0 { pending.append(index + 1) }
      case .split(let first, let second):
        pending.append(index + first)
        pending.append(index + second)
      case .jump(let distance), .look(_, let distance): pending.append(index + distance)
      case .lineStart, .lineEnd: pending.append(index + 1)
      case .accept: return false
      }
    }
    return true
  }

  private mutating func interval() throws -> (Int, Int) {
    index += 1
    let least = number()
    let hasComma = skip(",")
    let most = hasComma ? number() ?? .max : least
    guard skip("}"), let most, least != nil || hasComma, least ?? 0 <= most else {
      throw failure("an unusual '{'")
    }
    return (least ?? 0, most)
  }

  private mutating func number() -> Int? {
    var value: Int?
    while let digit = next, "0"..."9" ~= digit {
      value = min((value ?? 0) * 10 + Int(digit.value - 48), 100_000)
      index += 1
    }
    return value
  }

  mutating func add(_ set: ScalarSet) -> Program {
    sets.append(set)
    last = nil
    return [.one(sets.count - 1)]
  }

  private mutating func addSet(_ set: ScalarSet) throws -> Program {
    guard !ignoresCase else { throw failure("a set without case") }
    return add(set)
  }

  private mutating func atom(depth: Int) throws -> Program {
    guard let scalar = next else { return [] }
    index += 1
    switch scalar {
    case "(": return try group(depth: depth)
    case "[": return try addSet(try brackets(depth: 0))
    case ".":
      var set = ScalarSet(isNegated: true)
      set.insert(10...10)
      return try addSet(set)
    case "^": return [.lineStart]
    case "$": return [.lineEnd]
    case "\\":
      switch try escape(isInSet: false) {
      case .set(let set): return try addSet(set)
      case .scalar(let scalar): return try literal(scalar)
      }
    case "*", "+", "?": throw failure("a count of nothing")
    default: return try literal(scalar)
    }
  }

  private mutating func group(depth: Int) throws -> Program {
    let outer = ignoresCase
    var look: Bool?
    if skip(text: "?i)") {
      // Oniguruma ends the effect of others in an unusual way.
      guard index == 4 else { throw failure("(?i) that isn't at its start") }
      ignoresCase = true
      return []
    }
    if skip(text: "?i:") {
      ignoresCase = true
    } else if skip(text: "?=") {
      look = false
    } else if skip(text: "?!") {
      look = true
    } else if !skip(text: "?:"), next == "?" {
      throw failure("a special group")
    }
    let program = try alternatives(depth: depth + 1)
    guard skip(")") else { throw failure("'(' without ')'") }
    ignoresCase = outer
    guard let look else { return program }
    var result: Program = [.look(isNegated: look, program.count + 2)]
    result += program
    result.append(.accept)
    return result
  }
}
