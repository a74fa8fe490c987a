// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import Testing

@testable import NetRunner

/// Tests the files of `--label-map`, and how their labels are matched.
@Suite struct LabelMapTests {
  private func read(_ text: String, _ name: String = "map.csv") throws -> [String: String] {
    let folder = try DatasetFolder([name: text])
    var options = EvaluationOptions()
    try options.readLabelMap(folder.path + "/" + name)
    return options.labelMap
  }

  @Test(arguments: [
    ("map.csv", "puss,\"tabby, tabby cat\"\nhound,dog\n"),
    ("map.csv", "Dataset,Model\npuss,\"tabby, tabby cat\"\n"),
    ("map.tsv", "dataset\tmodel\r\npuss\ttabby, tabby cat\r\npuss\ttabby, tabby cat"),
    ("map.JSON", #"{"puss": "tabby, tabby cat"}"#),
  ])
  func `tables and objects are read`(name: String, text: String) throws {
    let map = try read(text, name)
    #expect(map["puss"] == "tabby, tabby cat")
    #expect(map["hound"] == (text.contains("hound") ? "dog" : nil))
    #expect(map["dataset"] == nil && map["Dataset"] == nil)
  }

  @Test(arguments: [
    ("map.csv", "", "has no labels"),
    ("map.csv", "dataset,model", "has no labels"),
    ("map.csv", "puss,tabby,cat", "put a label that has a comma in quotes"),
    ("map.csv", "a,b\npuss,", "line 2: expected a label of the dataset and one of the model"),
    ("map.csv", "puss,cat\npuss,dog", "line 2: 'puss' is 'dog', but an earlier row says 'cat'"),
    ("map.json", "{", "isn't JSON"),
    ("map.json", "[]", "must be a JSON object"),
    ("map.json", #"{"a": 1}"#, "a label of the model as text for 'a'"),
    ("map.json", #"{"a": ""}"#, "a label of the model as text for 'a'"),
    ("map.json", #"{"a": "b", "a": "c"}"#, "twice"),
  ])
  func `a map that isn't clear is an error`(name: String, text: String, message: String) throws {
    let error = #expect(throws: TensorIOError.self) { try read(text, name) }
    #expect(error?.code == .wrongKind)
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    #expect(throws: TensorIOError.self) {
      var options = EvaluationOptions()
      try options.readLabelMap("missing.csv")
    }
  }

  @Test func `a label is replaced before it is matched`() throws {
    var context = MetricContext(labels: ["tabby, tabby cat", "dog", "crane", "crane, bird"])
    context.labelMap = ["puss": "tabby", "hound": "dog", "x": "1", "dog": "crane, bird"]
    context.labelOffset = 1
    let classes = ClassList(context)
    #expect(classes.match("puss") == .synonym([0]))
    #expect(classes.match("hound") == .name([1]))
    #expect(classes.match("x") == .number(2))
    // The map wins over the model's own name, and isn't applied twice.
    #expect(classes.match("dog") == .name([3]))
    #expect(classes.match("crane") == .name([2]))
    try classes.checkMap(model: "m")
  }

  @Test(arguments: [
    ("cat", "The label map has 'cat' for 'puss', which isn't a class of 'm'; its classes are"),
    ("Crane", "'puss', which could mean several classes of 'm': 'crane', 'crane, bird'."),
    ("7", "The label map has '7' for 'puss', which isn't a class of 'm'"),
  ])
  func `a label that isn't the model's is an error`(name: String, message: String) throws {
    var context = MetricContext(labels: ["crane", "crane, bird"])
    context.labelMap = ["puss": name]
    let error = #expect(throws: TensorIOError.self) { try ClassList(context).checkMap(model: "m") }
    #expect(error?.code == .invalidOption)
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    // A model without labels takes numbers, which can't be checked.
    context.labels = []
    try ClassList(context).checkMap(model: "m")
  }
}
