// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CSystemCalls
import Files
import TensorIO
import TensorIOIsolation

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A Python interpreter that runs programs of this one.
struct PythonInterpreter {
  let path: String

  /// Finds an interpreter.
  ///
  /// - Parameter path: Its path; nil uses `TENSORIO_PYTHON`, or `python3` on PATH.
  /// - Throws: `TensorIOError` if there is none.
  init(_ path: String?) throws {
    func variable(_ name: String) -> String? {
      getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
    if let path = path ?? variable("TENSORIO_PYTHON") {
      guard access(path, X_OK) == 0 else {
        throw TensorIOError(.fileNotFound, "There is no Python at '\(path)'.")
      }
      self.path = path
      return
    }
    let folders = (variable("PATH") ?? "/usr/local/bin:/usr/bin").split(separator: ":")
    let candidates = folders.map { String($0) + "/python3" }
    guard let found = candidates.first(where: { access($0, X_OK) == 0 }) else {
      throw TensorIOError(
        .missingLibrary,
        "Python is missing: PATH has no 'python3'. Install it, or pass its path with --python.")
    }
    self.path = found
  }

  /// Runs a program, and blocks the thread until it ends.
  ///
  /// The program ends when this process does.
  ///
  /// - Parameters:
  ///   - program: Its text.
  ///   - argument: Its only argument.
  /// - Returns: What it writes into the file `answer.json` of the folder that it is told as the second
  ///   argument, or nil if it fails, and what it prints to standard error.
  /// - Throws: `TensorIOError` when it can't be started.
  func run(_ program: String, _ argument: String) throws -> (answer: Data?, messages: String) {
    let folder = try TemporaryFolder(" for Python's answer")
    let messages = folder.path + "/messages.txt"
    let file = try OpenFile(creating: messages)
    let stream = try SpawnedProcess.makeStream()
    defer { close(stream.own) }
    let process: SpawnedProcess
    // Python looks for its packages beside the path that is its first word.
    do {
      defer { close(stream.child) }
      process = try SpawnedProcess(
        path, [path, "-c", Self.endsWithParent + program, argument, folder.path],
        descriptors: [(stream.child, STDIN_FILENO), (file.descriptor, STDERR_FILENO)],
        environment: ["TF_CPP_MIN_LOG_LEVEL=3", "PYTHONDONTWRITEBYTECODE=1"])
    }
    // The stream ends when the process does.
    var byte: UInt8 = 0
    while read(stream.own, &byte, 1) > 0 {}
    let ending = process.end(isEnding: true)
    let text = String(decoding: try FileSystem.read(messages), as: UTF8.self)
    guard ending == .exited(status: 0), FileSystem.isFile(folder.path + "/answer.json") else {
      return (nil, text)
    }
    return (Data(try FileSystem.read(folder.path + "/answer.json")), text)
  }

  private static let endsWithParent = """
    import os, sys, threading
    threading.Thread(target=lambda: (os.read(0, 1), os._exit(1)), daemon=True).start()

    """
}
