// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// One instance of a model with memory of its own: inputs, outputs, and what lies between.
///
/// A session is used by one thread at a time; ``InferenceModel`` sees to that. Its inputs and
/// outputs are counted in the order of the ``SignatureDescription`` it was made for.
public protocol Session: AnyObject {
  /// Gives an input another shape; the memory of all inputs and outputs is made anew.
  ///
  /// - Throws: ``TensorIOError`` when the model cannot take it. The session is unchanged then.
  func resizeInputs(to shapes: [[Int]]) throws

  /// The shape that an output has at present.
  func outputShape(at index: Int) -> [Int]

  /// Calls a closure with an input's memory, to be filled.
  func withInput(at index: Int, _ body: (inout MutableRawSpan) throws -> Void) throws

  /// Sets an input of strings.
  func setInput(at index: Int, to strings: [Data]) throws

  /// Leaves an input to the model's own value in the next run.
  ///
  /// Only called where ``TensorDescription/hasDefault`` is true.
  func useDefault(forInputAt index: Int) throws

  /// Runs the model on what the inputs hold.
  func run() throws

  /// Calls a closure with an output's memory.
  func withOutput(at index: Int, _ body: (RawSpan) throws -> Void) throws

  /// Hands over an output's memory, so that nothing is copied; nil when it stays the session's.
  ///
  /// The session does not touch it again. The default is nil.
  func takeOutput(at index: Int) -> (any TensorMemory)?

  /// The content of an output of strings.
  func strings(ofOutput index: Int) throws -> [Data]
}

/// Memory of a runtime that holds a tensor's elements, and is freed with the last reference.
public protocol TensorMemory: AnyObject, Sendable {
  /// Calls a closure with the bytes.
  func withBytes<Result>(_ body: (RawSpan) throws -> Result) rethrows -> Result
}

extension Session {
  public func takeOutput(at index: Int) -> (any TensorMemory)? { nil }

  public func useDefault(forInputAt index: Int) throws {
    throw TensorIOError(.internalFault, "The model has no value of its own for input \(index).")
  }
}

/// How a session runs.
public struct SessionOptions: Sendable {
  /// Threads inside one run; for work over many items, more sessions serve better.
  public var threads: Int
  /// Ends runs that take too long, where the runtime heeds it.
  public var cancellation: CancellationToken?

  /// Makes options.
  public init(threads: Int = 1, cancellation: CancellationToken? = nil) {
    self.threads = threads
    self.cancellation = cancellation
  }
}
