// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The signature and the layers that a trained model has for inference.
struct PredictionLayers {
  /// An output that model.json describes, or a tensor of the model.
  enum Output {
    case described(String)
    case tensor(TensorDescription)

    var name: String {
      switch self {
      case .described(let name): name
      case .tensor(let tensor): tensor.name
      }
    }
  }

  /// The names of the inputs, all of which model.json describes.
  let inputs: [String]
  /// The names of the placeholders, all of which model.json describes.
  let placeholders: [String]
  let outputs: [Output]
  /// The key of the signature to run; nil when the model has only one.
  let signatureKey: String?
  /// Whether the caller named no outputs and the outputs that were found need every training input,
  /// including the labels.
  let isForTraining: Bool

  private let model: any TrainableLoadedModel
  private let signature: SignatureDescription

  /// Chooses the layers: those of the named outputs, or those for inference.
  init(
    of model: any TrainableLoadedModel, _ manifest: ModelManifest, signatureKey: String?,
    outputs names: [String]?
  ) throws {
    let key = signatureKey ?? manifest.model.signature
    let own = model.signatures.first { $0.key == key } ?? model.signatures[0]
    let described = manifest.outputs.map(\.name)
    let inputNames = manifest.inputs.map(\.name)
    let placeholderNames = manifest.placeholders.map(\.name)
    let fed = inputNames + placeholderNames
    let needed: [String]
    if let names {
      try Self.check(names)
      let candidates = Self.candidates(
        for: names, own, of: model, operations: manifest.trainingOperations)
      guard let match = Self.signature(with: names, fed: fed, among: candidates, of: model) else {
        throw Self.unknown(names, described, model, own)
      }
      let found = match.signature
      (signature, needed) = match
      outputs = try names.map { name in
        if described.contains(name) { return .described(name) }
        guard let tensor = found.outputs.first(where: { $0.name == name }), tensor.isArray else {
          throw TensorIOError(
            .unsupportedModel,
            "The output '\(name)' isn't an array of numbers with a known shape. To export "
              + "it, describe it in model.json.")
        }
        return .tensor(tensor)
      }
      inputs = inputNames.filter(needed.contains)
    } else if let serving = Self.servingSignature(of: model, fed: inputNames, placeholderNames) {
      let taken = Set(serving.inputs.map(\.name)).union(placeholderNames)
      let kept = described.filter { name in
        Self.resolves([name], fed: fed.filter(taken.contains), in: serving, of: model)
      }
      let more = serving.outputs.filter { $0.isArray && !described.contains($0.name) }
      outputs = kept.map(Output.described) + more.map(Output.tensor)
      signature = serving
      inputs = inputNames.filter(taken.contains)
      needed = Self.needed(fed, for: outputs.map(\.name), in: serving, of: model)
    } else {
      let chosen = Self.predictions(described, own, fed: fed, inputs: inputNames, of: model)
      outputs = chosen ?? described.map(Output.described)
      needed = Self.needed(fed, for: outputs.map(\.name), in: own, of: model)
      // If no output is recognizable as a prediction, keep all inputs, even those that no output
      // needs.
      inputs = chosen == nil ? inputNames : inputNames.filter(needed.contains)
      signature = own
    }
    isForTraining = names == nil && inputNames.count > 1 && inputs.count == inputNames.count
    placeholders = placeholderNames.filter(needed.contains)
    self.signatureKey = model.signatures.count > 1 ? signature.key : nil
    self.model = model
  }

  /// Compares the written bundle with the model.
  ///
  /// - Throws: ``TensorIOError`` when the model would not load.
  func check(_ bundle: ModelBundle, matchesByName: Bool) throws {
    let layers = LayerNames(inputs: inputs + placeholders, outputs: outputs.map(\.name))
    var binder = SignatureBinder(bundle: bundle, matchesByName: matchesByName)
    guard binder.bind(model.describe(layers, in: signature)) == nil else { return }
    let found = binder.issues.filter { $0.severity == .error }.map(\.description)
    throw TensorIOError(
      .unsupportedModel,
      "The trained model does not fit its description: \(found.joined(separator: " "))",
      issues: binder.issues)
  }

  // MARK: - Signatures

  /// Finds a signature that needs fewer inputs than the training does, preferably
  /// `serving_default`.
  private static func servingSignature(
    of model: any LoadedModel, fed inputs: [String], _ placeholders: [String]
  ) -> SignatureDescription? {
    let fitting = model.signatures.filter { signature in
      let fed = signature.inputs.map(\.name)
      return signature.key != "train" && fed.allSatisfy((inputs + placeholders).contains)
        && fed.filter(inputs.contains).count < inputs.count
        && signature.outputs.contains(where: \.isArray)
    }
    return fitting.first { $0.key == "serving_default" } ?? fitting.first
  }

  /// Finds the outputs that can be computed without some of the inputs: those that model.json
  /// describes, or otherwise others of the signature.
  ///
  /// The missing inputs are the labels, which the loss needs and a prediction does not.
  private static func predictions(
    _ described: [String], _ signature: SignatureDescription, fed: [String], inputs: [String],
    of model: any TrainableLoadedModel
  ) -> [Output]? {
    func isPrediction(_ name: String) -> Bool {
      let needed = needed(fed, for: [name], in: signature, of: model)
      let count = inputs.count(where: needed.contains)
      return count > 0 && count < inputs.count
        && resolves([name], fed: needed, in: signature, of: model)
    }
    let found = described.filter(isPrediction)
    guard found.isEmpty else { return found.map(Output.described) }
    let others = signature.outputs.filter { tensor in
      tensor.isArray && !described.contains(tensor.name) && isPrediction(tensor.name)
    }
    return others.isEmpty ? nil : others.map(Output.tensor)
  }

  /// Returns the signatures in the order in which they are tried for some outputs.
  ///
  /// A name that isn't a signature's own is also looked up in the others, so the signatures that list all
  /// names come first. Among them, running one that trains the model would change it.
  private static func candidates(
    for names: [String], _ own: SignatureDescription, of model: any TrainableLoadedModel,
    operations: [String]
  ) -> [SignatureDescription] {
    let all = [own] + model.signatures.filter { $0.key != own.key }
    let listing = all.filter { signature in
      names.allSatisfy { name in signature.outputs.contains { $0.name == name } }
    }
    func trains(_ signature: SignatureDescription) -> Bool {
      let layers = LayerNames(
        inputs: signature.inputs.map(\.name), outputs: names, operations: operations)
      return model.describe(layers, in: signature).isTrainingStep
    }
    let others = all.filter { signature in !listing.contains { $0.key == signature.key } }
    return listing.filter { !trains($0) } + listing.filter(trains) + others
  }

  /// Finds the first signature that has all outputs and needs only inputs that model.json
  /// describes.
  private static func signature(
    with outputs: [String], fed: [String], among signatures: [SignatureDescription],
    of model: any TrainableLoadedModel
  ) -> (signature: SignatureDescription, needed: [String])? {
    for signature in signatures {
      let needed = needed(fed, for: outputs, in: signature, of: model)
      guard resolves(outputs, fed: needed, in: signature, of: model) else { continue }
      let layers = LayerNames(inputs: needed, outputs: outputs)
      return (model.describe(layers, in: signature), needed)
    }
    return nil
  }

  /// Whether a signature has the outputs and can compute them from the fed tensors alone.
  private static func resolves(
    _ outputs: [String], fed: [String], in signature: SignatureDescription,
    of model: any LoadedModel
  ) -> Bool {
    let found = model.describe(LayerNames(inputs: fed, outputs: outputs), in: signature)
    return outputs.allSatisfy { name in found.outputs.contains { $0.name == name } }
      && found.inputs.allSatisfy { fed.contains($0.name) || $0.hasDefault }
  }

  /// Finds the inputs and placeholders that the outputs depend on.
  private static func needed(
    _ fed: [String], for outputs: [String], in signature: SignatureDescription,
    of model: any TrainableLoadedModel
  ) -> [String] {
    // An input with a default may still change the outputs; the graph tells whether it does.
    let known = model.inputs(fed, neededFor: outputs)
    let found = model.describe(LayerNames(inputs: fed, outputs: outputs), in: signature).inputs
    return fed.filter { name in
      found.contains { $0.name == name && (!$0.hasDefault || known.contains(name)) }
    }
  }

  // MARK: - Errors

  private static func check(_ names: [String]) throws {
    guard !names.isEmpty else {
      throw TensorIOError(
        .unknownOutput, "There are no outputs to export; name at least one, or pass nil.")
    }
    for (index, name) in names.enumerated() where names[..<index].contains(name) {
      throw TensorIOError(.unknownOutput, "The output '\(name)' is named twice.")
    }
  }

  private static func unknown(
    _ names: [String], _ described: [String], _ model: any LoadedModel,
    _ own: SignatureDescription
  ) -> TensorIOError {
    var known = described
    for output in model.signatures.flatMap(\.outputs) where !known.contains(output.name) {
      known.append(output.name)
    }
    let missing = names.first { name in
      !known.contains(name)
        && !model.describe(LayerNames(inputs: [], outputs: [name]), in: own).outputs
          .contains { $0.name == name }
    }
    guard let missing else {
      return TensorIOError(
        .unknownOutput,
        "No signature of the model has all of the outputs "
          + "\(quotedList(names)); export them one by one.")
    }
    return TensorIOError(
      .unknownOutput,
      "The model has no output '\(missing)'; its outputs are \(quotedList(known)).")
  }
}

extension TensorDescription {
  /// Whether an array layer can describe the tensor.
  fileprivate var isArray: Bool {
    dataType != nil && dataType != .string && !rankIsUnknown
      && shape.dropFirst().allSatisfy { $0 > 0 } && shape.first != 0
  }
}
