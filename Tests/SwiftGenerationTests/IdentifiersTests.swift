// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TestSupport
import Testing

@testable import SwiftGeneration

@Suite struct IdentifiersTests {
  private static func make(_ names: [String], reserved: Set<String> = []) -> [String] {
    var identifiers = Identifiers(prefix: "label", reserved: reserved)
    return names.map { identifiers.make($0) }
  }

  @Test(arguments: [
    ("classification", "classification"), ("learning_rate", "learningRate"),
    ("Egyptian cat", "egyptianCat"), ("RGBImage", "rgbImage"), ("learningRate", "learningRate"),
    ("serving_default_x:0", "servingDefaultX0"),
    ("StatefulPartitionedCall:1", "statefulPartitionedCall1"),
    ("7", "label7"), ("", "label"), ("---", "label"), ("class", "`class`"), ("self", "labelSelf"),
    ("init", "labelInit"), ("Größe", "groesse"), ("Gro\u{308}\u{DF}e", "grosse"),
    ("naïve café", "naiveCafe"),
    ("七", "u4e03"), ("🐈 cat", "u1f408Cat"), ("C++", "c"), ("a\u{202E}b", "ab"), ("x\u{0}y", "xY"),
  ])
  func `a name becomes an identifier`(name: String, identifier: String) {
    #expect(Self.make([name]) == [identifier])
  }

  @Test func `names that become the same identifier are numbered in their order`() {
    #expect(
      Self.make(["a-b", "a_b", "aB", "a b 2", "aB2"]) == ["aB", "aB2", "aB3", "aB2No2", "aB2No3"])
    #expect(
      Self.make(["-1", "0", "1", "12", "+1", "-1.5"])
        == ["minus1", "label0", "label1", "label12", "label1No2", "minus15"])
  }

  @Test func `no bundle's type hides one of the library`() throws {
    let declaration = #/^public (?:final class|struct|enum|protocol|actor) (\w+)/#
      .anchorsMatchLineEndings()
    let sources = Python.root.appending(path: "Sources").path
    var count = 0
    for module in ["TensorIO", "TensorIOImageCodecs", "TensorIOLiteRT", "TensorIOTensorFlow"] {
      let folder = sources + "/" + module
      for file in try FileManager.default.subpathsOfDirectory(atPath: folder)
      where file.hasSuffix(".swift") {
        let text = try String(contentsOfFile: folder + "/" + file, encoding: .utf8)
        for match in text.matches(of: declaration) {
          #expect(Identifiers.hidesKnownType(String(match.output.1)), "\(match.output.1)")
          count += 1
        }
      }
    }
    #expect(count > 80)
    #expect(Identifiers.typeName(of: "image-file") == "ImageFileModel")
  }

  @Test func `a reserved identifier gets the prefix`() {
    #expect(Self.make(["none", "label none"], reserved: ["none"]) == ["labelNone", "labelNone2"])
  }

  @Test func `a long name is cut, and stays different from others`() {
    let long = String(repeating: "long name ", count: 100)
    let made = Self.make([long, long])
    #expect(made.allSatisfy { $0.count <= 41 })
    #expect(Set(made).count == 2)
  }

  @Test(arguments: [
    ("digits", "Digits"), ("digits-int8", "DigitsInt8"),
    ("mobilenet_v2_1.0_224", "MobilenetV210224"),
    ("string", "StringModel"), ("model", "ModelModel"), ("7", "Model7"), ("日本", "U65e5u672c"),
    ("Straße", "Strasse"), ("class", "Class"), ("tensorio", "Tensorio"), ("self", "SelfModel"),
    ("type", "TypeModel"), ("any", "AnyModel"),
  ])
  func `a bundle's name becomes a type's`(name: String, type: String) {
    #expect(Identifiers.typeName(of: name) == type)
  }

  @Test(arguments: ["", "-", "…", "\u{301}"])
  func `a name without letters and digits can't name a type`(name: String) {
    #expect(Identifiers.typeName(of: name) == nil)
  }

  @Test func `any names give different identifiers of ASCII letters and digits`() {
    var random = SplitMix64(seed: 7)
    for _ in 0..<200 {
      let names = (0..<40).map { _ in RandomNames.name(&random) }
      let made = Self.make(names).map { $0.filter { $0 != "`" } }
      #expect(Set(made).count == made.count, "\(names)")
      for (name, identifier) in zip(names, made) {
        let isValid =
          identifier.utf8.allSatisfy { byte in
            (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
          } && identifier.utf8.first.map { $0 >= 97 } == true
        #expect(isValid, "\(name.debugDescription) became \(identifier)")
      }
    }
  }
}

/// Names of any characters, some of which differ little.
enum RandomNames {
  private static let pieces = [
    "a", "A", "b", "_", "-", " ", "1", "7", "class", "Self", "none", "init", "\"", "\\", "\\(x)",
    "'", "`", "*/", "//", "#", "$", "é", "e\u{301}", "ß", "İ", "ı", "ǆ", "日", "한", "ع", "\u{202E}",
    "\u{200D}", "👩‍👩‍👧", "\u{0}", "\t", "\u{7F}", "\u{85}", "\u{2028}", "\u{FEFF}", "\u{E000}", "½",
    "٣",
    "\"\"\"", "\u{FFFD}", "&", "<", ".", ":", "/",
  ]

  static func name(_ random: inout SplitMix64) -> String {
    (0..<Int.random(in: 0...5, using: &random)).map { _ -> String in
      if Int.random(in: 0..<4, using: &random) == 0 {
        let value = UInt32.random(in: 0..<0x11_0000, using: &random)
        return Unicode.Scalar(value).map { String(Character($0)) } ?? "?"
      }
      return pieces.randomElement(using: &random) ?? ""
    }.joined()
  }
}
