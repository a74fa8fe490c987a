// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ModelTools
import TensorIO
import TensorIODecoding
import TensorIOEncoding
import TensorIOLiteRT
import TensorIOTensorFlow

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct InitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Create a bundle from a model, with a model.json to complete.",
    discussion: """
      The bundle can be run right away. Whatever the model doesn't contain is marked \
      "(fill in: ...)" in model.json, and assumptions are listed on standard error for you to check.

      A SavedModel's folder is copied as "predict", or as "train" if its only graph has that tag \
      or --signature is train. In that case the bundle can be trained, by the operation "train" or \
      "train_op". Placeholders that the signature doesn't list become inputs, or placeholders if \
      they take one number or have a default. If a model has no signatures, add the outputs \
      yourself.

      Exports of Ultralytics, detectors with TensorFlow Lite's metadata, MoveNet, PoseNet, \
      MediaPipe's face detectors and YOLO are recognized. Their output gets "decode" in \
      model.json, which makes objects or poses of numbers. MLPerf Tiny's models of keywords and of \
      anomalies get an audio input. The parameters that Silicon Labs' MLTK writes are read, too. To \
      see what the bundle finds, edit model.json, and see it again:

        tensorio init model.tflite -o mine.tiobundle --check photo.jpg
      """)

  @Argument(help: "A .tflite file, or a SavedModel's folder.", completion: .file())
  var model: String

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The bundle to create.", valueName: "name.tiobundle"),
    completion: .directory)
  var output: String

  @Flag(help: "Replace an existing bundle and all its files.")
  var force = false

  @Option(help: MemoryLimit.help)
  var memoryLimit = MemoryLimit.standard

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "Run the bundle on these photos, and print the first results. Without --force, a bundle that "
        + "exists is checked as it is.", valueName: "photo"), completion: .file())
  var check: [String] = []

  @Option(help: ArgumentHelp("The signature to describe (default: the first).", valueName: "key"))
  var signature: String?

  func validate() throws {
    try checkUsage(
      FileSystem.name(of: output).hasSuffix(BundleWriter.fileExtension),
      "A bundle's name must end with \(BundleWriter.fileExtension), got '\(output)'.")
  }

  func run() throws {
    let writer = BundleWriter(destination: output, replaces: force)
    if check.isEmpty || force || !FileSystem.isFolder(writer.destination) { try write(writer) }
    guard !check.isEmpty else { return }
    // The time limit is for one model, but each photo has its own here.
    ProcessGuard.modelHasAnswered()
    try BundleCheck(bundle: writer.destination, signature: signature, memoryLimit: memoryLimit)
      .run(on: check)
  }

  private func write(_ writer: BundleWriter) throws {
    do {
      try writer.checkDestination()
    } catch let error as TensorIOError where error.code == .fileExists {
      let isFolder = FileSystem.isFolder(writer.destination)
      throw ValidationError("\(error)" + (isFolder ? " Pass --force to replace it." : ""))
    }
    let draft = try draft(named: writer.name)
    try writer.write { try draft.write(to: $0, modelPath: model) }
    Console.printData(writer.destination)
    report(draft, at: writer.destination)
  }

  private func draft(named name: String) throws -> BundleDraft {
    switch try ModelKind(of: model) {
    case .bundle:
      throw TensorIOError(
        .invalidModel,
        "'\(model)' is already a bundle. Run it with 'tensorio run \(model)', or pass the model "
          + "in it."
      )
    case .liteRT:
      ProcessGuard.limitModel(at: model, by: memoryLimit)
      let loaded = try LiteRTBackend(limits: memoryLimit.liteRTLimits).liteRTModel(at: model)
      return try BundleDraft(
        model: loaded, signature: signatureIndex(in: loaded.signatures), bundleName: name,
        mayRun: true)
    case .savedModel:
      try checkOutputIsOutside()
      let backend = TensorFlowBackend()
      let use = try SavedModelUse(ofModelAt: model, with: backend)
      let loaded = try backend.tensorFlowModel(at: model, for: use.modes)
      return try BundleDraft(
        model: loaded, signature: signatureIndex(in: loaded.signatures), graphs: use.graphs,
        bundleName: name)
    }
  }

  /// Checks that the bundle isn't made inside the model's folder, because it would then copy
  /// itself.
  private func checkOutputIsOutside() throws {
    let parts = [model, output].map {
      URL(filePath: $0).standardizedFileURL.resolvingSymlinksInPath().pathComponents
    }
    guard !parts[1].starts(with: parts[0]) else {
      throw ValidationError(
        "The bundle '\(output)' can't be created inside the model's own folder.")
    }
  }

  private func signatureIndex(in signatures: [SignatureDescription]) throws -> Int {
    do {
      return try signatures.index(ofKey: signature)
    } catch {
      throw ValidationError("\(error)")
    }
  }

  private func report(_ draft: BundleDraft, at path: String) {
    if !draft.blanks.isEmpty {
      let keys = draft.blanks.joined(separator: ", ")
      Console.printMessage("fill in: \(keys) in \(path)/model.json")
    }
    for check in draft.checks + problems(at: path, beside: draft.blanks) {
      Console.printMessage("check: \(check)".printable)
    }
  }

  /// Returns the problems that only loading the bundle reveals, such as an unsupported operation
  /// or a decoder that doesn't fit its outputs.
  private func problems(at path: String, beside blanks: [String]) -> [String] {
    var problems: [String] = []
    do {
      let loader = ModelLoader(
        backends: Backends.isolated(by: memoryLimit), signatureKey: signature)
      let model = try InferenceModel(at: path, loader: loader)
      problems = try model.loadWarnings().filter { !blanks.contains($0.path) }.map(\.description)
      let signature = try model.loadSignature()
      try signature.checkEncoders()
      try signature.checkDecoders()
    } catch {
      problems.append("the bundle was written, but its model can't be run: \(error)")
    }
    return problems
  }
}
