// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CSystemCalls
import CTensorFlow
import NativeLibrary
import TensorIO

/// TensorFlow's library and its functions.
///
/// `@unchecked Sendable` because the functions never change.
final class TensorFlowLibrary: @unchecked Sendable {
  /// The file that was opened.
  let path: String
  let functions: TensorFlowFunctions

  #if canImport(Darwin)
  private static let fileNames = [
    "libtensorflow_cc.2.dylib", "libtensorflow.2.dylib", "libtensorflow.dylib",
  ]
  private static let companions = ["libtensorflow_framework.2.dylib"]
  #else
  /// The names of the library in PyPI's packages and in TensorFlow's own archives.
  private static let fileNames = [
    "libtensorflow_cc.so.2", "libtensorflow.so.2", "libtensorflow.so",
  ]
  /// The library that the others need, in case it isn't where they look for it.
  private static let companions = ["libtensorflow_framework.so.2"]
  #endif

  /// Opens the library.
  init() throws(TensorIOError) {
    Self.silenceLog()
    let library = try NativeLibrary(
      "TensorFlow's library libtensorflow_cc", fileNames: Self.fileNames,
      overriddenBy: "TENSORIO_TENSORFLOW_LIBRARY", companions: Self.companions,
      pythonPackage: "tensorflow",
      installedBy: "run 'pip install tensorflow-cpu==2.21.0' and set TENSORIO_TENSORFLOW_LIBRARY "
        + "to the path of tensorflow/libtensorflow_cc.so.2 in the folder that 'pip show "
        + "tensorflow-cpu' prints as its location; or run 'make tensorflow' in TensorIO's "
        + "source folder")
    var functions = TensorFlowFunctions()
    try library.load(&functions, named: TensorFlowFunctionName, of: "TensorFlow", "2.21")
    path = library.path
    self.functions = functions
  }

  /// Keeps TensorFlow's log messages off standard error, because our errors report what goes wrong.
  ///
  /// TensorFlow reads these variables when it is opened. Values that the user set are kept.
  private static func silenceLog() {
    setenv("TF_CPP_MIN_LOG_LEVEL", "3", 0)
    setenv("TF_ENABLE_ONEDNN_OPTS", "0", 0)
  }

  /// Calls a closure with a status, and throws the failure that the status reports.
  @discardableResult func checking<Result>(
    _ body: (OpaquePointer?) -> Result
  ) throws(TensorFlowFailure) -> Result {
    let status = functions.NewStatus()
    defer { functions.DeleteStatus(status) }
    let result = body(status)
    if let failure = TensorFlowFailure(status, functions) { throw failure }
    return result
  }

  /// Ends a session.
  func close(_ session: OpaquePointer) {
    let status = functions.NewStatus()
    functions.CloseSession(session, status)
    functions.DeleteSession(session, status)
    functions.DeleteStatus(status)
  }
}

/// A failure that TensorFlow reports.
struct TensorFlowFailure: Error {
  let code: Int32
  let message: String

  private static let invalidArgument: Int32 = 3
  private static let deadlineExceeded: Int32 = 4
  private static let notFound: Int32 = 5
  private static let permissionDenied: Int32 = 7
  private static let resourceExhausted: Int32 = 8
  private static let unavailable: Int32 = 14

  /// Whether the cause is the machine, such as its permissions or memory, rather than the model.
  var isOfSystem: Bool {
    [Self.permissionDenied, Self.resourceExhausted, Self.unavailable].contains(code)
  }

  /// Whether the run's time was over.
  var isOfTime: Bool { code == Self.deadlineExceeded }

  /// Whether a SavedModel has no graph with the tags.
  var concernsTags: Bool { code == Self.notFound && message.contains("tags") }

  /// Whether the shapes that an old release recorded are refused.
  var concernsOutputShapes: Bool {
    code == Self.invalidArgument && message.contains("_output_shapes")
  }

  /// Makes a failure from a status, or nil when the status is OK.
  @inline(__always)
  init?(_ status: OpaquePointer?, _ functions: TensorFlowFunctions) {
    let code = functions.GetCode(status)
    if code == 0 { return nil }
    self.code = code
    message = Self.shortened(functions.Message(status).map { String(cString: $0) } ?? "")
  }

  /// Returns the first line of a message.
  ///
  /// TensorFlow appends lists of operations, and stack traces of the Python code that made the
  /// graph, which may be longer than a screen.
  private static func shortened(_ text: String) -> String {
    let line = text.split(separator: "\n", maxSplits: 1).first.map(String.init) ?? text
    return line.count > 500 ? line.prefix(500) + "…" : line
  }
}
