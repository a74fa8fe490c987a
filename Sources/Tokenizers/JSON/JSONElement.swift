// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// A value of a JSON document, with its path for messages.
struct JSONElement {
  let tree: JSONTree
  let index: Int
  let path: String

  private var node: JSONTree.Node { tree.nodes[index] }

  /// An error that says what was expected instead of this value.
  @inline(never)
  func failure(_ expected: String) -> TokenizerError {
    let start = Int(node.start)
    var found = node.kind.name
    if node.kind == .number || node.kind == .string {
      found += " '" + tree.bytes.part(start..<min(Int(node.end), start + 80)).text + "'"
    }
    return TokenizerError(name + " is " + found + ", but " + expected + " was expected.")
  }

  /// The file and the path.
  private var name: String { path.isEmpty ? tree.file : tree.file + ": '" + path + "'" }

  // MARK: - Members and elements

  /// The values that are directly inside this one.
  private var children: [Int] {
    var result: [Int] = []
    guard node.kind == .array || node.kind == .object else { return result }
    var child = index + 1
    while child < Int(node.end) {
      result.append(child)
      let isContainer = tree.nodes[child].kind == .array || tree.nodes[child].kind == .object
      child = isContainer ? Int(tree.nodes[child].end) : child + 1
    }
    return result
  }

  /// The member of an object; nil if it's missing or null.
  @inline(never)
  subscript(_ name: String) -> JSONElement? {
    guard node.kind == .object else { return nil }
    let children = children
    let wanted = Array(name.utf8)
    // If a name occurs twice, the last one counts, as in Python.
    var key = children.count - 2
    while key >= 0, tree.string(children[key]) != wanted { key -= 2 }
    guard key >= 0, tree.nodes[children[key + 1]].kind != .null else { return nil }
    return JSONElement(
      tree: tree, index: children[key + 1], path: path.isEmpty ? name : path + "." + name)
  }

  /// The member of an object.
  @inline(never)
  func required(_ name: String) throws -> JSONElement {
    guard node.kind == .object else { throw failure("an object") }
    guard let element = self[name] else {
      throw TokenizerError(self.name + " has no '" + name + "', which was expected.")
    }
    return element
  }

  /// Calls a closure with the name and value of each member of an object.
  func forEachMember(_ body: (_ name: [UInt8], _ value: JSONElement) throws -> Void) throws {
    guard node.kind == .object else { throw failure("an object") }
    let children = children
    for key in stride(from: 0, to: children.count, by: 2) {
      // The path of each of many members would take long.
      let value = JSONElement(tree: tree, index: children[key + 1], path: path)
      try body(tree.string(children[key]), value)
    }
  }

  /// The elements of an array.
  @inline(never)
  func elements(most: Int = .max) throws -> [JSONElement] {
    guard node.kind == .array else { throw failure("an array") }
    let children = children
    guard children.count <= most else { throw failure("an array of at most \(most) elements") }
    var elements: [JSONElement] = []
    for (place, child) in children.enumerated() {
      let path = children.count > 1_000 ? path : "\(path)[\(place)]"
      elements.append(JSONElement(tree: tree, index: child, path: path))
    }
    return elements
  }

  /// The elements of an array that changes a whole text once for each of them.
  func steps() throws -> [JSONElement] {
    // This also counts the values inside elements, which can be sequences themselves.
    guard node.kind != .array || Int(node.end) - index <= 1_000 else {
      throw failure("an array of at most 1000 values")
    }
    return try elements()
  }

  var isArray: Bool { node.kind == .array }

  /// The two elements of an array.
  @inline(never)
  func pair(_ expected: String) throws -> (JSONElement, JSONElement) {
    let children = children
    guard isArray, children.count == 2 else { throw failure(expected) }
    return (
      JSONElement(tree: tree, index: children[0], path: path),
      JSONElement(tree: tree, index: children[1], path: path)
    )
  }

  // MARK: - Values

  /// A string as UTF-8.
  @inline(never)
  func bytes() throws -> [UInt8] {
    guard node.kind == .string else { throw failure("a string") }
    return tree.string(index)
  }

  /// A string that texts are extended with, as UTF-8.
  func shortBytes() throws -> [UInt8] {
    let bytes = try bytes()
    guard bytes.count <= TokenList.longest else {
      throw failure("a string of at most \(TokenList.longest) bytes")
    }
    return bytes
  }

  /// A string.
  func text() throws -> String { try bytes().text }

  /// A string of one scalar.
  func scalar() throws -> UInt32 {
    let bytes = try bytes()
    guard !bytes.isEmpty, case let first = bytes.scalar(at: 0), first.length == bytes.count else {
      throw failure("one character")
    }
    return first.value
  }

  /// A boolean.
  func bool() throws -> Bool {
    guard node.kind == .bool else { throw failure("a boolean") }
    return tree.bytes[Int(node.start)] == UInt8(ascii: "t")
  }

  /// A member that is a boolean; a default is used if it's missing or null.
  @inline(never)
  func bool(_ name: String, default missing: Bool? = nil) throws -> Bool {
    if let missing, self[name] == nil { return missing }
    return try required(name).bool()
  }

  /// An integer from 0 to the largest token index.
  @inline(never)
  func integer(most: Int = Vocabulary.mostIndex) throws -> Int {
    guard node.kind == .number, let value = tree.integer(Int(node.start)..<Int(node.end)),
      value <= most
    else { throw failure("an integer from 0 to \(most)") }
    return value
  }

  /// A number.
  @inline(never)
  func number() throws -> Double {
    guard node.kind == .number else { throw failure("a number") }
    let value = tree.number(Int(node.start)..<Int(node.end))
    guard value.isFinite else { throw failure("a number that 64 bits can hold") }
    return value
  }

  /// The position of a string among several words.
  @inline(never)
  func position(in words: [String]) throws -> Int {
    for position in 0..<words.count where node.kind == .string {
      if try text() == words[position] { return position }
    }
    throw failure("one of " + words.joined(separator: ", "))
  }
}

extension JSONElement {
  /// The whole document.
  init(_ tree: JSONTree) { self.init(tree: tree, index: 0, path: "") }
}
