// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import TensorIO
import TensorIOImageCodecs
import Testing

@testable import TensorIOCommandLine

/// Training data from files and folders.
struct TrainingDataTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let vectors = ModelSignature(
    inputs: [
      TensorSpec(name: "x", shape: [-1, 2], kind: .vector(nil, labels: nil)),
      TensorSpec(name: "n", shape: [-1], kind: .scalar(nil)),
    ], outputs: [])

  private static let images = ModelSignature(
    inputs: [
      TensorSpec(
        name: "image", shape: [-1, 2, 2, 3],
        kind: .imageInput(ImageShape(height: 2, width: 2), ImagePreprocessing())),
      TensorSpec(name: "label", shape: [-1], dataType: .int32, kind: .scalar(nil)),
    ], outputs: [])

  @discardableResult
  private func write(_ text: String, to name: String) throws -> String {
    let path = folder.path + "/" + name
    try FileManager.default.createDirectory(
      atPath: FileSystem.folder(of: path), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(filePath: path))
    return path
  }

  @Test func `each line is an item, and blank lines are skipped`() throws {
    let path = try write(
      "{\"x\": [1, 2], \"n\": 3}\n\n  \r\n{\"n\": 4, \"x\": [5, 6]}\n", to: "data.jsonl")
    let data = try TrainingData(path, for: Self.vectors)
    #expect(data.items.count == 2)
    #expect(data.lines == [1, 4])
    #expect(data.nameOfItem(1) == "'\(path)', line 4")
    #expect(data.items.allSatisfy { Set($0.keys) == ["x", "n"] })
  }

  @Test(arguments: [
    ("{\"x\": [1, 2]}", "There is no value for the input 'n'."),
    (
      "{\"x\": [1, 2], \"n\": 1, \"z\": 1}",
      "The model has no input 'z'; its inputs are 'x', 'n'."
    ),
    ("[1]", "An item must be an object with values for 'x', 'n', got an array."),
    ("{\"x\": [1], \"n\": 1}", "'x' takes 2 values (shape [2]), got 1."),
    ("{\"x\": null, \"n\": 1}", "'x' takes a number, an array or text, got null."),
  ])
  func `a line that doesn't fit the inputs is an error with its line number`(
    line: String, message: String
  ) throws {
    let path = try write("{\"x\": [1, 2], \"n\": 3}\n\n\(line)\n", to: "data.jsonl")
    let error = #expect(throws: TensorIOError.self) {
      try TrainingData(path, for: Self.vectors)
    }
    #expect(error?.message == "'\(path)', line 3: \(message)")
  }

  @Test(arguments: ["0.5", "3000000000", "[7.5]"])
  func `a number that the model can't take is found before the training`(number: String) throws {
    try write("", to: "a.png")
    func data(_ number: String) throws -> TrainingData {
      let path = try write(
        "{\"image\": \"a.png\", \"label\": 1}\n\n{\"image\": \"a.png\", \"label\": \(number)}",
        to: "data.jsonl")
      return try TrainingData(path, for: Self.images)
    }
    try data("2").checkValues(for: Self.images)
    let error = #expect(throws: TensorIOError.self) {
      try data(number).checkValues(for: Self.images)
    }
    #expect(error?.code == .unrepresentableValue)
    let prefix = "'\(folder.path)/data.jsonl', line 3: 'label' takes int32 values, got "
    #expect(error?.message.hasPrefix(prefix) == true, "\(error?.message ?? "")")
  }

  @Test func `a class that isn't one is an error with its line number`() throws {
    func classes(_ signature: ModelSignature, _ name: String, _ lines: String...) throws
      -> TrainingData.ItemClasses
    {
      let path = try write(lines.joined(separator: "\n"), to: "data.jsonl")
      let spec = try #require(signature.input(named: name))
      return try TrainingData(path, for: signature).classes(of: spec)
    }
    try write("", to: "a.png")
    let wrong = #expect(throws: TensorIOError.self) {
      try classes(
        Self.images, "label", "{\"image\": \"a.png\", \"label\": 1}",
        "{\"image\": \"a.png\", \"label\": 1.5}")
    }
    #expect(
      wrong?.message.hasPrefix("'\(folder.path)/data.jsonl', line 2: 'label' takes int32") == true)
    let oneHot = try classes(
      Self.vectors, "x", "{\"x\": [0, 1], \"n\": 3}", "{\"x\": [1, 0], \"n\": 3}",
      "{\"x\": [0, 1], \"n\": 3}")
    #expect(oneHot.numbers == [0, 1, 0])
    let point = #expect(throws: TensorIOError.self) {
      try classes(
        Self.vectors, "x", "{\"x\": [0, 1], \"n\": 3}", "{\"x\": [1, 1], \"n\": 3}")
    }
    #expect(
      point?.message
        == "'\(folder.path)/data.jsonl', line 2: 'x' has 2 numbers, which aren't a class. "
        + "Name an input of one number, or of numbers that are all 0 but a 1 for the class.")
  }

  @Test func `classes of a folder are weighed by their names`() throws {
    for name in ["cat/1.png", "cat/2.png", "dog:small/1.png"] { try write("", to: name) }
    var inputs = Self.images.inputs
    inputs.append(TensorSpec(name: "weight", shape: [-1], kind: .scalar(nil)))
    let signature = ModelSignature(inputs: inputs, outputs: [])
    let data = try TrainingData(folder.path, for: Self.images)
    func weights(_ text: String) throws -> [Double] {
      var options = TrainingOptions()
      try ItemArguments.parse(["--class-weights", "label=" + text])
        .apply(to: &options, data, signature)
      let weight = try #require(options.itemWeights).weight
      return data.items.indices.map { weight($0) }
    }
    #expect(try weights("cat:1,dog:small:2.5") == [1, 1, 2.5])
    #expect(try weights("0:1,1:2.5") == [1, 1, 2.5])
    for (text, message) in [
      ("cat:1,cow:2", "--class-weights has 'cow', but the classes are 'cat', 'dog:small'."),
      ("cat:1", "--class-weights lacks the weight of the class 'dog:small', which items have."),
      ("cat:1,0:2,1:1", "--class-weights has the weight of the class 'cat' twice."),
      (
        "cat:nan",
        "--class-weights takes 'balanced' or CLASS:WEIGHT, such as cat:1,dog:2.5, with weights from 0; "
          + "got 'cat:nan'."
      ),
    ] {
      let error = #expect(throws: TensorIOError.self) { try weights(text) }
      #expect(error?.message == message)
    }
  }

  @Test func `a line that isn't JSON is an error with its line and column`() throws {
    let path = try write("{\"x\": [1, 2] \"n\": 3}", to: "data.jsonl")
    let error = #expect(throws: TensorIOError.self) {
      try TrainingData(path, for: Self.vectors)
    }
    #expect(error?.message.hasPrefix("'\(path)', line 1 isn't JSON: column 14: ") == true)
  }

  @Test func `a missing file and a file without items are errors`() throws {
    let missing = #expect(throws: TensorIOError.self) {
      try TrainingData("nothing.jsonl", for: Self.vectors)
    }
    #expect(missing?.code == .fileNotFound)
    let path = try write("\n\n", to: "data.jsonl")
    let empty = #expect(throws: TensorIOError.self) { try TrainingData(path, for: Self.vectors) }
    #expect(empty?.message == "'\(path)' has no items to train on.")
  }

  @Test func `paths of images are relative to the file's own folder`() throws {
    try write("", to: "photos/a.png")
    let path = try write("{\"image\": \"photos/a.png\", \"label\": 1}\n", to: "data.jsonl")
    #expect(try TrainingData(path, for: Self.images).items[0]["image"] is ImageFile)
    try write(
      "\n{\"image\": \"photos/b.png\", \"label\": 1}", to: "data.jsonl")
    let error = #expect(throws: TensorIOError.self) {
      try TrainingData(path, for: Self.images)
    }
    #expect(error?.code == .fileNotFound)
    #expect(
      error?.message
        == "'\(path)', line 2: There is no file '\(folder.path)/photos/b.png'.")
  }

  @Test func `each folder in a data folder is a class`() throws {
    for name in ["dogs/2.JPG", "dogs/1.png", "cats/1.webp", "cats/.hidden.png", "cats/notes.txt"] {
      try write("", to: name)
    }
    try write("", to: ".hidden/1.png")
    let data = try TrainingData(folder.path, for: Self.images)
    #expect(data.classes.map(\.name) == ["cats", "dogs"])
    #expect(data.classes.map(\.count) == [1, 2])
    #expect(data.items.map { $0["label"] as? Int } == [0, 1, 1])
    let turned = try TrainingData(
      folder.path, for: Self.images, classes: ClassOrder(names: ["dogs", "cats"]))
    #expect(turned.items.map { $0["label"] as? Int } == [0, 0, 1])
  }

  @Test(arguments: [
    (["cats"], "--classes lacks 'dogs', which is a folder in '"),
    (["cats", "dogs", "cows"], "--classes has 'cows', but the folders in '"),
    (["cats", "dogs", "cats"], "--classes has 'cats' twice."),
  ])
  func `--classes that don't match the folders are refused`(
    classes: [String], message: String
  ) throws {
    for name in ["dogs/1.png", "cats/1.png"] { try write("", to: name) }
    let error = #expect(throws: TensorIOError.self) {
      try TrainingData(folder.path, for: Self.images, classes: ClassOrder(names: classes))
    }
    #expect(error?.code == .invalidOption)
    #expect(error?.message.hasPrefix(message) == true, "\(error?.message ?? "")")
  }

  @Test func `validation data may lack classes and keeps the indexes of the training data`() throws
  {
    for name in ["pics/a/1.png", "pics/b/1.png", "pics/c/1.png", "vpics/c/1.png", "vpics/b/1.txt"] {
      try write("", to: name)
    }
    let (training, validation) = try TrainingData.pair(
      folder.path + "/pics", validation: folder.path + "/vpics", for: Self.images, classes: nil)
    #expect(training.items.map { $0["label"] as? Int } == [0, 1, 2])
    #expect(validation?.items.map { $0["label"] as? Int } == [2])
    let turned = try TrainingData.pair(
      folder.path + "/pics", validation: folder.path + "/vpics", for: Self.images,
      classes: ["c", "a", "b"])
    #expect(turned.validation?.items.map { $0["label"] as? Int } == [0])
  }

  @Test func `a class that only the validation data has is an error`() throws {
    for name in ["pics/a/1.png", "vpics/a/1.png", "vpics/x/1.png"] { try write("", to: name) }
    let (images, validation) = (folder.path + "/pics", folder.path + "/vpics")
    let error = #expect(throws: TensorIOError.self) {
      try TrainingData.pair(images, validation: validation, for: Self.images, classes: nil)
    }
    #expect(
      error?.message
        == "'\(validation)' has the class 'x', which is missing in '--data \(images)'.")
  }

  @Test func `a validation folder for a training file needs --classes`() throws {
    for name in ["a.png", "vpics/cat/1.png", "vpics/dog/1.png"] { try write("", to: name) }
    let path = try write("{\"image\": \"a.png\", \"label\": 1}\n", to: "data.jsonl")
    func read(_ classes: [String]?) throws -> TrainingData? {
      try TrainingData.pair(
        path, validation: folder.path + "/vpics", for: Self.images, classes: classes
      ).validation
    }
    let items = try read(["dog", "cow", "cat"])?.items
    #expect(items?.map { $0["label"] as? Int } == [0, 2])
    let unsaid = #expect(throws: TensorIOError.self) { try read(nil) }
    #expect(unsaid?.code == .invalidOption)
    #expect(unsaid?.message.hasSuffix("in the order of the indexes.") == true)
    let unknown = #expect(throws: TensorIOError.self) { try read(["dog"]) }
    #expect(unknown?.message.hasPrefix("--classes lacks 'cat', which is a folder") == true)
  }

  #if os(Linux)
  @Test(arguments: ["caf\u{E9}", "ok/\u{E9}.png"])
  func `a file or folder name that isn't UTF-8 is an error`(name: String) throws {
    for name in ["ok/1.png", "zoo/1.png"] { try write("", to: name) }
    var bytes = Array((folder.path + "/").utf8) + name.unicodeScalars.map { UInt8($0.value) } + [0]
    let isMade = bytes.withUnsafeMutableBytes { bytes in
      bytes.withMemoryRebound(to: CChar.self) { path in
        path.baseAddress.map { mkdir($0, 0o700) == 0 } ?? false
      }
    }
    #expect(isMade)
    let error = #expect(throws: TensorIOError.self) {
      try TrainingData(folder.path, for: Self.images)
    }
    #expect(error?.message.hasSuffix("' has a name that isn't UTF-8. Rename it.") == true)
    #expect(error?.message.contains(folder.path) == true)
  }
  #endif

  @Test func `a folder is refused for inputs other than an image and a label`() throws {
    let error = #expect(throws: TensorIOError.self) {
      try TrainingData(folder.path, for: Self.vectors)
    }
    #expect(error?.message.contains("'x' [-1, 2], 'n' [-1]. Use a .jsonl file.") == true)
  }

  @Test func `a folder is refused for three inputs, and the message says how to weigh items`()
    throws
  {
    let weighed = ModelSignature(
      inputs: Self.images.inputs + [TensorSpec(name: "weight", shape: [-1], kind: .scalar(nil))],
      outputs: [])
    let error = #expect(throws: TensorIOError.self) {
      try TrainingData(folder.path, for: weighed)
    }
    #expect(
      error?.message.hasSuffix(
        "Use a .jsonl file, or pass --class-weights if one of the inputs weighs the items.") == true
    )
  }

  @Test func `a class without images is an error`() throws {
    for name in ["dogs/1.png", "cats/1.txt"] { try write("", to: name) }
    let error = #expect(throws: TensorIOError.self) {
      try TrainingData(folder.path, for: Self.images)
    }
    #expect(error?.message.hasPrefix("The class 'cats' in '") == true)
  }
}
