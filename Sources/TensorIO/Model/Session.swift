// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Synchronization

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
  /// Ends runs that take too long, if the runtime supports it.
  public var cancellation: CancellationToken?

  /// Makes options.
  public init(threads: Int = 1, cancellation: CancellationToken? = nil) {
    self.threads = threads
    self.cancellation = cancellation
  }
}

/// A request to end a run, which one thread makes and another checks.
public final class CancellationToken: Sendable {
  private let flag = Atomic(false)

  /// Makes a token that is not cancelled.
  public init() {}

  /// Whether ``cancel()`` was called.
  public var isCancelled: Bool { flag.load(ordering: .relaxed) }

  /// Asks the run to end.
  public func cancel() { flag.store(true, ordering: .relaxed) }
}
