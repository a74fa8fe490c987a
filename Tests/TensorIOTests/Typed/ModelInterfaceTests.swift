// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import TensorIO

@Suite struct ModelInterfaceTests {
  private static let pet: JSONValue = .layer("pet", [2], ["labels": "labels.txt"])

  private static func bundle(
    _ inputs: [JSONValue], _ outputs: [JSONValue], labels: String = "cat\ndog\n"
  ) throws -> TestBundle {
    try TestBundle(
      inputs: inputs, outputs: outputs,
      files: ["model.tflite": "", "assets/labels.txt": labels, "assets/alphabet.txt": "a\n"])
  }

  private static func interface(_ inputs: [JSONValue], _ outputs: [JSONValue]) throws -> String {
    ModelInterface(of: try bundle(inputs, outputs).open()).description
  }

  // The hash is FNV-1a of "cat\ndog\n", as Python computes it.
  @Test func `an interface has a line for each layer`() throws {
    let image: JSONValue = [
      "name": "photo", "type": "image", "shape": [8, 8, 3], "format": "RGB",
    ]
    #expect(
      try Self.interface(
        [image, .layer("x", [-1, 3], ["dtype": "int32"])], [.layer("y", [1]), Self.pet])
          == """
          input 'photo': an image
          input 'x': 3 values of the type int32
          output 'y': 1 value of the type float32
          output 'pet': 2 values, 2 labels b6c5cc61a4470a3f
          """)
  }

  @Test(arguments: [
    JSONValue.layer("x", [3]), .layer("y", [2]), .layer("x", [2], ["dtype": "int64"]),
    ["name": "x", "type": "string", "shape": [2]],
    ["name": "x", "type": "image", "shape": [1, 2, 1], "format": "GRAY"],
  ])
  func `a change that programs notice changes the interface`(input: JSONValue) throws {
    let before = try Self.interface([.layer("x", [2])], [Self.pet])
    #expect(try Self.interface([input], [Self.pet]) != before)
  }

  @Test(arguments: [
    JSONValue.layer("x", [1, 2]), .layer("x", [2, 1]), .layer("x", [-1, 2]),
    .layer("x", [2], ["dtype": "float32"]),
  ])
  func `a change that programs don't notice keeps the interface`(input: JSONValue) throws {
    let before = try Self.interface([.layer("x", [2])], [Self.pet])
    #expect(try Self.interface([input], [Self.pet]) == before)
  }

  @Test func `another number of measurements, or a column that is needed, changes the interface`()
    throws
  {
    let x = JSONValue.layer("x", [2])
    func regression(_ count: Int) throws -> String {
      try Self.interface([x], [.layer("y", [count], ["decode": ["type": "regression"]])])
    }
    try #expect(regression(1) != regression(3))
    func row(_ column: JSONValue) throws -> String {
      let layer: JSONValue = [
        "name": "x", "type": "features", "shape": [1], "columns": [column],
      ]
      return try Self.interface([layer], [Self.pet])
    }
    try #expect(row(["name": "age"]) != row(["name": "age", "missing": 30]))
  }

  @Test(arguments: ["dog\ncat\n", "cat\ndogs\n", "ca\ntdog\n"])
  func `other labels change the interface`(labels: String) throws {
    let inputs = [JSONValue.layer("x", [2])]
    let before = ModelInterface(of: try Self.bundle(inputs, [Self.pet]).open())
    let after = ModelInterface(of: try Self.bundle(inputs, [Self.pet], labels: labels).open())
    #expect(before != after)
  }

  @Test func `a bundle with the same interface is accepted`() throws {
    let bundle = try Self.bundle([.layer("x", [2])], [Self.pet]).open()
    try bundle.check(ModelInterface(ModelInterface(of: bundle).description), of: "Pets")
  }

  @Test func `a bundle with another interface names the layers that differ`() throws {
    let expected = ModelInterface(
      of: try Self.bundle([.layer("x", [2]), .layer("z", [1])], [Self.pet]).open())
    let other = try Self.bundle([.layer("size", [2]), .layer("z", [1])], [Self.pet])
    let error = #expect(throws: TensorIOError.self) {
      try other.open().check(expected, of: "Pets")
    }
    #expect(error?.code == .changedInterface)
    #expect(
      error?.message
        == "'\(other.path)' doesn't fit the type Pets, which was generated from another bundle: "
        + "expected input 'x': 2 values of the type float32, found input 'size': 2 values of the type "
        + "float32. Use the bundle that it was made of, or generate the type again: with 'tensorio "
        + "generate', or by a build with the plugin.")
  }

  @Test func `a bundle with more or fewer layers, or in another order, is refused`() throws {
    let (x, z) = (JSONValue.layer("x", [2]), JSONValue.layer("z", [1]))
    let expected = ModelInterface(of: try Self.bundle([x, z], [Self.pet]).open())
    for (inputs, reason) in [
      ([x], "found no other layer."), ([x, z, .layer("a", [1])], "expected no other layer, found"),
      ([z, x], "its layers are in another order."),
    ] {
      let bundle = try Self.bundle(inputs, [Self.pet]).open()
      let error = #expect(throws: TensorIOError.self) { try bundle.check(expected, of: "Pets") }
      #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    }
  }
}
