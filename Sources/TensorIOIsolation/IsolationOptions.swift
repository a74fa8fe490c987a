// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// How the processes that run models are started, and what they may take.
public struct IsolationOptions: Sendable {
  /// The program whose process runs a model.
  ///
  /// It must call ``SessionWorker/serve(backends:memoryBytes:)``. The default is the running program
  /// itself with the word `session-worker`, which is right for `tensorio`.
  public var program: String
  /// The words after the program's name.
  public var arguments: [String]
  /// The most memory that the process may reserve for a model, in bytes.
  ///
  /// The default is 1 GiB, and 256 MiB for the program itself.
  public var memoryBytes: Int
  /// How long loading may take, and the first run, in seconds.
  public var firstAnswerSeconds: Double
  /// How long each later run may take, in seconds.
  public var runSeconds: Double

  /// Makes options.
  public init(
    program: String = "/proc/self/exe", arguments: [String] = ["session-worker"],
    memoryBytes: Int = 1 << 30 + 256 << 20, firstAnswerSeconds: Double = 15,
    runSeconds: Double = 60
  ) {
    self.program = program
    self.arguments = arguments
    self.memoryBytes = memoryBytes
    self.firstAnswerSeconds = firstAnswerSeconds
    self.runSeconds = runSeconds
  }
}
