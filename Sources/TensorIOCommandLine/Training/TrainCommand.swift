// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ModelCommands
import ModelTools
import TensorIO

struct TrainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "train", abstract: "Train a model on your data, and export the trained weights.",
    discussion: """
      The bundle needs "train" in model.modes, and the operations of a training step in train.ops.

      Examples:
        tensorio train line.tiobundle --data points.jsonl --epochs 20
        tensorio train cats.tiobundle --data photos --export trained.tiobundle
        tensorio train cats.tiobundle --data photos --placeholder learning_rate=0.1
        tensorio train cats.tiobundle --data photos --restore last --export last
        tensorio train cats.tiobundle --data photos --validation 0.1 \\
          --early-stopping 3 --keep-best --plot loss.svg
        tensorio train cats.tiobundle --data photos --checkpoints run --resume \\
          --schedule learning_rate=cosine:0.01,warmup=100 --tensorboard logs
        tensorio train cats.tiobundle --epochs 0 --restore run/epoch-00007 \\
          --export trained.tiobundle

      A .jsonl file has one object per line, with a value for each input: a number, an array or \
      text. For an image input, it is the path of an image, relative to the .jsonl file's folder:

        {"image": "cats/1.jpg", "label": 0}

      A folder has a folder of images for each class. The image goes into the image input. The \
      class's index among the sorted names goes into the other input.

      Ctrl-C, SIGTERM or a closed output pipe ends the training after the current step; the \
      weights so far are exported, the plot is drawn, and the exit code is 130. The same seed \
      gives the same order of items on every machine. A * marks the best epoch so far.
      """)

  @Argument(help: "The bundle: a folder NAME.tiobundle.", completion: .directory)
  var bundle: String

  @Option(
    help: ArgumentHelp("A .jsonl file, or a folder of classes.", valueName: "path"),
    completion: .file())
  var data: String?

  @Option(
    help: ArgumentHelp(
      "The classes in the order of their indexes (default: sorted by name).", valueName: "a,b,c"))
  var classes: String?

  @Option(
    help: "How many times the model sees all items; 0 exports what --restore has, without --data.")
  var epochs = 1

  @Option(help: "The number of items in a step.")
  var batchSize = 32

  @Option(help: "The seed for the order of the items and for the choice of validation items.")
  var seed: UInt64 = 0

  @Flag(help: "Keep the order of the items, instead of a new order for each epoch.")
  var noShuffle = false

  @Option(
    help: ArgumentHelp(
      "The value of a placeholder, such as learning_rate=0.01; may be repeated.",
      valueName: "name=value"))
  var placeholder: [NamedArgument] = []

  @Option(
    help: ArgumentHelp(
      "The share of the items to keep out of training and to validate on after each epoch.",
      valueName: "share"))
  var validation: Double?

  @Option(
    help: ArgumentHelp("Other data to validate on after each epoch.", valueName: "path"),
    completion: .file())
  var validationData: String?

  @Flag(help: "Export the weights of the best epoch instead of the last.")
  var keepBest = false

  @Option(
    help: ArgumentHelp(
      "Stop after this many epochs in a row without an improvement of the loss, or of what --monitor names.",
      valueName: "patience"))
  var earlyStopping: Int?

  @OptionGroup var loop: LoopArguments

  @OptionGroup var itemOptions: ItemArguments

  @OptionGroup var tracking: TrackerArguments

  @Option(
    help: ArgumentHelp(
      "Start from the weights of the checkpoint in this folder.", valueName: "folder"),
    completion: .directory)
  var restore: String?

  @Option(
    help: ArgumentHelp(
      "Where to write the weights: a path that ends in .tiobundle becomes a new bundle for "
        + "inference; any other path is a folder that receives a checkpoint, and is made if it "
        + "doesn't exist.",
      valueName: "path"), completion: .directory)
  var export: String?

  @Option(
    help: ArgumentHelp(
      "Write the trained model as a bundle of TensorFlow Lite, too, as 'tensorio convert' does.",
      valueName: "name.tiobundle"), completion: .directory)
  var exportTflite: String?

  @OptionGroup var conversion: ConversionArguments

  @Option(
    help: ArgumentHelp(
      "An output of the exported bundle, by its name in model.json or in the model; may be "
        + "repeated. Default: the outputs that don't need the labels, if the model shows which.",
      valueName: "name"))
  var exportOutput: [String] = []

  @Option(
    help: ArgumentHelp("Plot the loss over the steps.", valueName: "loss.svg"),
    completion: .file(extensions: ["svg"]))
  var plot: String?

  @Option(help: "The number of threads for each step.")
  var threads = 1

  @Flag(help: "Print JSON, one line per epoch.")
  var json = false

  func validate() throws {
    let exportsRestored = restore != nil && (export != nil || exportTflite != nil)
    try checkUsage(
      epochs >= 1 || (epochs == 0 && exportsRestored),
      "--epochs takes a positive number, got \(epochs)."
        + (epochs == 0 ? " To export a checkpoint, pass --restore and --export, too." : ""))
    try checkUsage(
      epochs == 0 || data != nil, "Pass --data PATH with the items to train the model on.")
    if epochs == 0, let option = optionOfTraining {
      throw ValidationError(
        "\(option) has no effect with --epochs 0, which only exports a checkpoint. Leave it out.")
    }
    try checkUsage(batchSize >= 1, "--batch-size takes a positive number, got \(batchSize).")
    try checkUsage(
      (1...1024).contains(threads), "--threads takes a number from 1 to 1024, got \(threads).")
    if let validation {
      try checkUsage(
        validation > 0 && validation < 1,
        "--validation takes a share between 0 and 1, got \(validation).")
    }
    if let patience = earlyStopping {
      try checkUsage(patience >= 1, "--early-stopping takes a positive number, got \(patience).")
    }
    try checkUsage(
      restore == nil || !loop.resume,
      "Pass either --restore, for the weights of another training, or --resume.")
    try checkUsage(
      validation == nil || validationData == nil,
      "Pass either --validation or --validation-data, not both.")
    try checkUsage(
      exportOutput.isEmpty || export?.contains(BundleWriter.fileExtension) == true
        || exportTflite != nil || loop.evaluate != nil,
      "--export-output needs --export NAME\(BundleWriter.fileExtension).")
    try checkUsage(
      Set(exportOutput).count == exportOutput.count, "--export-output names an output twice.")
    try checkUsage(
      exportTflite == nil || exportTflite != export,
      "--export and --export-tflite take different names.")
    try checkUsage(
      exportTflite != nil || (conversion.quantize == nil && conversion.python == nil),
      "--quantize and --python need --export-tflite NAME\(BundleWriter.fileExtension).")
    if let plot {
      try checkUsage(
        plot.lowercased().hasSuffix(".svg"),
        "--plot takes a path that ends in .svg, got '\(plot)'.")
    }
  }

  func run() throws {
    // A request before the first step would otherwise end the process.
    Interruption.takeCheckpointRequests()
    let target = export.map { ExportTarget(path: $0, outputs: exportOutput) }
    try target?.check()
    let lite = try makeConversion()
    try plot.map(LossPlot.checkFile)
    try checkRestore()
    if epochs == 0 { return try exportRestored(to: target, lite) }
    let bundle = try ModelBundle(bundle)
    let model = try TrainableModel(
      bundle: bundle,
      loader: ModelLoader(backends: Backends.all, sessionOptions: SessionOptions(threads: threads)))
    // Read the data before the model is loaded, because loading takes longer.
    let data = try readData(for: itemOptions.dataSignature(of: ModelSignature(of: bundle)))
    var trainer = try makeTrainer(model, data)
    for warning in try model.loadWarnings() { Console.printMessage("warning: \(warning)") }
    let classes = data.training.classes.map(\.name)
    for warning in bundle.labelWarnings(classes) { Console.printMessage("warning: " + warning) }
    let signature = try model.loadSignature()
    try data.training.checkValues(for: signature)
    try data.training.checkImages(for: signature, trainer.options.augmentations)
    try data.validation?.checkValues(for: signature)
    try target?.check(model)
    if let restore { try model.restore(from: restore) }
    try lite?.check(model, outputs: outputsToExport, classes: classes)
    let before = try loop.addEvaluation(
      to: &trainer.options, of: model, outputs: exportOutput, classes: classes)
    try trainer.check()
    if let path = itemOptions.augmentedSamples {
      try AugmentedSheet.write(to: path, data.training.items, trainer.options, signature)
      Console.printMessage("augmented samples: \(path)")
    }
    let trackers = try tracking.trackers(
      parameters(of: trainer.options), checkpoints: loop.checkpoints, resumes: loop.resume)
    if !before.isEmpty {
      let shown = EpochPrinter.shown(before, monitored: trainer.options.monitoredMetric)
      let values = shown.map { "\($0.name) \($0.value.shortText(digits: 4))" }
      Console.printMessage("before the training: " + values.joined(separator: ", "))
    }
    var session = TrainingSession(trainer, trackers: trackers, asJSON: json) {
      printClasses(of: data.training)
    }
    let result = Result { try signature.namingOption { try session.train() } }
    // Keep what was learned before a failure, and plot the steps so far.
    let export = Result { try self.export(model, to: target, after: result, session, classes) }
    if let plot, !session.curve.isEmpty {
      try LossPlot(session.curve).write(to: plot)
      Console.printMessage("plot: \(plot)")
    }
    try result.get()
    try export.get()
    do {
      try exportTflite(model, lite, classes: classes)
    } catch {
      if target == nil, let folder = ExportTarget.rescue(model) {
        Console.printMessage("the weights were saved in \(folder) instead")
      }
      throw error
    }
    if session.outcome == .interrupted { throw Interruption.exitCode }
  }

  /// Returns the conversion to TensorFlow Lite, whose destination was checked.
  private func makeConversion() throws -> LiteRTConversion? {
    guard let exportTflite else { return nil }
    try BundleWriter(destination: exportTflite).checkDestination()
    return try LiteRTConversion(conversion)
  }

  private func export(
    _ model: TrainableModel, to target: ExportTarget?, after result: Result<Void, any Error>,
    _ session: TrainingSession, _ classes: [String]
  ) throws {
    guard let target else { return }
    if case .failure(let error) = result {
      // Weights that have diverged are useless, and would replace an earlier checkpoint. Export
      // them only if the weights of the best epoch were restored.
      let hasDiverged = (error as? TensorIOError)?.code == .trainingDiverged
      if session.curve.isEmpty || (hasDiverged && !(keepBest && session.hasBest)) { return }
    }
    do {
      Console.printMessage("exported: \(try target.write(model, classes: classes))")
    } catch {
      if let folder = ExportTarget.rescue(model) {
        Console.printMessage("the weights were saved in \(folder) instead")
      }
      throw error
    }
  }

  func readData(
    for signature: ModelSignature
  ) throws -> (training: TrainingData, validation: TrainingData?) {
    try TrainingData.pair(
      data ?? "", validation: validationData, for: signature, classes: classNames)
  }

  /// Prints the classes of a folder.
  private func printClasses(of data: TrainingData) {
    for (index, folder) in data.classes.enumerated() {
      Console.printMessage(
        "class \(index)  \(folder.name.printable)  " + counted(folder.count, "image"))
    }
  }

  private func makeTrainer(
    _ model: TrainableModel, _ data: (training: TrainingData, validation: TrainingData?)
  ) throws -> Trainer {
    let signature = ModelSignature(of: model.bundle)
    var options = TrainingOptions(
      epochs: epochs, batchSize: batchSize,
      placeholders: try placeholder.placeholders(of: signature))
    options.shuffles = !noShuffle
    options.seed = seed
    options.validationShare = validation ?? 0
    options.earlyStopping = earlyStopping.map { EarlyStopping(patience: $0) }
    options.keepsBest = keepBest
    try loop.apply(to: &options, signature)
    try itemOptions.apply(to: &options, data.training, signature)
    options.notes = notes(data.training, data.validation)
    var trainer = Trainer(
      model, data: data.training.items, validation: data.validation?.items, options: options)
    trainer.nameItems(
      data: data.training.nameOfItem, validation: (data.validation ?? data.training).nameOfItem)
    return trainer
  }

  /// Returns the settings that decide the results, apart from those of the trainer's own options.
  private func notes(_ data: TrainingData, _ validation: TrainingData?) -> [String: String] {
    var notes: [String: String] = [:]
    for (option, items) in zip(TrainingData.options, [data, validation]) {
      notes[option] = items.map { "\($0.checksum)" }
    }
    notes["--balance"] = itemOptions.balance
    notes["--class-weights"] = itemOptions.classWeights.map { "\($0.name)=\($0.value)" }
    if loop.dependsOnEpochs { notes["--epochs"] = "\(epochs)" }
    for argument in placeholder + loop.schedule { notes[argument.name] = argument.value }
    return notes
  }

  /// Returns the settings of the training, as trackers show them.
  private func parameters(of options: TrainingOptions) -> [(name: String, value: String)] {
    var parameters = [
      ("bundle", bundle), ("data", data ?? ""), ("epochs", "\(epochs)"),
      ("batch_size", "\(batchSize)"), ("seed", "\(seed)"), ("version", Version.current),
    ]
    parameters += placeholder.map { ($0.name, $0.value) }
    parameters += loop.schedule.map { ($0.name, $0.value) }
    if let validation { parameters.append(("validation", "\(validation)")) }
    if let earlyStopping { parameters.append(("early_stopping", "\(earlyStopping)")) }
    if !options.augmentations.isEmpty {
      let changes = options.augmentations.map(\.description)
      parameters.append(("augmentations", changes.joined(separator: " ")))
    }
    return parameters
  }
}
