// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import TensorIO

/// The command `tensorio train`.
struct TrainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "train", abstract: "Train a model on your data, and export what it has learned.",
    discussion: """
      The bundle has "train" in model.modes, and the operations of a step in train.ops.

      Examples:
        tensorio train line.tiobundle --data points.jsonl --epochs 20
        tensorio train cats.tiobundle --data photos --export trained.tiobundle
        tensorio train cats.tiobundle --data photos --placeholder learning_rate=0.1
        tensorio train cats.tiobundle --data photos --restore last --export last
        tensorio train cats.tiobundle --data photos --validation 0.1 \\
          --early-stopping 3 --keep-best --plot loss.svg

      A .jsonl file has an object a line, with a value for each input: a number, an array, text, or \
      for an image the path of a picture, from the file's own folder:

        {"image": "cats/1.jpg", "label": 0}

      A folder has a folder of pictures for each class. The picture goes into the image input, the \
      class's index among the sorted names into the other.

      Ctrl-C, SIGTERM, and an output that nobody reads end the training after the step under way; \
      what was learned is exported and plotted. \
      The same seed trains in the same order on every machine. A * marks the best epoch so far.
      """)

  @Argument(help: "The bundle: a folder NAME.tiobundle.", completion: .directory)
  var bundle: String

  @Option(
    help: ArgumentHelp("A .jsonl file, or a folder of classes.", valueName: "path"),
    completion: .file())
  var data: String

  @Option(help: "How often the model sees all items.")
  var epochs = 1

  @Option(help: "The number of items in a step.")
  var batchSize = 32

  @Flag(help: "Keep the order of the items; else each epoch has its own.")
  var noShuffle = false

  @Option(help: "What the orders and the choice of the validation items come from.")
  var seed: UInt64 = 0

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "What is fed beside the inputs, as learning_rate=0.01; may be repeated.",
      valueName: "name=value"))
  var placeholder: [NamedArgument] = []

  @Option(
    help: ArgumentHelp(
      "The share of the items to try the model on after each epoch, and never train on.",
      valueName: "share"))
  var validation: Double?

  @Option(
    help: ArgumentHelp("Other data to try the model on after each epoch.", valueName: "path"),
    completion: .file())
  var validationData: String?

  @Option(
    help: ArgumentHelp(
      "The order of the classes' indexes, when it is not that of their names.",
      valueName: "a,b,c"))
  var classes: String?

  @Option(
    help: ArgumentHelp(
      "End after this many epochs in which the first output got no lower.",
      valueName: "patience"))
  var earlyStopping: Int?

  @Flag(help: "Export the weights of the best epoch, not of the last.")
  var keepBest = false

  @Option(
    help: ArgumentHelp("Begin with the checkpoint in this folder.", valueName: "folder"),
    completion: .directory)
  var restore: String?

  @Option(
    help: ArgumentHelp(
      "Write what was learned: a path that ends in .tiobundle becomes a new bundle that predicts; "
        + "into any other folder, which must exist, a checkpoint is written.", valueName: "path"),
    completion: .directory)
  var export: String?

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "An output of the exported bundle, by its name in model.json or in the model; may be repeated. "
        + "Default: the outputs that do not need the labels, where the model tells.",
      valueName: "name"))
  var exportOutput: [String] = []

  @Option(
    help: ArgumentHelp("Draw the loss over the steps.", valueName: "loss.png|loss.svg"),
    completion: .file(extensions: ["png", "svg"]))
  var plot: String?

  @Option(help: "Threads inside one step.")
  var threads = 1

  @Flag(help: "Print JSON, an object a line for each epoch.")
  var json = false

  func validate() throws {
    func check(_ isRight: Bool, _ option: String, _ takes: String, _ found: Any) throws {
      if !isRight { throw ValidationError("\(option) takes \(takes), got \(found).") }
    }
    try check(epochs >= 1, "--epochs", "a positive number", epochs)
    try check(batchSize >= 1, "--batch-size", "a positive number", batchSize)
    try check((1...1024).contains(threads), "--threads", "a number from 1 to 1024", threads)
    if let validation {
      try check(
        validation > 0 && validation < 1, "--validation", "a share between 0 and 1", validation)
    }
    if let earlyStopping {
      try check(earlyStopping >= 1, "--early-stopping", "a positive number", earlyStopping)
    }
    guard validation == nil || validationData == nil else {
      throw ValidationError("Pass either --validation or --validation-data, not both.")
    }
    guard exportOutput.isEmpty || export?.contains(BundleWriter.fileExtension) == true else {
      throw ValidationError(
        "--export-output goes with --export NAME\(BundleWriter.fileExtension).")
    }
    if let plot { _ = try PlotFile(plot) }
  }

  func run() throws {
    let target = export.map { ExportTarget(path: $0, outputs: exportOutput) }
    try target?.check()
    let plotFile = try plot.map(PlotFile.init)
    try plotFile?.checkFolder()
    if let restore, !FileSystem.isFolder(restore) {
      throw TensorIOError(.fileNotFound, "There is no folder '\(restore)' with a checkpoint.")
    }
    let bundle = try ModelBundle(bundle)
    let model = try TrainableModel(
      bundle: bundle,
      loader: ModelLoader(
        backends: Backends.all, sessionOptions: SessionOptions(threads: threads)))
    // The data is read before the model is loaded: that takes longer.
    let data = try readData(for: ModelSignature(of: bundle))
    let trainer = try makeTrainer(model, data)
    for warning in try model.warnings { Console.printMessage("warning: \(warning)") }
    try data.training.checkValues(for: model.signature)
    try data.validation?.checkValues(for: model.signature)
    try target?.check(model)
    if let restore { try model.restore(from: restore) }
    var session = TrainingSession(trainer, asJSON: json)
    let result = Result { try model.signature.namingOption { try session.train() } }
    // What was learned before a failure is kept, and what the steps gave is worth a look.
    let export = Result { try self.export(model, to: target, after: result, session) }
    if let plotFile, !session.curve.isEmpty {
      try plotFile.write(session.curve)
      Console.printMessage("plot: \(plotFile.path)")
    }
    try result.get()
    try export.get()
  }

  /// Writes what was learned, if anything was.
  private func export(
    _ model: TrainableModel, to target: ExportTarget?, after result: Result<Void, any Error>,
    _ session: TrainingSession
  ) throws {
    guard let target else { return }
    if case .failure(let error) = result {
      // Weights that are no numbers are worth nothing, unless the best epoch's were brought back;
      // they would replace an earlier checkpoint.
      let hasDiverged = (error as? TensorIOError)?.code == .trainingDiverged
      if session.curve.isEmpty || (hasDiverged && !(keepBest && session.hasBest)) { return }
    }
    do {
      Console.printMessage("exported: \(try target.write(model))")
    } catch {
      if let folder = ExportTarget.rescue(model) {
        Console.printMessage("the weights are in \(folder) instead")
      }
      throw error
    }
  }

  private func readData(
    for signature: ModelSignature
  ) throws -> (training: TrainingData, validation: TrainingData?) {
    let names = classes.map { $0.split(separator: ",").map(String.init) }
    let pair = try TrainingData.pair(
      data, validation: validationData, for: signature, classes: names)
    for (index, pictures) in pair.training.classes.enumerated() {
      Console.printMessage(
        "class \(index)  \(pictures.name.printable)  " + counted(pictures.count, "picture"))
    }
    return pair
  }

  private func makeTrainer(
    _ model: TrainableModel, _ data: (training: TrainingData, validation: TrainingData?)
  ) throws -> Trainer {
    let signature = ModelSignature(of: model.bundle)
    var options = TrainingOptions(
      epochs: epochs, batchSize: batchSize,
      placeholders: try placeholder.values(of: "--placeholder", with: InputReader()) {
        signature.placeholder(named: $0)
      })
    options.shuffles = !noShuffle
    options.seed = seed
    options.validationShare = validation ?? 0
    options.earlyStopping = earlyStopping.map { EarlyStopping(patience: $0) }
    options.keepsBest = keepBest
    var trainer = Trainer(
      model, data: data.training.items, validation: data.validation?.items, options: options)
    trainer.nameItems(
      data: data.training.nameOfItem, validation: (data.validation ?? data.training).nameOfItem)
    return trainer
  }
}
