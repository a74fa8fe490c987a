// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ModelTools
import TensorIO
import TensorIOLiteRT

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct MetadataCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "metadata",
    abstract: "Write what a bundle's model.json says into a .tflite file's own metadata.",
    discussion: """
      TensorFlow Lite's Task Library and MediaPipe read the name, description, version, author and \
      license, the labels, the normalization of images, and what detectors return. The model \
      itself doesn't change:

        tensorio metadata --from cats.tiobundle -o cats.tflite

      Pass MODEL to use another file than the bundle's own. model.json must fit it. The file's \
      earlier metadata is replaced, and other files that are attached to it stay.

      Prints what 'tensorio inspect' shows of the new file. What the metadata can't express, such \
      as a crop or most decoders, is listed on standard error.

      With --json, the output is one object: the keys of 'tensorio inspect --json' for the new \
      file, and notes, a list of sentences about what the metadata can't express.
      """)

  @Argument(
    help: "The .tflite file. (default: the model in the bundle)", completion: .file())
  var model: String?

  @Option(
    name: .customLong("from"),
    help: ArgumentHelp("The bundle with the model.json.", valueName: "name.tiobundle"),
    completion: .directory)
  var bundle: String

  @Option(
    name: .shortAndLong, help: ArgumentHelp("The file to create.", valueName: "model.tflite"),
    completion: .file())
  var output: String

  @Flag(help: "Replace an existing file.")
  var force = false

  @Option(help: MemoryLimit.help)
  var memoryLimit = MemoryLimit.standard

  @Flag(help: "Print JSON.")
  var json = false

  func run() throws {
    try checkOutput()
    let bundle = try ModelBundle(bundle)
    guard let source = model ?? bundle.modelPath, bundle.backendName == LiteRTBackend().name,
      try ModelKind(of: source) == .liteRT
    else {
      throw TensorIOError(
        .unsupportedModel,
        "Only .tflite files have metadata of this kind. Pass one, with a bundle that describes it.")
    }
    ProcessGuard.limitModel(at: source, by: memoryLimit)
    let liteRT = LiteRTBackend(limits: memoryLimit.liteRTLimits)
    let old = try liteRT.liteRTModel(at: source).metadata
    let backends = Backends.isolated(by: memoryLimit).map { OtherFile(backend: $0, path: source) }
    let signature = try InferenceModel(bundle: bundle, loader: ModelLoader(backends: backends))
      .loadSignature()
    let described = try BundleMetadata(bundle.manifest, signature, replacing: old)
    let writer = TFLiteMetadataWriter(
      described.metadata, signature: bundle.manifest.model.signature)
    let bytes = try writer.bytes(adding: Array(try FileSystem.read(source)), path: source)
    try FileSystem.writeAtomically(output) { fresh in
      try Data(bytes).write(to: URL(filePath: fresh))
      try FileSystem.flush(fresh)
    } move: { fresh in
      try checkOutput()
      try FileSystem.rename(fresh, to: output)
    }
    let report = try ModelReport(path: output, liteRT: liteRT, backends: []) { _ in }
    if json {
      guard case .object(var members) = report.json else { return }
      members["notes"] = .strings(described.notes)
      return try Console.printJSON(.object(members))
    }
    Console.printData(report.text)
    for note in described.notes { Console.printMessage("note: \(note)".printable) }
  }

  private func checkOutput() throws {
    try checkUsage(
      !FileSystem.isFolder(output), "'\(output)' is a folder. Pass the name of a file.")
    try checkUsage(
      force || !FileSystem.isFile(output),
      "'\(output)' already exists. Pass --force to replace it.")
  }
}

/// A backend that loads another file in place of a bundle's model.
private struct OtherFile: Backend {
  let backend: any Backend
  let path: String

  var name: String { backend.name }
  var matchesLayersByName: Bool { backend.matchesLayersByName }

  func loadModel(
    at _: String, for modes: ModelModes, options: SessionOptions
  ) throws -> any LoadedModel {
    try backend.loadModel(at: path, for: modes, options: options)
  }
}
