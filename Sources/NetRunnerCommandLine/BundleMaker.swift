// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import ArgumentParser
import ModelCommands
import TensorIO

/// Makes bundles of models that have none, as `tensorio init` does.
///
/// A process of its own reads the model, because a damaged one could end the server.
struct BundleMaker: Sendable {
  var memoryLimit: MemoryLimit

  /// Writes a bundle for a model.
  ///
  /// - Parameters:
  ///   - model: The path of a `.tflite` file.
  ///   - bundle: The path of the bundle to write.
  /// - Returns: One sentence for each assumption, to check.
  /// - Throws: `TensorIOError` if the model can't be read.
  func make(_ model: String, _ bundle: String) throws -> [String] {
    let lines = try ModelProcess(memoryLimit: memoryLimit).run(
      BundleMakerCommand.self, on: model, ["--output", bundle]
    ).messages
    return lines.filter { $0.hasPrefix(Self.check) }.map { String($0.dropFirst(Self.check.count)) }
  }

  private static let check = "check: "
}

/// The hidden command that makes a bundle for the server that started it.
struct BundleMakerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "make-bundle", abstract: "Create a bundle for another tensorio process.",
    shouldDisplay: false)

  @Argument(parsing: .captureForPassthrough, help: "The arguments of 'tensorio init'.")
  var arguments: [String] = []

  func run() throws {
    var command = try ModelCommands.initialize.parseAsRoot(arguments)
    try command.run()
  }
}
#endif
