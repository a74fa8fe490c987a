// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ModelCommands
import ModelTools
import TensorIO

extension TrainCommand {
  /// Checks that `--restore` names a folder with a checkpoint, before the model is loaded.
  func checkRestore() throws {
    guard let restore else { return }
    guard FileSystem.isFolder(restore) else {
      throw TensorIOError(.fileNotFound, "There is no folder '\(restore)' with a checkpoint.")
    }
    let names = try FileSystem.contents(of: restore)
    guard !names.contains(where: { $0.hasPrefix("checkpoint") }) else { return }
    let checkpoints = names.filter { name in
      name.hasPrefix("epoch-") && FileSystem.isFile("\(restore)/\(name)/training.json")
    }
    guard let last = TrainingState.sorted(folders: checkpoints).last else { return }
    throw TensorIOError(
      .invalidOption,
      "'\(restore)' has the checkpoints of a training, and --restore takes one of them. The last one "
        + "is '\(restore)/\(last)'. To continue that training, pass --checkpoints \(restore) --resume."
    )
  }

  /// An option that was given although it is only for training; nil if there is none.
  var optionOfTraining: String? {
    let options = [
      ("--validation", validation != nil), ("--validation-data", validationData != nil),
      ("--keep-best", keepBest), ("--early-stopping", earlyStopping != nil),
      ("--plot", plot != nil),
      ("--checkpoints", loop.checkpoints != nil), ("--resume", loop.resume),
      ("--schedule", !loop.schedule.isEmpty), ("--monitor", loop.monitor != nil),
      ("--evaluate", loop.evaluate != nil), ("--augment", !itemOptions.augment.isEmpty),
      ("--balance", itemOptions.balance != nil),
      ("--class-weights", itemOptions.classWeights != nil),
      ("--tensorboard", tracking.tensorboard != nil), ("--mlflow", tracking.mlflow != nil),
    ]
    return options.first { $0.1 }?.0
  }

  /// Exports the weights of a checkpoint as they are, for `--epochs 0`.
  func exportRestored(to target: ExportTarget?, _ lite: LiteRTConversion?) throws {
    let bundle = try ModelBundle(bundle)
    let model = try TrainableModel(bundle: bundle, loader: ModelLoader(backends: Backends.all))
    var classes = classNames ?? []
    if data != nil {
      let signature = try itemOptions.dataSignature(of: ModelSignature(of: bundle))
      classes = try readData(for: signature).training.classes.map(\.name)
    }
    for warning in try model.loadWarnings() { Console.printMessage("warning: \(warning)") }
    try target?.check(model)
    if let restore { try model.restore(from: restore) }
    if let target {
      Console.printMessage("exported: \(try target.write(model, classes: classes))")
    }
    try exportTflite(model, lite, classes: classes)
  }

  /// The value of `--classes`; nil without the option.
  var classNames: [String]? {
    classes.map { $0.split(separator: ",").map(String.init) }
  }

  /// The outputs of `--export-output`; nil without the option.
  var outputsToExport: [String]? { exportOutput.isEmpty ? nil : exportOutput }

  /// Writes the bundle of `--export-tflite`, if there is one.
  func exportTflite(
    _ model: TrainableModel, _ lite: LiteRTConversion?, classes: [String]
  ) throws {
    guard let exportTflite, let lite else { return }
    let comparison = try lite.export(
      model, outputs: outputsToExport, classes: classes, to: exportTflite)
    Console.printMessage("exported: \(exportTflite) (\(comparison.text))")
  }
}
