// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import TensorIO
import TensorIOLiteRT

/// `tensorio init`: makes a bundle from what a model says of itself.
struct InitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Make a bundle from a model, with a model.json to complete.",
    discussion: """
      The bundle works at once. What the model does not say is marked "(fill in: ...)" in \
      model.json, and what was assumed is listed on standard error for you to check.
      """)

  @Argument(help: "A .tflite file.", completion: .file(extensions: ["tflite"]))
  var model: String

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The bundle to make.", valueName: "name.tiobundle"),
    completion: .directory)
  var output: String

  @Flag(help: "Replace a bundle that is there, with all its files.")
  var force = false

  @Option(help: ArgumentHelp("The signature to describe, if not the first.", valueName: "key"))
  var signature: String?

  func validate() throws {
    guard FileSystem.name(of: output).hasSuffix(BundleWriter.fileExtension) else {
      throw ValidationError(
        "A bundle's name ends with \(BundleWriter.fileExtension), '\(output)' does not.")
    }
  }

  func run() throws {
    let writer = BundleWriter(destination: output, replaces: force)
    try writer.checkArgument(hint: "Pass --force to replace it.")
    try ModelReport.refuseFolder(model)
    let loaded = try LiteRTBackend().liteRTModel(at: model)
    let draft = try BundleDraft(
      model: loaded, signature: try signatureIndex(in: loaded), bundleName: writer.name)
    try writer.write { try draft.write(to: $0, modelPath: model) }
    Console.printData(writer.destination)
    report(draft, at: writer.destination)
  }

  private func signatureIndex(in model: LiteRTModel) throws -> Int {
    guard let signature else { return 0 }
    guard let index = model.signatures.firstIndex(where: { $0.key == signature }) else {
      let keys = model.signatures.map { "'\($0.key)'" }.joined(separator: ", ")
      throw ValidationError("The model has no signature '\(signature)'; it has \(keys).")
    }
    return index
  }

  private func report(_ draft: BundleDraft, at path: String) {
    if !draft.blanks.isEmpty {
      let keys = draft.blanks.joined(separator: ", ")
      Console.printMessage("fill in: \(keys) in \(path)/model.json")
    }
    for check in draft.checks + problems(at: path) {
      Console.printMessage("check: \(check)".printable)
    }
  }

  /// What only loading the bundle brings to light, as an operation that the runtime does not have.
  private func problems(at path: String) -> [String] {
    do {
      let loader = ModelLoader(backends: [.liteRT], signatureKey: signature)
      let model = try InferenceModel(bundle: ModelBundle(path), loader: loader)
      return try model.warnings.map(\.description)
    } catch {
      return ["the bundle is written, but its model cannot be run: \(error)"]
    }
  }
}
