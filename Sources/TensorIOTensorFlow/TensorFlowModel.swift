// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CTensorFlow
package import TensorIO

/// A SavedModel in memory: its graph, and one TensorFlow session with its variables.
///
/// All its sessions share the variables. Any thread may use the TensorFlow session.
///
/// `@unchecked Sendable` because only the variables change after loading, and TensorFlow guards
/// them.
package final class TensorFlowModel: LoadedModel, @unchecked Sendable {
  static let servingTag = "serve"
  static let trainingTag = "train"

  /// The signatures of the SavedModel; the training signature comes first when loaded for training.
  ///
  /// A model without signatures has a single one with an empty key, whose inputs are the graph's
  /// placeholders.
  package let signatures: [SignatureDescription]
  /// The tags of the graph that was loaded.
  package let tags: [String]
  /// The release of TensorFlow that wrote the model, or an empty string when the model doesn't
  /// state it.
  package let tensorFlowVersion: String

  let library: TensorFlowLibrary
  let graph: TensorFlowGraph
  let session: OpaquePointer
  /// How the session runs without a time limit.
  let runOptions: RunOptionsMessage
  let folder: SavedModelFolder
  /// The names of the operations that save and restore the variables.
  let saverDefinition: SaverMessage
  /// The names of the variables by their paths in checkpoints.
  ///
  /// Empty unless the model is trained, and for TensorFlow 1, whose checkpoints have the names themselves.
  let variables: [String: String]
  /// Whether the file had to be repaired to be loaded.
  let isRepaired: Bool
  let keys: SignatureKeys

  init(
    folder: SavedModelFolder, modes: ModelModes, threads: Int, library: TensorFlowLibrary
  ) throws {
    try folder.check()
    let configuration = TensorFlowConfiguration(threads: threads)
    let loading = SavedModelLoading(library: library, configuration: configuration)
    let loaded = try loading.load(
      folder, tag: modes.contains(.train) ? Self.trainingTag : Self.servingTag)
    self.folder = folder
    self.library = library
    runOptions = RunOptionsMessage(onCallingThread: configuration.runsOnCallingThread)
    graph = loaded.graph
    session = loaded.session
    tags = loaded.metaGraph.tags
    tensorFlowVersion = loaded.metaGraph.tensorFlowVersion
    saverDefinition = loaded.metaGraph.saver
    do {
      variables = try modes.contains(.train) ? loaded.metaGraph.variables() : [:]
    } catch {
      throw folder.damaged(error)
    }
    isRepaired = loaded.isRepaired
    keys = SignatureKeys(loaded.metaGraph, in: graph)
    signatures = keys.descriptions(in: graph, trainingFirst: modes.contains(.train))
    // TensorFlow doesn't report this until the first run, which fails.
    guard saverDefinition.restoreOpName.isEmpty || folder.hasVariables else {
      throw TensorIOError(
        .invalidModel,
        "'\(folder.path)' has variables, but no file \(SavedModelFolder.variables).index. Copy "
          + "the whole SavedModel folder.")
    }
  }

  deinit { library.close(session) }

  /// Returns the tensor of a layer.
  ///
  /// The name is looked up first as an operation's output, then as a key of the signature, and then
  /// as a key of any other signature. A key takes precedence over the operation of a variable
  /// itself, because that has no value that can be read.
  func tensor(named name: String, in signature: String) -> TensorFlowGraph.Tensor? {
    let found = graph.tensor(named: name)
    if let found, !graph.isHandle(found) { return found }
    return keys.tensor(named: name, in: signature) ?? found
  }

  /// Returns the tensors that the value of an input goes into.
  ///
  /// In TensorFlow 2, each signature has placeholders of its own, so a key stands for those of all
  /// signatures whose outputs or training operations are computed. A name of the graph stands for
  /// one tensor.
  ///
  /// - Parameters:
  ///   - name: The name of a layer.
  ///   - signature: The key of the signature that is run.
  ///   - needed: The operations that a run or a training step computes.
  /// - Returns: The tensors, of which the first describes the layer; empty if there is none.
  func inputTensors(
    named name: String, in signature: String, neededFor needed: Set<OpaquePointer>
  ) -> [TensorFlowGraph.Tensor] {
    guard let first = tensor(named: name, in: signature) else { return [] }
    let all = keys.inputs(named: name, in: signature)
    guard all.contains(first) else { return [first] }
    let used = all.filter { needed.contains($0.operation) }
    guard let main = used.first else { return [first] }
    let type = library.functions.OperationOutputType(main.output)
    return used.filter { library.functions.OperationOutputType($0.output) == type }
  }

  /// Returns the operations that a name in `train.ops` stands for.
  ///
  /// This is the operation of that name, or the operations of a signature's outputs if computing
  /// them changes variables.
  func operations(named name: String) -> [OpaquePointer] {
    if let operation = graph.operation(named: name) { return [operation] }
    if let tensor = graph.tensor(named: name) { return [tensor.operation] }
    let outputs = keys.outputs(ofSignature: name).map(\.operation)
    return graph.changesVariables(graph.operations(runFor: outputs, feeding: [])) ? outputs : []
  }

  package func describe(
    _ layers: LayerNames, in signature: SignatureDescription
  ) -> SignatureDescription {
    let outputs = layers.outputs.compactMap { name in
      tensor(named: name, in: signature.key).map { (name: name, tensor: $0) }
    }
    let needed = graph.operations(
      runFor: outputs.map(\.tensor.operation), feeding: [])
    let steps = layers.operations.flatMap { operations(named: $0) }
    let neededWithSteps = needed.union(graph.operations(runFor: steps, feeding: []))
    let inputs = layers.inputs.map { name in
      let tensors = inputTensors(named: name, in: signature.key, neededFor: neededWithSteps)
      return (name: name, tensors: tensors)
    }
    let fed = Set(inputs.flatMap(\.tensors))
    let unfed = graph.placeholders(
      among: graph.operations(runFor: outputs.map(\.tensor.operation), feeding: fed))
    var description = SignatureDescription(key: signature.key, inputs: [], outputs: [])
    for (name, tensors) in inputs {
      guard let tensor = tensors.first else { continue }
      var input = graph.description(of: tensor, name: name)
      // TensorFlow doesn't need a value for an input that no output depends on.
      if !tensors.contains(where: { needed.contains($0.operation) }) { input.hasDefault = true }
      description.inputs.append(input)
    }
    for operation in unfed {
      let tensor = TensorFlowGraph.Tensor(operation: operation, index: 0)
      let own = signature.inputs.first { self.tensor(named: $0.name, in: signature.key) == tensor }
      description.inputs.append(
        graph.description(of: tensor, name: own?.name ?? graph.name(of: operation)))
    }
    description.isTrainingStep = steps.contains { needed.contains($0) }
    description.outputs = outputs.map { graph.description(of: $0.tensor, name: $0.name) }
    return description
  }

  package func makeSession(
    _ signature: SignatureDescription, options: SessionOptions
  ) throws -> any Session {
    try TensorFlowSession(model: self, signature: signature, operations: [], options: options)
  }

  // MARK: - Inspection

  /// Whether the folder has weights in addition to the graph.
  package var hasVariables: Bool { folder.hasVariables }

  /// Returns the graph's own name of a tensor, `operation` or `operation:index`.
  ///
  /// - Parameters:
  ///   - name: A name that a layer may take: an operation, or a key of a signature.
  ///   - signature: One of ``signatures``. Its keys are searched before those of the others.
  /// - Returns: The name, or nil when there is no such tensor.
  package func graphName(of name: String, in signature: SignatureDescription) -> String? {
    tensor(named: name, in: signature.key).map(graph.name)
  }

  /// Returns whether `train.ops` can name an operation.
  ///
  /// The name is either an operation of the graph, or a signature, which stands for the operations
  /// of its outputs.
  package func hasOperation(_ name: String) -> Bool { !operations(named: name).isEmpty }

  /// Returns the placeholders that a signature depends on but doesn't list, such as a learning
  /// rate.
  ///
  /// A placeholder with a default doesn't need a value.
  ///
  /// - Parameters:
  ///   - signature: One of ``signatures``.
  ///   - names: The operations that a training step also runs. Operations that the model doesn't
  ///     have are ignored.
  /// - Returns: The placeholders, sorted by name.
  package func placeholders(
    beside signature: SignatureDescription, operations names: [String] = []
  ) -> [TensorDescription] {
    let outputs = signature.outputs.compactMap { tensor(named: $0.name, in: signature.key) }
    let inputs = signature.inputs.compactMap { tensor(named: $0.name, in: signature.key) }
    let wanted = outputs.map(\.operation) + names.flatMap { operations(named: $0) }
    let needed = graph.operations(runFor: wanted, feeding: Set(inputs))
    return graph.placeholders(among: needed, withDefaults: true).map { operation in
      let tensor = TensorFlowGraph.Tensor(operation: operation, index: 0)
      return graph.description(of: tensor, name: graph.name(of: operation))
    }
  }

  /// The tensors that are computed from a placeholder and that no operation reads.
  ///
  /// These are probably the outputs of a model without signatures.
  package var results: [TensorDescription] {
    graph.results(of: Set(keys.placeholders(in: graph))).map {
      graph.description(of: $0, name: graph.name(of: $0))
    }
  }
}
