// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Options for starting the processes that run models, and their limits.
public struct IsolationOptions: Sendable {
  /// The path of the program that runs a model.
  ///
  /// It must call ``SessionWorker/serve(backends:memoryBytes:)``. The default is the running
  /// program itself with the argument `session-worker`, which works for `tensorio`.
  public var program: String
  /// The arguments of the program.
  public var arguments: [String]
  /// The maximum memory that the process may reserve for a model, in bytes.
  ///
  /// The default is 1 GiB, plus 256 MiB for the program itself.
  public var memoryBytes: Int
  /// The maximum time for loading and for the first run, in seconds.
  public var firstAnswerSeconds: Double
  /// The maximum time for each later run, in seconds.
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
