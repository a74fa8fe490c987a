// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Makes models from bundles, using its backends and the program's own model classes.
///
/// ```swift
/// let loader = ModelLoader(backends: [.liteRT], classes: ["MyModel": MyModel.self])
/// let model = try loader.model(at: "mobilenet.tiobundle")
/// ```
public struct ModelLoader: Sendable {
  /// The runtimes that the loader can use.
  public var backends: [any Backend]
  /// The program's own model classes, by the name that model.json's `class` uses.
  public var classes: [String: any Model.Type]
  /// The number of runs of one model that can happen at once.
  public var sessions: Int
  /// The number of runs of one model that can wait for a session; another one is an error.
  public var mostWaiting: Int
  /// How each session runs.
  public var sessionOptions: SessionOptions
  /// The key of the signature to run; nil uses the one that model.json names, or the model's first.
  public var signatureKey: String?
  /// Is told about the runs of every model, if set.
  public var observer: (any RunObserver)?

  /// Makes a loader.
  ///
  /// - Parameters:
  ///   - backends: The runtimes that the loader can use.
  ///   - classes: The program's own model classes, by the name that model.json's `class` uses.
  ///   - sessions: The number of runs of one model that can happen at once.
  ///   - mostWaiting: The number of runs of one model that can wait for a session. Another one fails
  ///     with the code ``TensorIOError/Code/overloaded``.
  ///   - sessionOptions: How each session runs.
  ///   - signatureKey: The key of the signature to run; nil uses the one that model.json names, or
  ///     the model's first.
  ///   - observer: Is told about the runs of every model, such as for the metrics of a service.
  public init(
    backends: [any Backend], classes: [String: any Model.Type] = [:], sessions: Int = 1,
    mostWaiting: Int = 10_000, sessionOptions: SessionOptions = SessionOptions(),
    signatureKey: String? = nil, observer: (any RunObserver)? = nil
  ) {
    precondition(sessions > 0, "A model needs at least one session.")
    precondition(mostWaiting >= 0, "The number of waiting runs can't be negative.")
    self.backends = backends
    self.classes = classes
    self.sessions = sessions
    self.mostWaiting = mostWaiting
    self.sessionOptions = sessionOptions
    self.signatureKey = signatureKey
    self.observer = observer
  }

  /// Opens a bundle and makes its model.
  ///
  /// The first run, or a call to `load()`, loads the model's file.
  ///
  /// - Throws: ``TensorIOError`` when the bundle is not valid, or when its class or backend is
  ///   unknown.
  public func model(at path: String) throws -> any Model {
    try makeModel(from: ModelBundle(path))
  }

  /// Makes a new model for a bundle, with its own memory.
  ///
  /// - Throws: ``TensorIOError`` when the class or the backend is unknown.
  public func makeModel(from bundle: ModelBundle) throws -> any Model {
    try modelClass(for: bundle).init(bundle: bundle, loader: self)
  }

  /// Makes a model that only runs, even if it can be trained; nil for a placeholder.
  package func makeInferenceModel(from bundle: ModelBundle) throws -> InferenceModel? {
    if try modelClass(for: bundle) == PlaceholderModel.self { return nil }
    return try InferenceModel(bundle: bundle, loader: self)
  }

  /// The class for a bundle: that of placeholders, the one that model.json names, or the library's
  /// own.
  func modelClass(for bundle: ModelBundle) throws -> any Model.Type {
    if bundle.manifest.isPlaceholder { return PlaceholderModel.self }
    let own: any Model.Type =
      bundle.manifest.describesTraining ? TrainableModel.self : InferenceModel.self
    guard let name = bundle.manifest.model.className else { return own }
    if let known = classes[name] { return known }
    switch name {
    case "TIOTFLiteModel", "TIOTensorFlowModel": return own
    case "TIOPlaceholderModel": return PlaceholderModel.self
    default:
      let known =
        classes.keys.sorted() + [
          "TIOTFLiteModel", "TIOTensorFlowModel", "TIOPlaceholderModel",
        ]
      throw TensorIOError(
        .unknownModelClass,
        "model.class in '\(bundle.path)' names '\(name)', which isn't a registered class. The "
          + "registered classes are " + known.joined(separator: ", ")
          + ". Register the class with the loader, or remove the key.")
    }
  }

  func backend(for bundle: ModelBundle) throws -> any Backend {
    let name: String
    switch bundle.manifest.model.className {
    case "TIOTFLiteModel": name = "tflite"
    case "TIOTensorFlowModel": name = "tensorflow"
    default: name = bundle.backendName ?? ""
    }
    guard let backend = backends.first(where: { $0.name == name }) else {
      throw TensorIOError(
        .unknownBackend,
        "'\(bundle.path)' needs the backend '\(name)', but the loader has "
          + (backends.isEmpty
            ? "none." : "only \(quotedList(backends.map(\.name))).")
      )
    }
    return backend
  }
}
