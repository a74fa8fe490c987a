// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import ArgumentParser
import Dispatch
import Foundation
import ModelCommands
import Synchronization
import TensorIO

/// A process of this program that reads a model for the server, because a damaged model could end the server.
struct ModelProcess: Sendable {
  var memoryLimit: MemoryLimit

  /// The most seconds that a model may take.
  private static let seconds = 120

  /// Runs a hidden command, and waits for its end.
  ///
  /// - Parameters:
  ///   - command: The command, which takes the model's path first.
  ///   - model: The path of a `.tflite` file.
  ///   - arguments: Further arguments.
  /// - Returns: The bytes of its standard output, and the lines of its standard error.
  /// - Throws: `TensorIOError` with the error that the process printed.
  func run(
    _ command: any ParsableCommand.Type, on model: String, _ arguments: [String] = []
  ) throws -> (output: Data, messages: [String]) {
    let process = Process()
    process.executableURL = URL(filePath: "/proc/self/exe")
    process.arguments =
      [command.configuration.commandName ?? "", model] + arguments
      + ["--memory-limit", memoryLimit.argument]
    let (output, messages) = (Pipe(), Pipe())
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = messages
    do {
      try process.run()
    } catch {
      throw TensorIOError(
        .inferenceFailed, "The model can't be read: \(error.localizedDescription)", cause: error)
    }
    let timer = DispatchWorkItem { process.terminate() }
    DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(Self.seconds), execute: timer)
    // Both pipes are read at once, because a full one would stop the process.
    let text = Mutex(Data())
    let reading = DispatchGroup()
    DispatchQueue.global().async(group: reading) {
      let data = messages.fileHandleForReading.readDataToEndOfFile()
      text.withLock { $0 = data }
    }
    let data = output.fileHandleForReading.readDataToEndOfFile()
    reading.wait()
    process.waitUntilExit()
    timer.cancel()
    let lines = text.withLock { String(decoding: $0, as: UTF8.self) }
      .split(separator: "\n").map(String.init)
    guard process.terminationReason == .exit, process.terminationStatus == 0 else {
      throw TensorIOError(.invalidModel, Self.reason(lines)).about(model)
    }
    return (data, lines)
  }

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

/// The hidden command that prints a model's graph for the server that started it.
struct GraphReaderCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "read-graph", abstract: "Print a model's graph for another tensorio process.",
    shouldDisplay: false)

  @Argument(parsing: .captureForPassthrough, help: "The arguments of 'tensorio inspect'.")
  var arguments: [String] = []

  func run() throws {
    var command = try ModelCommands.inspect.parseAsRoot(arguments + ["--graph", "--json"])
    try command.run()
  }
}

/// The hidden command that prints the times of a model's operators for the server that started it.
struct OperatorTimesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "measure-operators",
    abstract: "Print the times of a model's operators for another tensorio process.",
    shouldDisplay: false)

  @Argument(parsing: .captureForPassthrough, help: "The arguments of 'tensorio inspect'.")
  var arguments: [String] = []

  func run() throws {
    // The model runs in this process, so its memory and time are limited as in 'tensorio inspect'.
    ProcessGuard.begin(for: ["tensorio", "inspect"] + arguments)
    var command = try ModelCommands.inspect.parseAsRoot(arguments + ["--times", "--json"])
    try command.run()
  }
}
#endif
