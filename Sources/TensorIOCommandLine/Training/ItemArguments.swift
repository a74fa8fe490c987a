// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
import ModelCommands
import ModelTools
public import TensorIO

/// The options of `train` that are about its items: their changes, their weights and how often they are seen.
struct ItemArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Change the images at random in each step, as Keras's layers do: flip, flip=vertical, flip=both, \
      crop=PIXELS, rotation=SHARE,fill=reflect|wrap|constant|nearest, brightness=SHARE, contrast=SHARE, \
      saturation=SHARE, hue=SHARE or mixup=ALPHA; may be repeated, in order.
      """, valueName: "change"))
  var augment: [Augmentation] = []

  @Option(
    help: ArgumentHelp(
      "Write a picture of some items, each with changes by --augment beside it.",
      valueName: "samples.png"), completion: .file(extensions: ["png"]))
  var augmentedSamples: String?

  @Option(
    help: ArgumentHelp(
      "See each class of this input equally often in an epoch, and the items of small classes "
        + "several times.", valueName: "input"))
  var balance: String?

  @Option(
    help: ArgumentHelp(
      """
      Weigh the items of each class of an input: label=balanced, or label=0:1,1:2.5 with a weight for \
      each value, or label=cat:1,dog:2.5 for a folder of classes.
      """, valueName: "input=weights"))
  var classWeights: NamedArgument?

  @Option(
    help: ArgumentHelp(
      "The model's input for the weight of an item (default: weight or sample_weight).",
      valueName: "input"))
  var weightsInput: String?

  func validate() throws {
    try checkUsage(
      balance == nil || classWeights == nil,
      "Pass either --balance or --class-weights: both make up for classes with few items.")
    try checkUsage(
      weightsInput == nil || classWeights != nil, "--weights-input needs --class-weights.")
    if let path = augmentedSamples {
      try checkUsage(!augment.isEmpty, "--augmented-samples needs --augment.")
      try checkUsage(
        path.lowercased().hasSuffix(".png"),
        "--augmented-samples takes a path that ends in .png, got '\(path)'.")
    }
  }

  /// Returns the inputs that the data has values for: all but that of the weights.
  func dataSignature(of signature: ModelSignature) throws -> ModelSignature {
    guard let weights = try weightsInput(of: signature) else { return signature }
    return ModelSignature(
      inputs: signature.inputs.filter { $0.name != weights }, outputs: signature.outputs,
      placeholders: signature.placeholders)
  }

  private func weightsInput(of signature: ModelSignature) throws -> String? {
    guard classWeights != nil else { return nil }
    let names = weightsInput.map { [$0] } ?? ["weight", "sample_weight"]
    if let name = names.first(where: { signature.input(named: $0) != nil }) { return name }
    throw TensorIOError(
      .unknownInput,
      "--class-weights needs an input of the model that multiplies each item's loss, but its inputs are "
        + quotedList(signature.inputs.map(\.name))
        + ". Name it with --weights-input, or use --balance, which needs none.")
  }

  /// Adds the options to those of a trainer.
  func apply(to options: inout TrainingOptions, _ data: TrainingData, _ signature: ModelSignature)
    throws
  {
    options.augmentations = augment
    if let balance {
      let classes = try data.classes(of: spec(balance, "--balance", signature)).numbers
      options.balancedClass = { classes[$0] }
    }
    if let classWeights, let input = try weightsInput(of: signature) {
      let spec = try spec(classWeights.name, "--class-weights", signature)
      let classes = try data.classes(of: spec)
      options.itemWeights = try Self.weights(
        classWeights.value, classes, names: data.classes.map(\.name), input: input)
    }
  }

  private func spec(
    _ name: String, _ option: String, _ signature: ModelSignature
  ) throws -> TensorSpec {
    guard let spec = signature.input(named: name) else {
      throw TensorIOError(
        .unknownInput,
        "\(option) names '\(name)', but the model's inputs are "
          + quotedList(signature.inputs.map(\.name)) + ".")
    }
    return spec
  }

  /// Reads `balanced`, `0:1,1:2.5` or `cat:1,dog:2.5`.
  private static func weights(
    _ text: String, _ classes: TrainingData.ItemClasses, names: [String], input: String
  ) throws -> ItemWeights {
    if text == "balanced" { return ItemWeights(input: input, balancing: classes.numbers) }
    func refuse(_ message: String) -> TensorIOError {
      TensorIOError(.invalidOption, "--class-weights " + message)
    }
    let example =
      names.isEmpty ? "VALUE:WEIGHT, such as 0:1,1:2.5" : "CLASS:WEIGHT, such as cat:1,dog:2.5"
    var weights = [Double?](repeating: nil, count: classes.values.count)
    for pair in text.split(separator: ",") {
      // A class's name may contain a colon.
      guard let colon = pair.lastIndex(of: ":"),
        let weight = Double(pair[pair.index(after: colon)...]), weight >= 0, weight.isFinite
      else {
        throw refuse("takes 'balanced' or \(example), with weights from 0; got '\(pair)'.")
      }
      let key = String(pair[..<colon])
      let value = names.firstIndex(of: key).map(Double.init) ?? Double(key)
      guard let number = value.flatMap({ classes.values.firstIndex(of: [$0]) }) else {
        throw refuse(
          names.isEmpty
            ? "has the value \(key), which no item has."
            : "has '\(key)', but the classes are \(quotedList(names)).")
      }
      guard weights[number] == nil else {
        throw refuse("has the weight of \(name(of: classes.values[number], names)) twice.")
      }
      weights[number] = weight
    }
    if let number = weights.firstIndex(of: nil) {
      throw refuse(
        "lacks the weight of \(name(of: classes.values[number], names)), which items have.")
    }
    let all = classes.numbers.map { weights[$0] ?? 1 }
    return ItemWeights(input: input) { all[$0] }
  }

  /// Returns what errors call a class.
  private static func name(of values: [Double], _ names: [String]) -> String {
    if let index = values.first.flatMap(Int.init(exactly:)), names.indices.contains(index) {
      return "the class '\(names[index])'"
    }
    return "the value " + values.map { $0.shortText(digits: 4) }.joined(separator: ", ")
  }
}

/// An augmentation as words, such as `rotation=0.05,fill=wrap`.
extension Augmentation: ExpressibleByArgument {
  public init?(argument: String) {
    let parts = argument.split(separator: ",", omittingEmptySubsequences: false)
    let head = parts[0].split(separator: "=", maxSplits: 1).map(String.init)
    guard let name = head.first, parts.count == 1 || name == "rotation" else { return nil }
    let value = head.count == 2 ? head[1] : nil
    let number = value.flatMap(Double.init)
    switch (name, number) {
    case ("flip", nil):
      guard let mode = FlipMode(rawValue: value ?? "horizontal") else { return nil }
      self = .flip(mode)
    case ("crop", let margin?):
      guard let margin = Int(exactly: margin) else { return nil }
      self = .crop(margin: margin)
    case ("rotation", let factor?):
      var fill = FillMode.reflect
      for part in parts.dropFirst() {
        guard part.hasPrefix("fill="), let mode = FillMode(rawValue: String(part.dropFirst(5)))
        else { return nil }
        fill = mode
      }
      self = .rotation(factor, fill: fill)
    case ("brightness", let factor?): self = .brightness(factor)
    case ("contrast", let factor?): self = .contrast(factor)
    case ("saturation", let factor?): self = .saturation(factor)
    case ("hue", let factor?): self = .hue(factor)
    case ("mixup", let alpha?): self = .mixUp(alpha: alpha)
    case ("mixup", nil) where value == nil: self = .mixUp()
    default: return nil
    }
  }
}
