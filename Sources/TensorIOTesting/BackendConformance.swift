// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

public import TensorIO

/// The requirements that every backend must meet, whatever its runtime.
///
/// The test suite of each backend runs all checks.
///
/// ```swift
/// @Test(arguments: BackendConformance.Check.allCases)
/// func `keeps the promises of a backend`(_ check: BackendConformance.Check) async throws {
///   let conformance = BackendConformance(LiteRTBackend(), models: Fixtures.models.path())
///   try await conformance.run(check)
/// }
/// ```
///
/// The descriptions of the models are generated from the models themselves, so a backend may use
/// its own models. Checks that need a model the backend doesn't have are skipped.
public struct BackendConformance: Sendable {
  /// The backend to check.
  public var backend: any Backend
  /// The folder with the models.
  public var folder: String
  /// The models' names in the folder.
  public var models: Models
  /// The relative difference that is allowed between two floating-point results.
  ///
  /// This applies when one run had a batch and the other a single item.
  public var batchTolerance: Double

  /// Makes a conformance check.
  ///
  /// - Parameters:
  ///   - backend: The backend to check.
  ///   - folder: The folder with the models. The library's own models are in Tests/Fixtures/Models.
  ///   - models: The models' names in the folder.
  ///   - batchTolerance: The relative difference that is allowed for a batch; 0 requires identical
  ///     bits.
  public init(
    _ backend: any Backend, models folder: String, named models: Models = Models(),
    batchTolerance: Double = 0
  ) {
    self.backend = backend
    self.folder = folder
    self.models = models
    self.batchTolerance = batchTolerance
  }

  /// The names of the models that the checks run.
  ///
  /// Each is nil when the backend has no such model.
  public struct Models: Sendable {
    /// Two or more inputs, each with several floating-point numbers.
    public var twoInputs: String? = "matmul.tflite"
    /// One input of several floating-point numbers.
    public var vector: String? = "no_signature.tflite"
    /// One input of several bytes, without quantization.
    public var bytes: String? = "reverse_uint8.tflite"
    /// One input of several 32-bit integers.
    public var integers: String? = "reverse_int32.tflite"
    /// Two or more signatures.
    public var twoSignatures: String? = "two_signatures.tflite"
    /// An open batch axis.
    public var openBatch: String? = "dynamic_batch.tflite"
    /// A batch axis of one item that is not declared open.
    public var fixedBatch: String? = "fixed_batch.tflite"
    /// One input of several strings.
    public var strings: String? = "string.tflite"
    /// One image input of shape [1, height, width, 3].
    public var image: String? = "identity_image.tflite"

    /// Makes the names of the library's own TensorFlow Lite models.
    public init() {}
  }

  /// A requirement that can be checked.
  public enum Check: String, CaseIterable, Sendable, CustomStringConvertible {
    case describesItself = "a model describes itself"
    case missingFile = "a missing model names its path"
    case loadsAndUnloads = "a model loads, unloads and loads again"
    case manyModels = "models do not share their memory"
    case namesOfInputs = "missing and unknown inputs are named"
    case countOfInputs = "too few and too many inputs are counted"
    case countOfElements = "short and long values are counted"
    case kindsOfValues = "a value of a wrong kind is refused"
    case exactNumbers = "numbers that do not fit are refused"
    case recovers = "a refused value leaves the model usable"
    case forgets = "a run does not depend on the runs before"
    case outputsStay = "outputs outlive the next run"
    case openBatches = "a batch gives what its items give alone"
    case fixedBatches = "items of a model without batches give the same together"
    case parallelTasks = "parallel tasks give what a serial run gives"
    case parallelThreads = "parallel threads give what a serial run gives"
    case unloadsWhileRunning = "unloading does not disturb runs under way"
    case signatures = "each signature runs by its key"
    case strings = "strings are counted and come back"

    public var description: String { rawValue }
  }

  /// Checks one requirement.
  ///
  /// - Throws: ``ConformanceError`` that describes what was expected and what happened.
  public func run(_ check: Check) async throws {
    switch check {
    case .describesItself: try checkDescriptions()
    case .missingFile: try checkMissingFile()
    case .loadsAndUnloads: try checkLoading()
    case .manyModels: try checkSeparation()
    case .namesOfInputs: try checkInputNames()
    case .countOfInputs: try checkInputCount()
    case .countOfElements: try checkElementCounts()
    case .kindsOfValues: try checkKinds()
    case .exactNumbers: try checkExactness()
    case .recovers: try checkRecovery()
    case .forgets: try checkForgetting()
    case .outputsStay: try checkOutputLifetime()
    case .openBatches: try await checkBatches(models.openBatch)
    case .fixedBatches: try await checkBatches(models.fixedBatch)
    case .parallelTasks: try await checkTasks()
    case .parallelThreads: try checkThreads()
    case .unloadsWhileRunning: try await checkUnloading()
    case .signatures: try checkSignatures()
    case .strings: try checkStrings()
    }
  }
}

/// The error for a requirement that a backend doesn't meet.
public struct ConformanceError: Error, CustomStringConvertible {
  /// A description of what was expected and what happened.
  public var description: String
}

/// Throws an error unless a condition is true.
func require(_ condition: Bool, _ message: @autoclosure () throws -> String) throws {
  guard condition else { throw ConformanceError(description: try message()) }
}
