// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Writes Swift source in the layout of `swift format`.
struct SourceWriter {
  private(set) var text = ""
  private var depth = 0

  /// The most columns of a line.
  static let columns = 100

  private var margin: String { String(repeating: " ", count: depth * 2) }

  /// Writes a line of a declaration, a statement or a comment.
  ///
  /// A longer one can only be a name that can't be divided, so `swift format` must leave it.
  mutating func line(_ line: String) {
    if depth * 2 + line.count > Self.columns { text += margin + "// swift-format-ignore\n" }
    text += line.isEmpty ? "\n" : margin + line + "\n"
  }

  /// Writes an empty line between declarations.
  mutating func blank() { text += "\n" }

  /// Writes lines that are indented between a head and a closing brace.
  mutating func block(_ head: String, end: String = "}", _ body: (inout SourceWriter) -> Void) {
    line(head)
    nested(body)
    line(end)
  }

  private mutating func nested(_ body: (inout SourceWriter) -> Void) {
    depth += 1
    body(&self)
    depth -= 1
  }

  /// Writes a function with its parameters on one line, or each on its own.
  mutating func function(
    _ head: String, _ parameters: [String], _ tail: String, _ body: (inout SourceWriter) -> Void
  ) {
    let single = "\(head)(\(parameters.joined(separator: ", ")))\(tail) {"
    if depth * 2 + single.count <= Self.columns { return block(single, body) }
    line(head + "(")
    nested { writer in
      for (index, parameter) in parameters.enumerated() {
        writer.line(parameter + (index < parameters.count - 1 ? "," : ""))
      }
    }
    block(")\(tail) {", body)
  }

  /// Writes a call with its arguments on one line, or each on its own.
  ///
  /// - Parameters:
  ///   - outer: What calls the function with the result of another one; nil for a plain call.
  ///   - head: The function.
  ///   - arguments: The arguments with their labels.
  mutating func call(_ outer: String? = nil, _ head: String, _ arguments: [String]) {
    let end = outer == nil ? ")" : "))"
    let start = outer.map { $0 + "(" } ?? ""
    let single = "\(start)\(head)(\(arguments.joined(separator: ", "))\(end)"
    if depth * 2 + single.count <= Self.columns { return line(single) }
    if outer != nil {
      line(start)
      depth += 1
    }
    line(head + "(")
    nested { writer in
      for (index, argument) in arguments.enumerated() {
        writer.line(argument + (index < arguments.count - 1 ? "," : end))
      }
    }
    if outer != nil { depth -= 1 }
  }

  /// Writes a string of several lines as the value of a constant.
  mutating func lines(_ head: String, _ lines: [String]) {
    let escaped = lines.map { SwiftText.escaped($0, isMultiline: true) }
    if escaped.contains(where: { depth * 2 + $0.count + 2 > Self.columns }) {
      line("// swift-format-ignore")
    }
    text += margin + head + " \"\"\"\n"
    nested { writer in
      for line in escaped { writer.text += writer.margin + line + "\n" }
      writer.text += writer.margin + "\"\"\"\n"
    }
  }

  // MARK: - Comments

  /// Writes a comment for programmers who read the source.
  mutating func comment(_ text: String) { wrap(text, "// ", "// ") }

  /// Writes a documentation comment.
  ///
  /// - Parameters:
  ///   - summary: One sentence that ends with a period.
  ///   - paragraphs: More paragraphs.
  ///   - fields: Items of a list, such as parameters, which may begin with spaces.
  mutating func documentation(
    _ summary: String, _ paragraphs: [String] = [], fields: [String] = []
  ) {
    wrap(summary, "/// ", "/// ")
    for paragraph in paragraphs {
      line("///")
      wrap(paragraph, "/// ", "/// ")
    }
    if !fields.isEmpty { line("///") }
    for field in fields {
      let indentation = field.prefix { $0 == " " }
      wrap(
        String(field.dropFirst(indentation.count)), "/// \(indentation)- ", "/// \(indentation)  ")
    }
  }

  /// Divides text into lines of at most 100 columns.
  private mutating func wrap(_ text: String, _ first: String, _ next: String) {
    let room = Self.columns - depth * 2
    var line = first
    var isEmpty = true
    for word in SwiftText.words(of: text, longest: room - next.count) {
      if !isEmpty, line.count + 1 + word.count > room {
        self.text += margin + line + "\n"
        (line, isEmpty) = (next, true)
      }
      line += isEmpty ? SwiftText.escapedStart(word) : " " + word
      isEmpty = false
    }
    self.text += margin + line + "\n"
  }
}

/// Text of a bundle as a part of Swift source.
enum SwiftText {
  /// Returns a literal.
  static func literal(_ text: String) -> String { "\"\(escaped(text))\"" }

  /// Returns the content of a literal, in which characters without a shape are escaped.
  static func escaped(_ text: String, isMultiline: Bool = false) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": escaped += "\\\\"
      case "\"": escaped += isMultiline && !text.contains("\"\"") ? "\"" : "\\\""
      case _ where isVisible(scalar): escaped.unicodeScalars.append(scalar)
      default: escaped += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      }
    }
    return escaped
  }

  /// Whether a reader of the source sees a code point where it is.
  ///
  /// Marks are excluded, because they would merge with the quotation mark before them, and so are
  /// characters that change the direction of the text after them.
  private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return scalar.value >= 0x20 && scalar.value != 0x7F }
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
      .paragraphSeparator, .spaceSeparator, .nonspacingMark, .spacingMark, .enclosingMark:
      return false
    default: return true
    }
  }

  /// Returns the words of text for a comment.
  static func words(of text: String, longest: Int) -> [String] {
    var words: [String] = []
    var word = ""
    func end() {
      if !word.isEmpty { words.append(word) }
      word = ""
    }
    for scalar in text.unicodeScalars {
      guard isVisible(scalar), scalar != " " else {
        // A mark belongs to the letter before it.
        if !scalar.properties.isWhitespace,
          scalar.properties.canonicalCombiningClass != .notReordered
        {
          word.unicodeScalars.append(scalar)
        } else {
          end()
        }
        continue
      }
      if word.unicodeScalars.count >= longest { end() }
      word.unicodeScalars.append(scalar)
    }
    end()
    return words
  }

  /// Returns the first word of a line, so that it doesn't begin a list or a heading.
  static func escapedStart(_ word: String) -> String {
    let isNumbered =
      word.first?.isASCII == true && word.first?.isNumber == true
      && (word.hasSuffix(".") || word.hasSuffix(")"))
    if isNumbered { return word.dropLast() + "\\" + word.suffix(1) }
    return word.first.map { "-+*#>=|~".contains($0) } == true ? "\\" + word : word
  }

  /// Returns text as code within a comment.
  static func code(_ text: String) -> String {
    let words = words(of: text, longest: 80).joined(separator: " ").filter { $0 != "`" }
    return words.isEmpty ? "an empty name" : "`\(words)`"
  }
}
