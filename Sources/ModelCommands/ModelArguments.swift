// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
import ModelTools
package import TensorIO
public import TensorIOImageCodecs
import TensorIOIsolation
package import TensorIOLiteRT
import TensorIOTensorFlow

/// The arguments of every command that runs a model.
package struct ModelArguments: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "The bundle: a folder NAME.tiobundle.",
      discussion: "A .tflite file whose metadata describes it completely needs no bundle."),
    completion: .directory)
  package var bundle: String

  @Argument(
    help: ArgumentHelp(
      "The input: JSON, the path of an image, @FILE, or - for standard input.",
      discussion: """
        JSON is a number, a (nested) array, or an object with a value for each input name. A \
        string is text, or the path of an image for an image layer. @FILE is a .json, .npy, \
        .jpg, .png, .bmp or .webp file. Any other file is passed as raw bytes.
        """))
  package var value: String?

  @Option(help: ArgumentHelp("An input by name; may be repeated.", valueName: "name=value"))
  package var input: [NamedArgument] = []

  @Option(
    help: ArgumentHelp(
      "The value of a placeholder that model.json lists; may be repeated.",
      valueName: "name=value"))
  package var placeholder: [NamedArgument] = []

  // Like every number here this is optional. To print a default value, the parser looks up three
  // conformances of its type, which takes 2% of the startup time.
  @Option(name: .customLong("threads"), help: "The number of threads for each run. (default: 1)")
  var givenThreads: Int?

  @Option(name: .customLong("accelerator"), help: AcceleratorChoice.help)
  package var accelerator: AcceleratorChoice?

  @Option(
    help: ArgumentHelp(
      "Share the weights of a TensorFlow Lite model among its sessions, and keep them in this folder, in "
        + "the order that the kernels need. Later starts don't pack them again.",
      valueName: "folder"), completion: .directory)
  package var weightCache: String?

  @Option(help: ArgumentHelp("The signature to run, if the model has several.", valueName: "key"))
  var signature: String?

  @Option(
    help: ArgumentHelp(
      "How JPEG files are decoded: exact gives the same pixels as Pillow; high and fast decode "
        + "at 1/2, 1/4 or 1/8 of the size if the result is still at least twice (high) or once "
        + "(fast) the model's input size."))
  package var decode: DecodeScaling = .exact

  @Option(
    help: ArgumentHelp(
      "Stop with an error after this many seconds, such as 2.5.", valueName: "seconds"))
  package var timeout: Double?

  @Option(help: MemoryLimit.help)
  var memoryLimit = MemoryLimit.standard

  package init() {}

  package var threads: Int { givenThreads ?? 1 }

  package func validate() throws {
    try checkUsage(
      (1...1024).contains(threads), "--threads takes a number from 1 to 1024, got \(threads).")
    if let timeout, !(timeout > 0 && timeout < 1e9) {
      throw ValidationError(
        "--timeout takes a positive number of seconds, such as 2.5, got \(timeout).")
    }
    try checkUsage(
      value == nil || input.isEmpty, "Pass either VALUE or --input NAME=VALUE, not both.")
  }

  /// Loads the model and begins to limit its time and memory; returns nil for a placeholder.
  ///
  /// - Parameters:
  ///   - cancellation: Ends every run.
  ///   - sessions: How many runs may happen at once.
  ///   - accelerators: Decides what runs the model.
  ///   - recorder: Measures the operators of all runs. The model must have been loaded without it
  ///     before, because nothing is limited and no warning is printed again.
  /// - Returns: The model, or nil for a placeholder.
  /// - Throws: `TensorIOError` if the model can't be loaded.
  package func loadModel(
    cancellation: CancellationToken, sessions: Int = 1, on accelerators: AcceleratorReport,
    recorder: OperatorRecorder? = nil
  ) throws -> InferenceModel? {
    let kind = try ModelKind(of: bundle)
    if kind == .savedModel {
      throw TensorIOError(
        .invalidModel,
        "'\(bundle)' is a SavedModel without a bundle. Create a bundle with 'tensorio init "
          + "\(bundle) -o NAME.tiobundle', then run the bundle.")
    }
    if kind == .bundle || bundle.hasSuffix(BundleWriter.fileExtension) {
      return try loadModel(ModelBundle(bundle), cancellation, sessions, accelerators, recorder)
    }
    return try UnbundledModel.withBundle(ofModelAt: bundle, signature: signature) {
      try loadModel(ModelBundle($0), cancellation, sessions, accelerators, recorder)
    }
  }

  private func loadModel(
    _ bundle: ModelBundle, _ cancellation: CancellationToken, _ sessions: Int,
    _ accelerators: AcceleratorReport, _ recorder: OperatorRecorder?
  ) throws -> InferenceModel? {
    try checkOptions(of: bundle, accelerators)
    if let weightCache, !FileSystem.isFolder(weightCache) {
      throw TensorIOError(
        .fileNotFound,
        "--weight-cache takes a folder, but '\(weightCache)' isn't one. Create it first.")
    }
    if let recorder { return try loadModel(bundle, cancellation, recordedBy: recorder) }
    if let path = bundle.modelPath, bundle.backendName == LiteRTBackend().name {
      ProcessGuard.limitModel(
        at: path, by: memoryLimit, seconds: timeout, sessions: sessions,
        isAccelerated: accelerators.mayAccelerate)
    }
    let loader = loader(
      accelerators.backends(
        limitedBy: memoryLimit, cache: weightCache.map { LiteRTWeightCache(folder: $0) }),
      cancellation, sessions: sessions)
    guard let model = try loader.makeInferenceModel(from: bundle) else {
      for warning in bundle.warnings { Console.printMessage("warning: \(warning)") }
      return nil
    }
    for warning in try model.loadWarnings() { Console.printMessage("warning: \(warning)") }
    return model
  }

  /// Refuses options that only TensorFlow Lite models have, instead of ignoring them.
  private func checkOptions(of bundle: ModelBundle, _ accelerators: AcceleratorReport) throws {
    guard let backend = bundle.backendName, backend != LiteRTBackend().name else { return }
    let options = [
      weightCache == nil ? nil : "--weight-cache",
      accelerators.needsGPU ? "--accelerator gpu" : nil,
    ]
    guard let option = options.compactMap(\.self).first else { return }
    throw TensorIOError(
      .invalidOption,
      "\(option) is only for TensorFlow Lite models, and '\(self.bundle)' has the backend "
        + "\(backend). Leave it out, or convert the model with 'tensorio convert'.")
  }

  private func loadModel(
    _ bundle: ModelBundle, _ cancellation: CancellationToken,
    recordedBy recorder: OperatorRecorder
  ) throws -> InferenceModel? {
    let backend = LiteRTBackend(limits: memoryLimit.liteRTLimits, recorder: recorder)
    guard bundle.backendName == backend.name else {
      throw TensorIOError(
        .unsupportedModel,
        "'\(self.bundle)' isn't a TensorFlow Lite model, so its operators can't be measured. "
          + "Leave out --profile and --profile-svg.")
    }
    return try loader([backend], cancellation, sessions: 1).makeInferenceModel(from: bundle)
  }

  private func loader(
    _ backends: [any Backend], _ cancellation: CancellationToken, sessions: Int
  ) -> ModelLoader {
    ModelLoader(
      backends: backends, sessions: sessions,
      sessionOptions: SessionOptions(
        threads: threads, cancellation: timeout == nil ? nil : cancellation),
      signatureKey: signature)
  }

  package func readInputs(for signature: ModelSignature) throws -> ModelInputs {
    var inputs = try readValues(for: signature)
    inputs.placeholders = try readPlaceholders(for: signature)
    return inputs
  }

  package func readPlaceholders(
    for signature: ModelSignature
  ) throws -> [String: any TensorEncodable] {
    try placeholder.placeholders(of: signature, scaling: decode)
  }

  private func readValues(for signature: ModelSignature) throws -> ModelInputs {
    let reader = InputReader(scaling: decode)
    if !input.isEmpty {
      return ModelInputs(
        try input.values(of: "--input", with: reader) { signature.input(named: $0) })
    }
    guard let value else {
      guard signature.inputs.isEmpty else {
        let names = signature.inputs.map { "'\($0.name)'" }.joined(separator: ", ")
        throw TensorIOError(
          .missingInput, "The input is missing. Pass VALUE, or --input NAME=VALUE for \(names).")
      }
      return ModelInputs([:])
    }
    return try reader.readInputs(value, for: signature)
  }
}

/// An argument of the form NAME=VALUE.
package struct NamedArgument: ExpressibleByArgument {
  package var name: String
  package var value: String

  package init?(argument: String) {
    guard let equals = argument.firstIndex(of: "="), equals > argument.startIndex else {
      return nil
    }
    name = String(argument[..<equals])
    value = String(argument[argument.index(after: equals)...])
  }
}

extension [NamedArgument] {
  package func placeholders(
    of signature: ModelSignature, scaling: DecodeScaling = .exact
  ) throws -> [String: any TensorEncodable] {
    try values(of: "--placeholder", with: InputReader(scaling: scaling)) {
      signature.placeholder(named: $0)
    }
  }

  /// Reads the values and returns them by name; a name that is given twice is an error.
  func values(
    of option: String, with reader: InputReader, _ spec: (String) -> TensorSpec?
  ) throws -> [String: any TensorEncodable] {
    var values: [String: any TensorEncodable] = [:]
    for argument in self {
      guard values[argument.name] == nil else {
        throw TensorIOError(.wrongInputCount, "\(option) '\(argument.name)' is given twice.")
      }
      values[argument.name] = try reader.readValue(argument.value, for: spec(argument.name))
    }
    return values
  }
}

extension ModelSignature {
  /// Calls a closure that runs the model, and says how to pass a placeholder that is missing.
  ///
  /// Only a run shows which values are missing, because some placeholders have a default in the
  /// model.
  package func namingOption<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as TensorIOError {
      guard let name = error.subject, placeholders.contains(where: { $0.name == name }) else {
        throw error
      }
      throw error.saying(after: " Pass --placeholder \(name)=VALUE.")
    }
  }
}

/// The backends of this program.
package enum Backends {
  package static var all: [any Backend] { [.liteRT, .tensorFlow] }

  /// Returns all backends, with the user's memory limit.
  package static func limited(by memoryLimit: MemoryLimit) -> [any Backend] {
    [LiteRTBackend(limits: memoryLimit.liteRTLimits), .tensorFlow]
  }

  /// Returns all backends, with TensorFlow Lite models in separate processes.
  ///
  /// - Parameters:
  ///   - memoryLimit: The memory of each process.
  ///   - timeLimit: The most seconds for loading a model and for each run, or nil for the defaults.
  /// - Returns: The backends.
  package static func isolated(
    by memoryLimit: MemoryLimit, timeLimit: Double? = nil
  ) -> [any Backend] {
    guard IsolatedBackend.isSupported else { return limited(by: memoryLimit) }
    var options = memoryLimit.isolation
    options.firstAnswerSeconds = timeLimit ?? options.firstAnswerSeconds
    options.runSeconds = timeLimit ?? options.runSeconds
    return [IsolatedBackend(.liteRT, options: options), .tensorFlow]
  }

  /// Returns a sentence that says why LiteRT can't be used; nil if it can.
  package static func problem(of liteRT: LiteRTBackend) -> String? {
    do {
      try liteRT.checkLibrary()
      return nil
    } catch let error as TensorIOError where error.code == .missingLibrary {
      return
        "LiteRT is not installed, so no .tflite model can run. Run 'pip install "
        + "ai-edge-litert==\(LiteRTBackend.libraryVersion)' and set TENSORIO_LITERT_LIBRARY to the "
        + "path of its ai_edge_litert/libLiteRt.so, or run 'make setup' in TensorIO's source folder."
    } catch {
      return "LiteRT cannot be used, so no .tflite model can run: \(error)"
    }
  }

  /// Returns the versions of the libraries that run some models, by the names of the backends.
  ///
  /// LiteRT always has the version that this program is built for. If TensorFlow is missing, it has
  /// no entry.
  package static func versions(for bundles: [ModelBundle]) -> [String: String] {
    var versions: [String: String] = [:]
    for name in Set(bundles.compactMap(\.backendName)) {
      switch name {
      case "tflite": versions[name] = LiteRTBackend.libraryVersion
      // The models report a missing library themselves.
      case "tensorflow": versions[name] = try? TensorFlowBackend().readLibraryVersion()
      default: break
      }
    }
    return versions
  }
}

extension DecodeScaling: ExpressibleByArgument {
  // The parser's default implementations look the values up through key paths, and print them through
  // protocols, whose conformances are searched for at every start.
  public static var allValueStrings: [String] { allCases.map { $0.rawValue } }
  public static var allValueDescriptions: [String: String] { [:] }
  public var defaultValueDescription: String { rawValue }
}
