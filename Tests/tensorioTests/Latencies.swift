// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Removes times, which differ between runs, from the output of a command.
enum Latencies {
  /// The text with every time replaced by `T`, in JSON and in plain lines, and every rate by `R`.
  static func removed(from text: String) -> String {
    text
      .replacing(/"(inference|preprocess|total|min|max|mean|median|p95)":[-+.0-9eE]+/) {
        "\"\($0.1)\":T"
      }
      .replacing(/(preprocess|inference) [.0-9]+ (µs|ms|s)\b/) { "\($0.1) T" }
      .replacing(/[.0-9]+ per second/, with: "R per second")
  }

  /// The line of latencies that `run` writes to standard error.
  static let line = "preprocess T, inference T\n"

  /// The JSON that `run` prints for these outputs.
  static func json(around outputs: String) -> String {
    #"{"latency_ms":{"inference":T,"preprocess":T,"total":T},"outputs":\#(outputs)}"# + "\n"
  }
}

extension CommandRunner {
  /// Runs the binary and removes the times from its output.
  static func runWithoutTimes(
    _ arguments: [String], environment: [String: String] = [:]
  ) async throws -> Result {
    let result = try await run(arguments, environment: environment)
    return (
      result.status, Latencies.removed(from: result.output), Latencies.removed(from: result.error)
    )
  }
}
