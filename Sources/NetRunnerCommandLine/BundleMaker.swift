// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import ArgumentParser
import Dispatch
import Foundation
import ModelCommands
import TensorIO

/// Makes bundles of models that have none, as `tensorio init` does.
///
/// A process of its own reads the model, because a damaged one could end the server.
struct BundleMaker: Sendable {
  var memoryLimit: MemoryLimit

  /// The most seconds that a model may take.
  private static let seconds = 120

  /// Writes a bundle for a model.
  ///
  /// - Parameters:
  ///   - model: The path of a `.tflite` file.
  ///   - bundle: The path of the bundle to write.
  /// - Returns: One sentence for each assumption, to check.
  /// - Throws: `TensorIOError` if the model can't be read.
  func make(_ model: String, _ bundle: String) throws -> [String] {
    let process = Process()
    process.executableURL = URL(filePath: "/proc/self/exe")
    process.arguments = [
      BundleMakerCommand.configuration.commandName ?? "", model, "--output", bundle,
      "--memory-limit", memoryLimit.argument,
    ]
    let messages = Pipe()
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = messages
    do {
      try process.run()
    } catch {
      throw TensorIOError(
        .inferenceFailed, "The model can't be read: \(error.localizedDescription)", cause: error)
    }
    let timer = DispatchWorkItem { process.terminate() }
    DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(Self.seconds), execute: timer)
    let text = String(
      decoding: messages.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    timer.cancel()
    let lines = text.split(separator: "\n").map(String.init)
    guard process.terminationReason == .exit, process.terminationStatus == 0 else {
      throw TensorIOError(.invalidModel, Self.reason(lines)).about(model)
    }
    return lines.filter { $0.hasPrefix(Self.check) }.map { String($0.dropFirst(Self.check.count)) }
  }

  private static let check = "check: "

  /// The error that the process printed, or a sentence if it ended without one.
  private static func reason(_ lines: [String]) -> String {
    for line in lines.reversed() {
      for word in ["error: ", "Error: "] where line.hasPrefix(word) {
        return String(line.dropFirst(word.count))
      }
    }
    return "The model ended the process that read it, or took more than \(seconds) seconds."
  }
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
