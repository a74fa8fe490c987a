// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TensorIOImageCodecs
import Testing

/// `tensorio init`, `validate`, `run` and `bench` on SavedModels.
@Suite(
  .enabled(if: hasTensorFlow, "TensorFlow's library is missing; run 'make tensorflow'."))
struct SavedModelRunTests {
  private let folder: TemporaryFolder
  private var bundle: String { folder.path + "/made.tiobundle" }

  init() throws { folder = try TemporaryFolder() }

  private func make(_ model: String, _ arguments: String...) async throws {
    let result = try await CommandRunner.run(
      ["init", "\(savedModelsFolder)/\(model)", "-o", bundle] + arguments)
    try #require(result.status == 0, "\(result.error)")
  }

  @Test(arguments: SavedModelCase.all)
  func `a bundle that init makes gives Python's outputs`(_ run: SavedModelCase) async throws {
    try await make(run.model, "--signature", run.signature)

    let manifest = try ModelBundle(bundle).manifest
    let inputs = try run.inputs.flatMap { name, values in
      let layer = try #require(manifest.inputs.first { $0.name == name })
      return ["--input", "\(name)=\(try Self.text(of: values, for: layer))"]
    }
    let result = try await CommandRunner.run(["run", bundle, "--json"] + inputs)
    try #require(result.status == 0, "\(result.error)")
    #expect(result.error == "")
    let answer = try JSONDecoder().decode(Answer.self, from: Data(result.output.utf8))
    for (name, expected) in run.outputs {
      let layer = try #require(manifest.outputs.first { $0.name == name })
      let item = expected.item(of: layer)
      let found = answer.outputs[name]?.list ?? []
      #expect(found.count == item.count)
      for (value, wanted) in zip(found, item) {
        #expect(expected.agrees(value, with: wanted, within: run.tolerance), "\(name) \(found)")
      }
    }
  }

  @Test func `the table of expected outputs is read`() { #expect(SavedModelCase.all.count >= 25) }

  /// The JSON of one item, whose strings the table has in base64.
  private static func text(
    of values: SavedModelCase.Values, for layer: ModelManifest.Layer
  ) throws -> String {
    let item = values.item(of: layer).map { value -> JSONValue in
      guard case .string(let text) = value, let data = Data(base64Encoded: text) else {
        return value
      }
      return .string(String(decoding: data, as: UTF8.self))
    }
    let json = item.count == 1 ? item[0] : .array(item)
    return String(decoding: try JSONEncoder().encode(json), as: UTF8.self)
  }

  private struct Answer: Decodable { var outputs: [String: JSONValue] }

  @Test func `strings pass through a model unchanged`() async throws {
    try await make("strings")
    let result = try await CommandRunner.runWithoutTimes(
      ["run", bundle, #"["one", "", "drei\u0000\n"]"#, "--json"])
    #expect(result == (0, Latencies.json(around: #"{"same":["one","","drei\u0000\n"]}"#), ""))
  }

  @Test func `an image input gets the unchanged pixels`() async throws {
    try await make("picture")
    let bytes = (0..<60).map { UInt8($0 * 4) }
    let image = folder.path + "/image.png"
    try Data(
      ImageEncoder().encode(
        PixelBuffer(width: 5, height: 4, format: .rgb, bytes: bytes), as: .png)
    ).write(to: URL(filePath: image))
    let result = try await CommandRunner.runWithoutTimes(["run", bundle, image, "--json"])
    let values = bytes.map(String.init).joined(separator: ",")
    #expect(result == (0, Latencies.json(around: #"{"same":[\#(values)]}"#), ""))
  }

  @Test(arguments: [("unfed", "hidden"), ("default_placeholder", "rate")])
  func `placeholders of a bundle that init made take values`(
    model: String, placeholder: String
  ) async throws {
    try await make(model)
    func run(_ value: String?) async throws -> CommandRunner.Result {
      let option = value.map { ["--placeholder", "\(placeholder)=\($0)"] } ?? []
      return try await CommandRunner.runWithoutTimes(
        ["run", bundle, "[1, 2, 3, 4]", "--json"] + option)
    }
    let zero = try await run("0")
    let one = try await run("1")
    #expect(zero.status == 0 && one.status == 0 && zero.output != one.output)
    if model == "default_placeholder" {
      #expect(try await run(nil) == run("0.5"))
    } else {
      #expect(
        try await run(nil)
          == (
            65, "",
            "error: There is no value for the placeholder 'hidden'. "
              + "Pass --placeholder hidden=VALUE.\n"
          ))
    }
  }

  @Test(arguments: [["--weight-cache", "Demo"], ["--accelerator", "gpu"]])
  func `options of TensorFlow Lite are refused`(option: [String]) async throws {
    for command in ["run", "bench"] {
      let result = try await CommandRunner.run([command, "Demo/digits-train.tiobundle"] + option)
      let name = option[0] == "--weight-cache" ? option[0] : "--accelerator gpu"
      #expect(
        result == (
          64, "",
          "error: \(name) is only for TensorFlow Lite models, and 'Demo/digits-train.tiobundle' has the "
            + "backend tensorflow. Leave it out, or convert the model with 'tensorio convert'.\n"
        ))
    }
  }

  @Test func `a bundle for training can be run`() async throws {
    let result = try await CommandRunner.runWithoutTimes([
      "run", "Demo/digits-train.tiobundle", "--input", "image=Demo/images/digit-0-01.png",
      "--input", "label=[0]", "--json",
    ])
    #expect(result.status == 0 && result.error == "")
    #expect(result.output.hasPrefix(#"{"latency_ms":{"#))
    #expect(result.output.contains(#""accuracy":"#) && result.output.contains(#""loss":"#))
  }

  // MARK: - Bench

  @Test(arguments: [
    "types_bool", "types_int8", "types_uint32", "types_int64", "types_float16", "strings",
    "string_join", "scalar", "unknown_rank", "open_batch", "tf2_table", "picture",
  ])
  func `bench runs models of any type and shape`(model: String) async throws {
    try await make(model)
    let result = try await CommandRunner.runWithoutTimes(["bench", bundle, "--iterations", "2"])
    #expect(result.status == 0)
    #expect(result.error.hasPrefix("2 runs, R per second\ncold start: "))
    #expect(result.output.hasPrefix("ms  "))
  }

  @Test func `bench runs a bundle for training`() async throws {
    let result = try await CommandRunner.runWithoutTimes(
      ["bench", "Demo/digits-train.tiobundle", "--iterations", "2"])
    #expect(result.status == 0 && result.error.hasPrefix("2 runs, R per second\ncold start: "))
  }

  // MARK: - Errors

  @Test(arguments: ["run", "bench"])
  func `a missing library, file or bundle has its own exit code`(command: String) async throws {
    let value = command == "run" ? ["[1, 2, 3, 4]"] : []
    try await make("assign_fed")
    let library = try await CommandRunner.run(
      [command, bundle] + value, environment: withoutTensorFlow)
    #expect(library == (69, "", "error: \(tensorFlowIsMissing)\n"))

    let model = bundle + "/predict"
    try FileManager.default.removeItem(atPath: model + "/variables")
    #expect(
      try await CommandRunner.run([command, bundle] + value) == (
        65, "",
        "error: '\(model)' has variables, but no file variables/variables.index. Copy the whole "
          + "SavedModel folder.\n"
      ))

    try FileManager.default.removeItem(atPath: model + "/saved_model.pb")
    let empty = try await CommandRunner.run([command, bundle] + value)
    #expect(empty.status == 65 && empty.output == "")
    try FileManager.default.removeItem(atPath: bundle)
    #expect(try await CommandRunner.run([command, bundle] + value).status == 66)
  }

  @Test(arguments: ["run", "bench"])
  func `a damaged model is one line of error without output from TensorFlow`(command: String)
    async throws
  {
    let value = command == "run" ? ["[1, 2]"] : []
    let layers = (SavedModelBundle.layer("x", [2]), SavedModelBundle.layer("y", [2]))
    for (name, message) in [
      ("missing_kernel", "needs the operation 'BoostedTrees"),
      ("unknown_op", "needs the operation 'NoSuchOperation'"),
    ] {
      let bundle = try SavedModelBundle(name, inputs: [layers.0], outputs: [layers.1])
      let result = try await CommandRunner.run([command, bundle.path] + value)
      #expect(result.status == 65 && result.output == "")
      #expect(result.error.hasPrefix("error: The model '\(bundle.modelPath)' \(message)"))
      #expect(result.error.split(separator: "\n").count == 1, "\(result.error)")
    }
    let bundle = try SavedModelBundle("two_tags", inputs: [layers.0], outputs: [layers.1])
    try Data("no message".utf8).write(to: URL(filePath: bundle.modelPath + "/saved_model.pb"))
    let result = try await CommandRunner.run([command, bundle.path] + value)
    #expect(result.status == 65 && result.output == "")
    #expect(result.error.hasPrefix("error: "))
    #expect(result.error.split(separator: "\n").count == 1, "\(result.error)")
  }
}

extension JSONValue {
  /// The elements of an array, or the value as the only element.
  fileprivate var list: [JSONValue] { if case .array(let list) = self { list } else { [self] } }
}
