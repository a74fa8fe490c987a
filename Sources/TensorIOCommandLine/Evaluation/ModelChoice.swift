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

  @Option(help: ArgumentHelp("A folder of bundles.", valueName: "folder"), completion: .directory)
  var models: String?

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
    options.fetch = ImageDownload.bytes
  }

  /// Checks that the named bundles take an image or a recording, before a dataset is read for them.
  func checkInputs() throws {
    for path in model {
      let bundle = try ModelBundle(path)
      guard !bundle.takesImage, !bundle.takesRecording else { continue }
      let inputs = bundle.manifest.inputs.map { "'\($0.name)' (\($0.words))" }
      throw TensorIOError(
        .unsupportedModel,
        "'\(path)' "
          + (bundle.manifest.isPlaceholder
            ? "is a placeholder without a model. "
            : "takes \(inputs.isEmpty ? "no input" : inputs.joined(separator: ", ")). ")
          + "'evaluate' and 'bulk' run models that take a single image or recording; 'tensorio run' "
          + "and 'tensorio bench' run any model.")
    }
  }

  /// Opens the bundles without duplicates, and prints their warnings.
  ///
  /// If the dataset names models, those are taken from the folder. Otherwise, all models are used
  /// that take an image, or a recording if the dataset consists of recordings.
  func bundles(for dataset: Dataset) throws -> [ModelBundle] {
    let ids = dataset.modelIDs
    let isSuitable = dataset.hasRecordings ? \ModelBundle.takesRecording : \.takesImage
    var bundles = try Set(model).sorted().map { try ModelBundle($0) }
    if let models {
      let library = try ModelLibrary(scanning: models)
      for (path, error) in library.failures {
        Console.printMessage("warning: \(path) is skipped: \(error.message)")
      }
      let found =
        try ids.isEmpty
        ? library.bundles.filter { $0[keyPath: isSuitable] }
        : Self.choose(ids, from: library, in: models)
      bundles += found.filter { bundle in !bundles.contains { $0.path == bundle.path } }
      if bundles.isEmpty {
        throw TensorIOError(
          .fileNotFound,
          "'\(models)' has no bundle of a model that takes a single "
            + "\(dataset.hasRecordings ? "recording" : "image").")
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
    case .array: coding == nil ? "numbers" : "a recording"
    case .scalar: "a number"
    case .imageInput, .imageOutput: "an image"
    case .classMap: "a class map"
    case .string: "text or bytes"
    }
  }
}

extension ModelBundle {
  /// Whether the model takes an image and nothing else.
  fileprivate var takesImage: Bool {
    guard !manifest.isPlaceholder, manifest.inputs.count == 1 else { return false }
    if case .imageInput = manifest.inputs[0].kind { return true }
    return false
  }

  /// Whether the model takes a recording and nothing else.
  fileprivate var takesRecording: Bool {
    !manifest.isPlaceholder && manifest.inputs.count == 1
      && manifest.inputs[0].coding?.type == "audio"
  }
}
