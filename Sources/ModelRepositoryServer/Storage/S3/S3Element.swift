// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
/// An element of an XML response.
///
/// Foundation's parser isn't used. On Linux, it would require a specific version of libxml2 on
/// every machine that runs the program. S3's responses consist of elements, text and attributes
/// that nothing here needs. A document type is rejected, because attacks on XML parsers use it.
struct S3Element: Sendable {
  let name: String
  private(set) var text = ""
  private(set) var children: [S3Element] = []

  private static let maximumDepth = 16

  private init(_ name: String) { self.name = name }

  /// Parses a document; nil if it isn't valid.
  init?(_ bytes: some Collection<UInt8>) {
    var reader = Reader(bytes: Array(bytes))
    var open: [S3Element] = []
    var root: S3Element?
    func close() {
      let element = open.removeLast()
      if open.isEmpty { root = element } else { open[open.count - 1].children.append(element) }
    }
    while let token = reader.next() {
      switch token {
      case .text(let text):
        if !open.isEmpty {
          open[open.count - 1].text += text
        } else if text.contains(where: { !$0.isWhitespace }) {
          return nil
        }
      case .start(let name, let isWhole):
        guard root == nil, open.count < Self.maximumDepth else { return nil }
        open.append(S3Element(name))
        if isWhole { close() }
      case .end(let name):
        guard open.last?.name == name else { return nil }
        close()
      }
    }
    guard reader.isAtEnd, open.isEmpty, let root else { return nil }
    self = root
  }

  subscript(name: String) -> S3Element? { children.first { $0.name == name } }

  func all(_ name: String) -> [S3Element] { children.filter { $0.name == name } }

  /// Escapes a text for use in a document.
  static func escaped(_ text: String) -> String {
    text.reduce(into: "") { result, letter in
      switch letter {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      default: result.append(letter)
      }
    }
  }
}

/// Splits a document into tokens.
private struct Reader {
  enum Token {
    case text(String)
    case start(String, isWhole: Bool)
    case end(String)
  }

  private let bytes: [UInt8]
  private var position = 0
  private var isBroken = false

  init(bytes: [UInt8]) {
    self.bytes = bytes
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
  }

  /// Whether everything was read without an error.
  var isAtEnd: Bool { !isBroken && position >= bytes.count }

  /// Returns the next token; nil at the end and after an error.
  mutating func next() -> Token? {
    while position < bytes.count, !isBroken {
      guard has("<") else {
        let end = bytes[position...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
        defer { position = end }
        return Self.resolved(bytes[position..<end]).map { .text($0) } ?? broken()
      }
      if has("<![CDATA[") { return content("<![CDATA[", "]]>").map { .text(Self.string($0)) } }
      if has("<?") {
        _ = content("<?", "?>")
      } else if has("<!--") {
        _ = content("<!--", "-->")
      } else {
        return tag()
      }
    }
    return nil
  }

  private mutating func tag() -> Token? {
    guard let tag = content("<", ">"), let first = tag.first else { return broken() }
    if first == UInt8(ascii: "/") {
      guard let name = Self.name(tag.dropFirst()) else { return broken() }
      return .end(name)
    }
    // An attribute's value may contain `>`, which ends the tag too early. No store sends one.
    guard tag.count(where: { $0 == UInt8(ascii: "\"") }) % 2 == 0 else { return broken() }
    let isWhole = tag.last == UInt8(ascii: "/")
    guard let name = Self.name(isWhole ? tag.dropLast() : tag) else { return broken() }
    return .start(name, isWhole: isWhole)
  }

  /// Returns the bytes between two marks.
  private mutating func content(_ first: String, _ last: String) -> ArraySlice<UInt8>? {
    let (start, end) = (position + first.utf8.count, Array(last.utf8))
    var index = start
    while index + end.count <= bytes.count {
      if bytes[index..<index + end.count].elementsEqual(end) {
        position = index + end.count
        return bytes[start..<index]
      }
      index += 1
    }
    return broken()
  }

  private mutating func broken<Value>() -> Value? {
    isBroken = true
    return nil
  }

  private func has(_ mark: String) -> Bool { bytes[position...].starts(with: mark.utf8) }

  private static func string(_ bytes: ArraySlice<UInt8>) -> String {
    String(decoding: bytes, as: UTF8.self)
  }

  /// Returns a tag's name without its namespace; nil if it isn't valid, for example `!DOCTYPE`.
  private static func name(_ tag: ArraySlice<UInt8>) -> String? {
    let spaces: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]
    let name = string(tag.prefix { !spaces.contains($0) })
    let local = name.split(separator: ":", omittingEmptySubsequences: false).last ?? ""
    guard let first = local.first, first.isLetter || first == "_" else { return nil }
    return String(local)
  }

  /// Returns a text with its entities resolved; nil if an entity is unknown.
  private static func resolved(_ bytes: ArraySlice<UInt8>) -> String? {
    var parts = string(bytes).split(separator: "&", omittingEmptySubsequences: false)
    var result = String(parts.removeFirst())
    for part in parts {
      guard let end = part.firstIndex(of: ";"), let letter = letter(part[..<end]) else {
        return nil
      }
      result.unicodeScalars.append(letter)
      result += part[part.index(after: end)...]
    }
    return result
  }

  private static func letter(_ entity: Substring) -> Unicode.Scalar? {
    switch entity {
    case "lt": "<"
    case "gt": ">"
    case "amp": "&"
    case "quot": "\""
    case "apos": "'"
    case _ where entity.hasPrefix("#x"):
      UInt32(entity.dropFirst(2), radix: 16).flatMap { Unicode.Scalar($0) }
    case _ where entity.hasPrefix("#"):
      UInt32(entity.dropFirst()).flatMap { Unicode.Scalar($0) }
    default: nil
    }
  }
}
#endif
