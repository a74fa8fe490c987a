// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TestSupport
import Testing

@testable import NetRunner

@Suite struct ReportTableTests {
  /// Names that careless writers get wrong: quotes, accents, formulas, control characters, markup.
  static let names = [
    "a,b.jpg", "say \"cheese\".jpg", "\"\u{301}.jpg", "two\nlines", "two\r\nlines", "=1+1", "+x",
    "-rm", "@sum", "\t=1", "'quoted", "-1", "+2.5", "-1.", "=HYPERLINK(\"http://x\",\"y\")",
    "<script>alert(1)</script>", "a&b]]>c", "\u{0}\u{1}\u{8}\u{B}\u{1F}\u{7F}\u{85}",
    "\u{FFFE}\u{FFFF}",
    "\u{202E}gpj.exe", "日本 🦊", "",
  ]

  static func report() -> EvaluationReport {
    var report = ReportFixture(images: names.count, failures: [2, 3, 17]).make()
    for index in names.indices {
      report.results[index].image = names[index]
      report.results[index].errorDescription =
        report.results[index].error ? "'\(names[index])' is broken." : nil
    }
    report.results[0].score = .nan
    report.results[1].score = -0.25
    report.results[4].isCorrect = nil
    return report
  }

  // MARK: - CSV

  @Test func `columns and rows are stable`() {
    let lines = ReportFixture(images: 2, failures: [1]).make().csv().split(separator: "\r\n")
    #expect(lines.count == 3)
    #expect(
      lines[0] == "model,index,image,type,test_bundle,truth,predicted,score,correct,error,"
        + "error_description,decode_ms,preprocess_ms,inference_ms,postprocess_ms,total_ms")
    #expect(lines[1].hasPrefix("mobile,0,images/cat-0.jpg,file,animals,cat,cat,0."))
    #expect(
      lines[2] == "mobile,1,images/dog-1.jpg,file,animals,dog,,,false,true,"
        + "\"''images/dog-1.jpg' is not a JPEG, PNG, BMP or WebP image: its first bytes are "
        + "00 00 00 00.\",,,,,")
  }

  @Test(arguments: [
    (JSONValue.integer(9_007_199_254_740_993), "9007199254740993"), (.number(0.1), "0.1"),
    (.string("NaN"), "nan"), (.string("-Infinity"), "-inf"),
    (.object(["price": .object(["value": .number(2.5), "unit": .string("EUR")])]), "2.5"),
    (.array([.number(1), .number(2)]), ""), (.object(["a": .number(1), "b": .number(2)]), ""),
  ])
  func `the only number of a model is its prediction`(value: JSONValue, text: String) {
    var report = ReportFixture(images: 1, failures: []).make()
    report.results[0].predicted = nil
    report.results[0].score = nil
    report.results[0].evaluation?.inferenceResults = ["price": value]
    let line = report.csv().split(separator: "\r\n")[1]
    #expect(line.hasPrefix("mobile,0,images/cat-0.jpg,file,animals,cat,\(text),,"), "\(line)")
  }

  @Test func `formulas are written as text, and numbers stay numbers`() {
    let csv = Self.report().csv()
    for formula in ["=1+1", "+x", "-rm", "@sum", "'quoted", "-1."] {
      #expect(csv.contains(",'\(formula),file"), "\(formula)")
    }
    #expect(csv.contains(",-1,file") && csv.contains(",+2.5,file") && csv.contains(",-0.25,"))
    #expect(csv.contains("\"'=HYPERLINK(\"\"http://x\"\",\"\"y\"\")\""))
  }

  @Test(.enabled(if: Python.path != nil, "TENSORIO_PYTHON isn't set."))
  func `Python reads every name unchanged`() async throws {
    let script = """
      import csv, json, sys
      with open(sys.argv[1], newline="", encoding="utf-8") as file:
          rows = list(csv.DictReader(file, strict=True))
      def text(value):
          return value[1:] if value.startswith("'") else value
      print(json.dumps([[text(row["image"]), row["score"], text(row["error_description"])] for row in rows]))
      """
    let output = try await ReportPeer.run(["-c", script], on: [Self.report().csv()])
    let rows = try JSONDecoder().decode([[String]].self, from: Data(output.utf8))
    #expect(rows.map { Array($0[0].unicodeScalars) } == Self.names.map { Array($0.unicodeScalars) })
    #expect(rows[0][1] == "nan")
    #expect(rows[2][2] == "'\(Self.names[2])' is broken.")
  }

  // MARK: - JUnit

  @Test func `gates are test cases`() throws {
    let report = ReportFixture(models: ["mobile", "large"]).make()
    let gates = try ["top1>=0.84", "failed<=3", "kappa=0.5"].map { try Gate(parsing: $0) }
    let xml = report.junit(gates: try gates.flatMap { try $0.check(report) })
    #expect(
      xml.contains(
        "<testsuites name=\"tensorio\" tests=\"8\" failures=\"3\" errors=\"0\" skipped=\"2\">"))
    #expect(
      xml.contains(
        "<testcase name=\"top1&gt;=0.84\" classname=\"mobile\" time=\"0\">\n<failure message=\"top1 of 'mobile' is "
      ))
    #expect(xml.contains("kappa of 'large' is not defined: kappa is not defined: the fixture"))
    #expect(xml.contains("<skipped message=\"3 of 500 images failed.\"/>"))
    #expect(xml.contains("images/elk-17.jpg: 'images/elk-17.jpg' is not a JPEG"))
  }

  @Test func `a model for which all images failed is an error`() {
    let xml = ReportFixture(images: 2, failures: [0, 1]).make().junit()
    #expect(
      xml.contains("errors=\"1\"") && xml.contains("<error message=\"2 of 2 images failed.\"/>"))
  }

  @Test(.enabled(if: Python.path != nil, "TENSORIO_PYTHON isn't set."))
  func `Python can parse the XML for any name`() async throws {
    var report = Self.report()
    for (index, name) in Self.names.enumerated() {
      report.results[index].error = true
      report.results[index].errorDescription = name
    }
    report.models[0].model.id = Self.names.joined()
    for index in report.results.indices { report.results[index].model = Self.names.joined() }
    report.models[0].failed = 3
    let gates = try Gate(name: "failed", relation: .atMost, bound: 0).check(report)
    let script = """
      import sys, json
      import xml.etree.ElementTree as tree
      root = tree.parse(sys.argv[1]).getroot()
      case = root.find(".//testcase[@name='pictures']")
      print(json.dumps([root.tag, root.get("tests"), case.get("classname"), case.find("system-out").text]))
      """
    let output = try await ReportPeer.run(["-c", script], on: [report.junit(gates: gates)])
    let found = try JSONDecoder().decode([String].self, from: Data(output.utf8))
    #expect(found[0] == "testsuites" && found[1] == "2")
    #expect(found[2].contains("<script>alert(1)</script>a&b]]>c"))
    #expect(found[2].contains("two\nlinestwo\r\nlines"))
    #expect(found[3].contains("<script>alert(1)</script>: <script>alert(1)</script>"))
    #expect(found[3].contains("日本 🦊: 日本 🦊"))
  }
}
