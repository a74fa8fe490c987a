// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// What a trained model is for: the signature and the layers of its inference.
struct PredictionLayers {
  /// An output: one that model.json describes, or one of the model's own.
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

  /// The names of the inputs, all of them described.
  let inputs: [String]
  /// The names of the placeholders, all of them described.
  let placeholders: [String]
  let outputs: [Output]
  /// The key of the signature to run; nil where the model has only one.
  let signatureKey: String?

  private let model: any TrainableLoadedModel
  private let signature: SignatureDescription

  /// Chooses the layers.
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - manifest: The description of its training.
  ///   - signatureKey: The signature that is run instead of the one in model.json.
  ///   - names: The outputs to have; nil for those of inference.
  /// - Throws: ``TensorIOError`` when an output is not known.
  init(
    of model: any TrainableLoadedModel, _ manifest: ModelManifest, signatureKey: String?,
    outputs names: [String]?
  ) throws {
    let key = signatureKey ?? manifest.model.signature
    let own = model.signatures.first { $0.key == key } ?? model.signatures[0]
    let described = manifest.outputs.map(\.name)
    let inputNames = manifest.inputs.map(\.name)
    let placeholderNames = manifest.placeholders.map(\.name)
    func needed(_ inputs: [String], _ outputs: [String]) -> [String] {
      model.inputs(inputs, neededFor: outputs)
    }
    if let names {
      try Self.check(names)
      inputs = needed(inputNames, names)
      let layers = LayerNames(inputs: inputs, outputs: names)
      guard let found = Self.signature(with: layers, among: [own] + model.signatures, of: model)
      else {
        throw Self.unknown(names, described, model, own)
      }
      signature = found
      outputs = try names.map { name in
        if described.contains(name) { return .described(name) }
        guard let tensor = found.outputs.first(where: { $0.name == name }), tensor.isArray else {
          throw TensorIOError(
            .unsupportedModel,
            "The output '\(name)' is no array of numbers of a known shape; describe it in "
              + "model.json to export it.")
        }
        return .tensor(tensor)
      }
    } else if let serving = Self.servingSignature(of: model, fed: inputNames, placeholderNames) {
      let fed = Set(serving.inputs.map(\.name))
      inputs = inputNames.filter(fed.contains)
      let all = inputNames + placeholderNames
      let kept = described.filter { name in
        let layers = LayerNames(inputs: Array(fed), outputs: [name])
        return needed(all, [name]).allSatisfy(fed.union(placeholderNames).contains)
          && model.describe(layers, in: serving).outputs.contains { $0.name == name }
      }
      outputs =
        kept.map(Output.described)
        + serving.outputs.filter { $0.isArray && !described.contains($0.name) }.map(Output.tensor)
      signature = serving
    } else {
      (inputs, outputs, signature) = (inputNames, described.map(Output.described), own)
    }
    placeholders = needed(placeholderNames, outputs.map(\.name))
    self.signatureKey = model.signatures.count > 1 ? signature.key : nil
    self.model = model
  }

  /// Compares the bundle that was written with the model.
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

  /// A signature that takes less than the training does.
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

  /// The first signature in which all names have a tensor.
  private static func signature(
    with layers: LayerNames, among signatures: [SignatureDescription], of model: any LoadedModel
  ) -> SignatureDescription? {
    signatures.lazy.map { model.describe(layers, in: $0) }.first { signature in
      layers.inputs.allSatisfy { name in signature.inputs.contains { $0.name == name } }
        && layers.outputs.allSatisfy { name in signature.outputs.contains { $0.name == name } }
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
    let list = known.map { "'\($0)'" }.joined(separator: ", ")
    let missing = names.first { name in
      !known.contains(name)
        && !model.describe(LayerNames(inputs: [], outputs: [name]), in: own).outputs
          .contains { $0.name == name }
    }
    guard let missing else {
      return TensorIOError(
        .unknownOutput,
        "No signature of the model has \(names.map { "'\($0)'" }.joined(separator: ", ")) "
          + "together; export them one by one.")
    }
    return TensorIOError(
      .unknownOutput,
      "The model has no output '\(missing)'; its outputs are \(list).")
  }
}

extension TensorDescription {
  /// Whether an array layer can describe it.
  fileprivate var isArray: Bool {
    dataType != nil && dataType != .string && !rankIsUnknown
      && shape.dropFirst().allSatisfy { $0 > 0 } && shape.first != 0
  }
}
