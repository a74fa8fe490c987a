// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
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
      discussion: "A .tflite file that says everything of itself needs no bundle."),
    completion: .directory)
  package var bundle: String

  @Argument(
    help: ArgumentHelp(
      "The input: JSON, the path of a picture, or @FILE.",
      discussion: """
        JSON is a number, a (nested) array, or an object of values by input name; a string in it \
        is text, or the path of a picture for an image layer. @FILE is a .json, .npy, .jpg, \
        .png, .bmp or .webp file, or else raw bytes.
        """))
  package var value: String?

  @Option(
    name: .long, parsing: .singleValue,
    help: ArgumentHelp("One input by name; may be repeated.", valueName: "name=value"))
  package var input: [NamedArgument] = []

  @Option(
    name: .long, parsing: .singleValue,
    help: ArgumentHelp(
      "What is fed beside the inputs, as model.json's placeholders; may be repeated.",
      valueName: "name=value"))
  package var placeholder: [NamedArgument] = []

  // Optional, as every number here: to print a default the parser looks for three conformances of its
  // type, which takes a fiftieth of a start.
  @Option(
    name: .customLong("threads"),
    help: ArgumentHelp("Threads inside one run. (default: 1)", valueName: "threads"))
  var givenThreads: Int?

  @Option(
    name: .long,
    help: ArgumentHelp("The signature to run, for models with several.", valueName: "key"))
  var signature: String?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "How much of a JPEG is decoded: exact is bit for bit what Pillow decodes; high and fast "
        + "decode it at 1/2, 1/4 or 1/8 of its size where that leaves twice, or once, the size "
        + "that the model takes."))
  package var decode: DecodeScaling = .exact

  @Option(
    name: .long,
    help: ArgumentHelp("Give up after this many seconds.", valueName: "seconds"))
  package var timeout: Double?

  @Option(name: .long, help: MemoryLimit.help)
  var memoryLimit = MemoryLimit.standard

  package init() {}

  package var threads: Int { givenThreads ?? 1 }

  package func validate() throws {
    guard (1...1024).contains(threads) else {
      throw ValidationError("--threads takes a number from 1 to 1024, got \(threads).")
    }
    if let timeout, !(timeout > 0 && timeout < 1e9) {
      throw ValidationError("--timeout takes a positive number of seconds, got \(timeout).")
    }
    guard value == nil || input.isEmpty else {
      throw ValidationError("Pass either VALUE or --input NAME=VALUE, not both.")
    }
  }

  /// Opens the bundle and loads its model; from here on the time counts.
  ///
  /// - Parameters:
  ///   - cancellation: Ends runs when the time is over.
  ///   - sessions: How many runs may be under way at once.
  /// - Returns: The model; nil for a placeholder.
  /// - Throws: `TensorIOError`.
  package func loadModel(
    cancellation: CancellationToken, sessions: Int = 1
  ) throws -> InferenceModel? {
    switch try ModelKind(of: bundle) {
    case .bundle: break
    case .savedModel:
      throw TensorIOError(
        .invalidModel,
        "'\(bundle)' is a SavedModel without a bundle. Make one with 'tensorio init \(bundle) -o "
          + "NAME.tiobundle', and run that.")
    case .liteRT where bundle.hasSuffix(BundleWriter.fileExtension): break
    case .liteRT:
      return try UnbundledModel.withBundle(ofModelAt: bundle, signature: signature) {
        try loadModel(ModelBundle($0), cancellation: cancellation, sessions: sessions)
      }
    }
    return try loadModel(ModelBundle(bundle), cancellation: cancellation, sessions: sessions)
  }

  private func loadModel(
    _ bundle: ModelBundle, cancellation: CancellationToken, sessions: Int
  ) throws -> InferenceModel? {
    if let path = bundle.modelPath, bundle.backendName == LiteRTBackend().name {
      ProcessGuard.limitModel(at: path, by: memoryLimit, seconds: timeout, sessions: sessions)
    }
    let loader = ModelLoader(
      backends: Backends.limited(by: memoryLimit), sessions: sessions,
      sessionOptions: SessionOptions(
        threads: threads, cancellation: timeout == nil ? nil : cancellation),
      signatureKey: signature)
    let model = try loader.makeModel(from: bundle)
    guard let model = try model.forInference(with: loader) else {
      for warning in bundle.warnings { Console.printMessage("warning: \(warning)") }
      return nil
    }
    for warning in try model.warnings { Console.printMessage("warning: \(warning)") }
    return model
  }

  /// The values for the model's inputs and placeholders.
  package func readInputs(for signature: ModelSignature) throws -> ModelInputs {
    var inputs = try readValues(for: signature)
    inputs.placeholders = try readPlaceholders(for: signature)
    return inputs
  }

  /// The values for the model's placeholders.
  package func readPlaceholders(for signature: ModelSignature) throws -> [String:
    any TensorEncodable]
  {
    try placeholder.values(of: "--placeholder", with: InputReader(scaling: decode)) {
      signature.placeholder(named: $0)
    }
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
          .missingInput, "There is no value: pass VALUE, or --input NAME=VALUE for \(names).")
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
  /// The values by name.
  ///
  /// - Throws: `TensorIOError` for a name that is given twice, and a value that cannot be read.
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
  /// Calls a closure that runs the model; when it has no value for a placeholder, the error says how
  /// to pass one.
  ///
  /// Only the runs know what has no value: some placeholders have a default in the model.
  package func namingOption<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch var error as TensorIOError where error.code == .missingInput {
      for spec in placeholders where error.message.hasSuffix(" the placeholder '\(spec.name)'.") {
        error.message += " Pass --placeholder \(spec.name)=VALUE."
      }
      throw error
    }
  }
}

extension Model {
  /// The model as one that is only run, whatever else it can do; nil for a placeholder.
  package func forInference(with loader: ModelLoader) throws -> InferenceModel? {
    if self is TrainableModel { return try InferenceModel(bundle: bundle, loader: loader) }
    return self as? InferenceModel
  }
}

/// The backends that this program has.
package enum Backends {
  package static var all: [any Backend] { [.liteRT, .tensorFlow] }

  /// The same, with what the user lets models take.
  package static func limited(by memoryLimit: MemoryLimit) -> [any Backend] {
    [LiteRTBackend(limits: memoryLimit.liteRTLimits), .tensorFlow]
  }

  /// The same, with TensorFlow Lite's models in processes of their own.
  package static func isolated(by memoryLimit: MemoryLimit) -> [any Backend] {
    guard IsolatedBackend.isSupported else { return limited(by: memoryLimit) }
    return [IsolatedBackend(.liteRT, options: memoryLimit.isolation), .tensorFlow]
  }

  /// A sentence that says that LiteRT is missing; nil where it is there.
  package static func problem(of liteRT: LiteRTBackend) -> String? {
    do {
      try liteRT.checkLibrary()
      return nil
    } catch let error as TensorIOError where error.code == .missingLibrary {
      return
        "LiteRT is not installed, so no .tflite model can run. Run 'pip install "
        + "ai-edge-litert==\(LiteRTBackend.libraryVersion)' and set TENSORIO_LITERT_LIBRARY to the path "
        + "of its ai_edge_litert/libLiteRt.so, or run 'make setup' in TensorIO's source folder."
    } catch {
      return "LiteRT cannot be used, so no .tflite model can run: \(error)"
    }
  }

  /// The versions of the libraries that run some models, by the backends' names; a library that is
  /// missing has none.
  package static func versions(for bundles: [ModelBundle]) -> [String: String] {
    var versions: [String: String] = [:]
    for name in Set(bundles.compactMap(\.backendName)) {
      switch name {
      case "tflite": versions[name] = LiteRTBackend.libraryVersion
      // That it is missing is the models' error.
      case "tensorflow": versions[name] = try? TensorFlowBackend().libraryVersion
      default: break
      }
    }
    return versions
  }
}

extension DecodeScaling: ExpressibleByArgument {
  // The parser's own way looks the values up through a key path at every start.
  public static var allValueStrings: [String] { allCases.map { $0.rawValue } }
}
