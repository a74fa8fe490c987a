// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// One instance of a model, with its own memory for inputs, outputs and intermediate results.
///
/// A session is used by one thread at a time, which ``InferenceModel`` ensures. The indices of its
/// inputs and outputs are those of the ``SignatureDescription`` that it was made for.
public protocol Session: AnyObject {
  /// Changes the shapes of the inputs and reallocates the memory of all inputs and outputs.
  ///
  /// - Throws: ``TensorIOError`` when the model does not support the shapes. The session is then
  ///   unchanged.
  func resizeInputs(to shapes: [[Int]]) throws

  /// Returns the current shape of an output.
  func outputShape(at index: Int) -> [Int]

  /// Calls a closure with an input's memory, to fill it.
  func withInput(at index: Int, _ body: (inout MutableRawSpan) throws -> Void) throws

  /// Sets an input of strings.
  func setInput(at index: Int, to strings: [Data]) throws

  /// Uses the model's default for an input in the next run.
  ///
  /// It is only called if ``TensorDescription/hasDefault`` is true.
  func useDefault(forInputAt index: Int) throws

  /// Runs the model on the current content of its inputs.
  func run() throws

  /// Runs the model on the current content of its inputs, and ends the run if the token is cancelled.
  ///
  /// Later runs of the session are those of a session that was never cancelled. The default
  /// implementation can't end a run that has begun.
  ///
  /// - Throws: ``TensorIOError`` with the code ``TensorIOError/Code/cancelled`` for a run that was
  ///   ended.
  func run(until token: CancellationToken) throws

  /// Gives the model's variables their initial values, so that the next run continues from none.
  ///
  /// It is only called if ``LoadedModel/keepsState`` is true. The default implementation throws an
  /// error.
  func reset() throws

  /// Calls a closure with an output's memory.
  func withOutput(at index: Int, _ body: (RawSpan) throws -> Void) throws

  /// Hands over an output's memory, so that nothing is copied; returns nil if the session keeps it.
  ///
  /// The session does not use the memory again. The default implementation returns nil.
  func takeOutput(at index: Int) -> (any TensorMemory)?

  /// Returns the content of an output of strings.
  func strings(ofOutput index: Int) throws -> [Data]
}

/// Memory of a runtime that holds a tensor's elements and is freed with the last reference to it.
public protocol TensorMemory: AnyObject, Sendable {
  /// Calls a closure with the bytes.
  func withBytes<Result>(_ body: (RawSpan) throws -> Result) rethrows -> Result
}

extension Session {
  /// Runs the model, until a token is cancelled if there is one.
  ///
  /// - Throws: The run's error, or `CancellationError` if the run ended after the token's deadline,
  ///   because a runtime can't always end a run early.
  @inline(__always)
  func run(untilCancelled token: CancellationToken?) throws {
    guard let token else { return try run() }
    try run(until: token)
    if token.isExpired { throw CancellationError() }
  }

  public func run(until token: CancellationToken) throws {
    if token.isCancelled {
      throw TensorIOError(.cancelled, "The run was cancelled before it began.")
    }
    try run()
  }

  public func takeOutput(at index: Int) -> (any TensorMemory)? { nil }

  public func reset() throws {
    throw TensorIOError(
      .unsupportedModel,
      "This model's variables can't be reset. To start over, unload the model and load it again.")
  }

  public func useDefault(forInputAt index: Int) throws {
    throw TensorIOError(.internalFault, "The model has no default value for input \(index).")
  }
}

/// How a session runs.
public struct SessionOptions: Sendable {
  /// The number of threads in one run.
  ///
  /// To process many items, use more sessions instead.
  public var threads: Int
  /// Ends the current run and every later one of the sessions, if the runtime supports it.
  ///
  /// To end a single run, give it a deadline or cancel its task.
  public var cancellation: CancellationToken?
  /// The file with the weights that replace those of the model's file, which is model.json's
  /// `weights`; nil for the model's own.
  public var weights: String?

  /// The hardware that runs the session.
  ///
  /// Accelerators and their drivers can crash, or compute other values. `AcceleratedBackend` of the
  /// module `TensorIOIsolation` tries them first.
  public var accelerator: Accelerator

  /// Makes options.
  public init(
    threads: Int = 1, cancellation: CancellationToken? = nil, accelerator: Accelerator = .cpu
  ) {
    self.threads = threads
    self.cancellation = cancellation
    self.accelerator = accelerator
  }
}
