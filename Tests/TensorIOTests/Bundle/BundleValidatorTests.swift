// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIOTesting
import Testing

@testable import TensorIO

@Suite struct BundleValidatorTests {
  // MARK: - Path, extension, model.json, JSON

  @Test func `a valid bundle has no issues`() throws {
    let bundle = try TestBundle()
    #expect(bundle.issues.isEmpty)
    let opened = try bundle.open()
    #expect(opened.path == bundle.path)
    #expect(opened.warnings.isEmpty)
    #expect(opened.modelPath == bundle.path + "/model.tflite")
    #expect(opened.backendName == "tflite")
    #expect(opened.assetPath("a.txt") == bundle.path + "/assets/a.txt")
    #expect(try ModelBundle(bundle.path + "/").path == bundle.path)
  }

  @Test func `a missing folder is reported as not found`() throws {
    let folder = try TemporaryFolder()
    let error = #expect(throws: TensorIOError.self) {
      try ModelBundle(folder.path + "/none.tiobundle")
    }
    #expect(error?.code == .fileNotFound)
    #expect(error?.issues.map(\.code) == [.notFound])
    #expect(error?.message.contains("none.tiobundle") == true)
  }

  @Test func `a file isn't a bundle`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("", to: "file.tiobundle")
    let error = #expect(throws: TensorIOError.self) { try ModelBundle(path) }
    #expect(error?.issues.map(\.code) == [.notFound])
    #expect(error?.issues.first?.found == "a file")
  }

  @Test(arguments: ["test.bundle", "test", "tiobundle", "test.tiobundle.zip", "test.TIOBUNDLE"])
  func `a wrong extension has an error of its own`(_ name: String) throws {
    let bundle = try TestBundle(named: name)
    #expect(bundle.issues == ["wrong-extension \(name)"])
    let error = #expect(throws: TensorIOError.self) { try bundle.open() }
    #expect(error?.code == .invalidBundle)
  }

  @Test func `the old extension is read with a warning`() throws {
    let bundle = try TestBundle(named: "old.tfbundle")
    #expect(
      try bundle.open().warnings.map(\.summary) == ["warning deprecated-extension old.tfbundle"])
  }

  @Test func `a missing model.json is distinguished from an invalid one`() throws {
    let folder = try TemporaryFolder()
    let empty = try folder.makeFolder("empty.tiobundle")
    #expect(ModelBundle.issues(at: empty).map(\.summary) == ["no-manifest model.json"])
    let nested = try folder.makeFolder("folder.tiobundle/model.json")
    let inside = String(nested.dropLast("/model.json".count))
    #expect(ModelBundle.issues(at: inside).map(\.code) == [.noManifest])
    try folder.write("{\n  \"name\" 1\n}", to: "bad.tiobundle/model.json")
    let issues = ModelBundle.issues(at: folder.path + "/bad.tiobundle")
    #expect(issues.map(\.summary) == ["malformed-json model.json"])
    #expect(issues.first?.found.hasPrefix("line 2, column 10: ") == true)
  }

  @Test func `for a misspelt required key, the suggestion is to rename it`() throws {
    let bundle = try TestBundle(
      set: ["/idd": "x"], remove: ["/id"], files: [:])
    let issues = ModelBundle.issues(at: bundle.path).filter { $0.code == .missingKey }
    #expect(issues.map(\.suggestion) == ["Rename \"idd\" to \"id\"."])
  }

  @Test func `each check depends on the checks before it`() throws {
    // A wrong extension hides the missing model.json, malformed JSON hides the schema's issues, etc.
    let folder = try TemporaryFolder()
    let wrong = try folder.makeFolder("x.zip")
    #expect(ModelBundle.issues(at: wrong).map(\.code) == [.wrongExtension])
    let schema = try TestBundle(remove: ["/id"], files: [:])
    #expect(schema.issues == ["missing-key id"])
    let called = try TestBundle(remove: ["/id"])
    _ = ModelBundle.issues(at: called.path) { _ in
      Issue.record("The caller's check needs a manifest.")
      return []
    }
  }

  @Test func `the issues of all later checks are collected`() throws {
    let bundle = try TestBundle(
      named: "all.tfbundle",
      set: [
        "/model/modes": ["train"], "/inputs/1/name": "temperatures", "/outputs/0/labels": "l.txt",
        "/outputs/1/labels": "../l.txt",
      ], files: [:])
    let issues = ModelBundle.issues(at: bundle.path) { manifest in
      [
        BundleIssue(
          .custom, path: "id", expected: "another", found: manifest.id, suggestion: "Change it.")
      ]
    }
    #expect(
      issues.map(\.summary) == [
        "warning deprecated-extension all.tfbundle", "duplicate-name inputs[1].name",
        "missing-model-file model.file", "missing-labels outputs[0].labels",
        "path-outside-bundle outputs[1].labels", "warning missing-key train.ops",
        "custom id",
      ])
    let error = #expect(throws: TensorIOError.self) { try bundle.open() }
    #expect(error?.issues.count == 6)
    #expect(error?.message.hasSuffix("And 3 more.") == true)
  }

  @Test func `the caller's own check can reject a bundle or warn`() throws {
    let bundle = try TestBundle()
    func issue(_ severity: BundleIssue.Severity) -> BundleIssue {
      BundleIssue(
        .custom, severity: severity, path: "id", expected: "x", found: "y", suggestion: "Do it.")
    }
    let error = #expect(throws: TensorIOError.self) {
      try ModelBundle(bundle.path) { _ in [issue(.error)] }
    }
    #expect(error?.issues == [issue(.error)])
    #expect(try ModelBundle(bundle.path) { _ in [issue(.warning)] }.warnings == [issue(.warning)])
  }

  // MARK: - Names and counts

  @Test func `two layers can't have the same name`() throws {
    let bundle = try TestBundle(
      "every-field",
      set: [
        "/inputs/3/name": "linear", "/outputs/1/name": "linear",
        "/placeholders/0/name": "linear", "/outputs/2/name": "linear",
      ],
      files: ["saved_model/saved_model.pb": "", "assets/labels.txt": Self.lines(10)])
    #expect(
      bundle.issues == [
        "duplicate-name inputs[3].name", "duplicate-name outputs[2].name",
        "duplicate-name placeholders[0].name",
      ])
  }

  @Test func `too many elements for a runtime are rejected without a crash`() throws {
    let long: JSONValue = [2_147_483_647, 2_147_483_647, 2_147_483_647]
    let bundle = try TestBundle(
      set: [
        "/inputs/0/shape": long, "/outputs/1/shape": [65536, 32768],
        "/inputs/1/shape": [-1, 2_147_483_647], "/outputs/1/labels": "l.txt",
      ])
    #expect(bundle.issues == ["bad-shape inputs[0].shape", "bad-shape outputs[1].shape"])
  }

  // MARK: - The model file

  @Test(arguments: [
    "../model.tflite", "/etc/passwd", "a/../../model.tflite", "..", "a/..", "model.tflite\0",
  ])
  func `a model outside the bundle is rejected`(_ file: String) throws {
    let bundle = try TestBundle(set: ["/model/file": .string(file)])
    #expect(bundle.issues == ["path-outside-bundle model.file"])
  }

  @Test func `for a missing model, the suggestion lists possible files`() throws {
    let bundle = try TestBundle(
      set: ["/model/file": "modle.tflite"],
      files: ["model.tflite": "", "b.tflite": "", "train/saved_model.pb": "", "notes.txt": ""])
    let issues = ModelBundle.issues(at: bundle.path)
    #expect(issues.map(\.summary) == ["missing-model-file model.file"])
    #expect(issues.first?.found == "\"b.tflite\", \"model.tflite\", \"train\"")
    let empty = try TestBundle(files: [:])
    #expect(ModelBundle.issues(at: empty.path).first?.found == "no model")
    #expect(try TestBundle(set: ["/model/file": ""]).issues == ["missing-model-file model.file"])
  }

  @Test func `the kind of file determines the backend`() throws {
    let saved = try TestBundle(set: ["/model/file": "train"], files: ["train/saved_model.pb": ""])
    #expect(try saved.open().backendName == "tensorflow")
    let nested = try TestBundle(set: ["/model/file": "a/m.tflite"], files: ["a/m.tflite": ""])
    #expect(try nested.open().backendName == "tflite")
  }

  @Test func `a file of unknown kind needs a backend`() throws {
    let files = ["model.bin": "", "folder/x": ""]
    for file in ["model.bin", "folder"] {
      let unknown = try TestBundle(set: ["/model/file": .string(file)], files: files)
      #expect(unknown.issues == ["unknown-backend model.backend"])
    }
    let named = try TestBundle(
      set: ["/model/file": "model.bin", "/model/backend": "tflite"], files: files)
    #expect(try named.open().backendName == "tflite")
  }

  @Test func `a backend that doesn't fit the file is rejected`() throws {
    let bundle = try TestBundle(set: ["/model/backend": "tensorflow"])
    let issues = ModelBundle.issues(at: bundle.path)
    #expect(issues.map(\.summary) == ["unknown-backend model.backend"])
    #expect(issues.first?.expected.contains("\"tflite\"") == true)
    let saved = try TestBundle(
      set: ["/model/file": "m", "/model/backend": "tflite"], files: ["m/saved_model.pb": ""])
    #expect(saved.issues == ["missing-model-file model.file"])
  }

  @Test func `a folder isn't a tflite file`() throws {
    let bundle = try TestBundle(files: ["model.tflite/x": ""])
    let issues = ModelBundle.issues(at: bundle.path)
    #expect(issues.map(\.summary) == ["missing-model-file model.file"])
    #expect(issues.first?.found == "a folder")
  }

  @Test func `a placeholder needs no model`() throws {
    let bundle = try TestBundle("placeholder", files: [:])
    let opened = try bundle.open()
    #expect(opened.modelPath == nil)
    #expect(opened.backendName == nil)
  }

  // MARK: - Labels

  private static func lines(_ count: Int) -> String {
    (0..<count).map { "label \($0)\n" }.joined()
  }

  private func labelled(_ text: String?, shape: JSONValue = [1, 3]) throws -> TestBundle {
    var files = ["model.tflite": ""]
    files["assets/labels.txt"] = text
    return try TestBundle(
      set: ["/outputs/0/labels": "labels.txt", "/outputs/0/shape": shape], files: files)
  }

  @Test(arguments: [[3], [1, 3], [-1, 3], [3, 1]] as [[Int]])
  func `labels match the number of an item's values`(_ shape: [Int]) throws {
    let shape = JSONValue.array(shape.map { .number(Double($0)) })
    let bundle = try labelled("a\nb\nc\n", shape: shape)
    #expect(bundle.issues.isEmpty)
    let opened = try bundle.open()
    #expect(opened.labels(of: opened.manifest.outputs[0])?.names == ["a", "b", "c"])
    #expect(opened.labels(of: opened.manifest.outputs[1]) == nil)
    #expect(opened.labels(of: opened.manifest.inputs[0]) == nil)
  }

  @Test func `too few labels are an error, too many a warning`() throws {
    let few = ModelBundle.issues(at: try labelled("a\nb\n").path)
    #expect(few.map(\.summary) == ["too-few-labels outputs[0].labels"])
    #expect(few.first?.expected == "3 labels, one for each value of 'winds'")
    #expect(few.first?.found == "2")
    #expect(try labelled("").issues == ["too-few-labels outputs[0].labels"])
    let many = try labelled("a\nb\nc\nd")
    #expect(
      try many.open().warnings.map(\.summary) == ["warning too-many-labels outputs[0].labels"])
  }

  @Test func `missing labels are distinguished from unreadable ones`() throws {
    let missing = ModelBundle.issues(at: try labelled(nil).path)
    #expect(missing.map(\.summary) == ["missing-labels outputs[0].labels"])
    #expect(missing.first?.found == "nothing")
    let bundle = try labelled(nil)
    try bundle.folder.write(Data([0x61, 0xFF, 0x0A]), to: "test.tiobundle/assets/labels.txt")
    let bytes = ModelBundle.issues(at: bundle.path)
    #expect(bytes.map(\.summary) == ["missing-labels outputs[0].labels"])
    #expect(bytes.first?.found == "bytes that aren't UTF-8")
  }

  @Test(arguments: ["../labels.txt", "/etc/passwd", "", "a/../../x"])
  func `labels outside the assets folder are rejected`(_ file: String) throws {
    let bundle = try TestBundle(set: ["/outputs/0/labels": .string(file)])
    #expect(bundle.issues == ["path-outside-bundle outputs[0].labels"])
  }

  @Test func `two outputs may share a labels file`() throws {
    let bundle = try TestBundle(
      set: ["/outputs/0/labels": "l.txt", "/outputs/1/labels": "l.txt", "/outputs/1/shape": [3]],
      files: ["model.tflite": "", "assets/l.txt": "a\nb\nc"])
    let opened = try bundle.open()
    #expect(opened.labels(of: opened.manifest.outputs[1])?.names == ["a", "b", "c"])
  }

  // MARK: - Features

  @Test func `tflite models that aren't trained don't support the mode "eval"`() throws {
    let bundle = try TestBundle(set: ["/model/modes": ["predict", "eval"]])
    #expect(bundle.issues == ["unsupported-by-backend model.modes"])
  }

  @Test(arguments: [["train"], ["predict", "train"]] as [[String]])
  func `for a tflite model that can't be trained, the error says what to remove`(_ modes: [String])
    throws
  {
    let bundle = try TestBundle(set: ["/model/modes": .array(modes.map { .string($0) })])
    #expect(bundle.issues == ["warning missing-key train.ops"])
    let loader = ModelLoader(backends: [EchoBackend([.vectors])])
    let error = #expect(throws: TensorIOError.self) {
      try InferenceModel(bundle: bundle.open(), loader: loader).load()
    }
    #expect(error?.issues.map(\.summary) == ["unsupported-by-backend model.modes"])
    #expect(error?.message.contains("Remove \"train\" from \"modes\"") == true)
  }

  @Test func `for a misspelt key, the suggestion corrects it and lists only its layer's keys`()
    throws
  {
    let bundle = try TestBundle(set: [
      "/inputs": [.layer("a", [4], ["quantise": ["standard": "[0,1]"]]), .layer("b", [8])]
    ])
    let issue = try #require(ModelBundle.issues(at: bundle.path).first)
    #expect(issue.summary == "unknown-key inputs[0].quantise")
    #expect(issue.expected == "one of name, type, shape, dtype, quantize")
    #expect(issue.suggestion.hasPrefix("Did you mean \"quantize\"?"))
  }

  @Test func `tflite models are trained with the signatures in train.ops`() throws {
    let train: JSONValue = ["ops": ["train"]]
    for modes in [["train"], ["predict", "train", "eval"]] as [JSONValue] {
      let bundle = try TestBundle(
        set: ["/model/modes": modes, "/train": train, "/placeholders": [.layer("rate", [])]])
      #expect(bundle.issues.isEmpty)
    }
    let unnamed = try TestBundle(set: ["/model/modes": ["predict", "train"]])
    let issue = try #require(ModelBundle.issues(at: unnamed.path).first)
    #expect(issue.path == "train.ops" && issue.severity == .warning)
    let untrained = try TestBundle(set: ["/train": train, "/placeholders": [.layer("rate", [])]])
    #expect(untrained.issues == ["unsupported-by-backend placeholders"])
  }

  @Test func `placeholders need TensorFlow or a trained model`() throws {
    let layer = JSONValue.layer("rate", [])
    let tflite = try TestBundle(set: ["/placeholders": [layer]])
    #expect(tflite.issues == ["unsupported-by-backend placeholders"])
    let saved = try TestBundle(
      set: ["/placeholders": [layer], "/model/file": "m"], files: ["m/saved_model.pb": ""])
    #expect(saved.issues.isEmpty)
  }

  @Test func `training without operations is a warning`() throws {
    let without = try TestBundle(
      set: ["/model/file": "m", "/model/modes": ["train", "predict"]],
      files: ["m/saved_model.pb": ""])
    #expect(without.issues == ["warning missing-key train.ops"])
    let with = try TestBundle(
      set: ["/model/file": "m", "/model/modes": ["train"], "/train": ["ops": ["step"]]],
      files: ["m/saved_model.pb": ""])
    #expect(with.issues.isEmpty)
  }

  @Test func `a key that is written twice is an error`() throws {
    let bundle = try TestBundle()
    let path = bundle.path + "/model.json"
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let twice = text.replacing(#""quantized":"#, with: #""quantized": true, "quantized":"#)
    try #require(twice != text)
    try twice.write(toFile: path, atomically: true, encoding: .utf8)
    let issues = ModelBundle.issues(at: bundle.path)
    #expect(issues.map(\.summary) == ["duplicate-name model.quantized"])
  }

  @Test func `every issue is printed on one line`() throws {
    let bundle = try TestBundle(set: ["/outputs/0/labels": "l.txt"])
    #expect(
      ModelBundle.issues(at: bundle.path).map(\.description) == [
        "outputs[0].labels: expected a text file assets/l.txt in UTF-8, found nothing "
          + "[missing-labels]. Add the file, with one label per line."
      ])
  }
}
