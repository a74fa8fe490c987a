// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ModelCommands
import NetRunner
import TensorIO
import TensorIOImageCodecs

/// The arguments of commands that run several vision models.
struct ModelChoice: ParsableArguments {
  @Option(
    help: ArgumentHelp("A bundle; may be repeated.", valueName: "bundle"), completion: .directory)
  var model: [String] = []

  @Option(
    help: ArgumentHelp("A folder of bundles, or a bundle.", valueName: "folder"),
    completion: .directory)
  var models: String?

  @Option(name: .customLong("accelerator"), help: AcceleratorChoice.help)
  var accelerator: AcceleratorChoice?

  @Option(help: "How JPEG files are decoded: exact, high or fast, as in 'tensorio run'.")
  var decode: DecodeScaling = .exact

  @Option(
    help: ArgumentHelp(
      "The output values in each row: all, none, or this many of the highest (default: 5, or all "
        + "for a test bundle).", valueName: "all|none|n"))
  var outputs: KeptOutputs?

  func validate() throws {
    try checkUsage(
      !model.isEmpty || models != nil, "Name the models: --model BUNDLE, or --models FOLDER.")
  }

  func apply(to options: inout EvaluationOptions) {
    options.decoder.scaling = decode
    options.kept = outputs
    options.accelerator = accelerator == .cpu ? nil : accelerator?.rawValue
    options.fetch = ObjectStore.bytes
  }

  /// The paths of the bundles that are named.
  ///
  /// A bundle in place of a folder of bundles is meant as a bundle.
  private var bundlePaths: [String] { model + (models.map { isBundle($0) ? [$0] : [] } ?? []) }

  private func isBundle(_ path: String) -> Bool {
    FileSystem.isFile(path + "/model.json")
  }

  /// Checks that the named bundles have a model with inputs, before a dataset is read for them.
  func checkInputs() throws {
    for path in bundlePaths {
      let manifest = try ModelBundle(path).manifest
      guard manifest.isPlaceholder || manifest.inputs.isEmpty else { continue }
      throw TensorIOError(
        .unsupportedModel,
        "'\(path)' "
          + (manifest.isPlaceholder ? "is a placeholder without a model." : "takes no input."))
    }
  }

  /// Checks that the named bundles take what the dataset consists of.
  private func check(_ bundles: [ModelBundle], for dataset: Dataset) throws {
    guard dataset.content != .values else { return }
    for bundle in bundles where !bundle.takes(dataset.content) {
      let inputs = bundle.manifest.inputs.map { "'\($0.name)' (\($0.words))" }
      throw TensorIOError(
        .unsupportedModel,
        "'\(bundle.path)' takes \(inputs.joined(separator: ", ")), but the dataset has "
          + "\(dataset.content.plural), for models that take a single "
          + "one. 'tensorio run' and 'tensorio bench' run any model.")
    }
  }

  /// Opens the bundles without duplicates, and prints their warnings.
  ///
  /// If the dataset names models, those are taken from the folder. Otherwise, all models are used
  /// that take what the dataset consists of.
  func bundles(for dataset: Dataset) throws -> [ModelBundle] {
    let ids = dataset.modelIDs
    var bundles = try Set(bundlePaths).sorted().map { try ModelBundle($0) }
    try check(bundles, for: dataset)
    if let models, !isBundle(models) {
      let library = try ModelLibrary(scanning: models)
      for (path, error) in library.failures {
        Console.printMessage("warning: \(path) is skipped: \(error.message)")
      }
      let found =
        try ids.isEmpty
        ? library.bundles.filter { $0.takes(dataset.content) }
        : Self.choose(ids, from: library, in: models)
      bundles += found.filter { bundle in !bundles.contains { $0.path == bundle.path } }
      if bundles.isEmpty {
        throw TensorIOError(
          .fileNotFound,
          "'\(models)' has no bundle of a model that takes "
            + (dataset.content == .values
              ? "numbers." : "a single \(dataset.content.noun)."))
      }
    }
    var paths: [String: String] = [:]
    for bundle in bundles {
      if let other = paths.updateValue(bundle.path, forKey: bundle.manifest.id) {
        throw TensorIOError(
          .invalidOption,
          "'\(other)' and '\(bundle.path)' have the same id, '\(bundle.manifest.id)', so their "
            + "results can't be told apart. Change \"id\" in one model.json, or name one bundle."
        )
      }
    }
    for bundle in bundles {
      for warning in bundle.warnings {
        Console.printMessage("warning: \(bundle.path): \(warning)")
      }
    }
    return bundles
  }

  private static func choose(
    _ ids: [String], from library: ModelLibrary, in folder: String
  ) throws -> [ModelBundle] {
    var chosen: [ModelBundle] = []
    for id in ids {
      if let bundle = library[id: id] {
        chosen.append(bundle)
      } else {
        Console.printMessage("warning: '\(folder)' has no model with the id '\(id)'.")
      }
    }
    guard chosen.isEmpty else { return chosen }
    let found = library.bundles.map { "'\($0.manifest.id)'" }.joined(separator: ", ")
    throw TensorIOError(
      .fileNotFound,
      "'\(folder)' has none of the models that the test bundle requires: "
        + ids.map { "'\($0)'" }.joined(separator: ", ")
        + (found.isEmpty
          ? "; it has no bundles." : "; it has \(found). Pass --model to choose another."))
  }
}

extension ModelManifest.Layer {
  fileprivate var words: String {
    switch kind {
    case .array:
      coding == nil
        ? "numbers"
        : coding?.type == "audio" ? "a recording" : coding?.type == "text" ? "a text" : "a row"
    case .scalar: "a number"
    case .imageInput, .imageOutput: "an image"
    case .classMap: "a class map"
    case .string: "text or bytes"
    }
  }
}

extension ModelBundle {
  /// Whether the model takes the samples of a dataset.
  ///
  /// If it takes images or recordings, it takes nothing else. Values can be for any model.
  fileprivate func takes(_ content: Dataset.Content) -> Bool {
    guard !manifest.isPlaceholder, let input = manifest.inputs.first else { return false }
    let isImage = if case .imageInput = input.kind { true } else { false }
    let isRecording = input.coding?.type == "audio"
    return switch content {
    case .images: isImage && manifest.inputs.count == 1
    case .recordings: isRecording && manifest.inputs.count == 1
    case .values: !isImage && !isRecording
    }
  }
}
