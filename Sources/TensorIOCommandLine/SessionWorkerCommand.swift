// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
import ModelCommands
import TensorIO
import TensorIOIsolation
import TensorIOLiteRT

/// The hidden command `tensorio session-worker`, which runs one model for the process that started
/// it.
package struct SessionWorkerCommand: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "session-worker", abstract: "Run one model for another tensorio process.",
    shouldDisplay: false)

  @Option(help: "The most memory that the process may reserve, in bytes.")
  var memory: Int

  @Argument(help: "The model's path, which the list of processes shows.")
  var model: String

  @Option(name: .long, help: MemoryLimit.help)
  var memoryLimit = MemoryLimit.standard

  package init() {}

  package func run() throws {
    SessionWorker.serve(backends: Backends.limited(by: memoryLimit), memoryBytes: memory)
  }
}
