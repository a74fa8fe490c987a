// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Takes the times, which no two runs share, out of what the command printed.
enum Latencies {
  /// The JSON with every time as `T`, and the person's lines with every time as `T`.
  static func removed(from text: String) -> String {
    text
      .replacing(/"(inference|preprocess|total|min|max|mean|median|p95)":[-+.0-9eE]+/) {
        "\"\($0.1)\":T"
      }
      .replacing(/(preprocess|inference) [.0-9]+ (µs|ms|s)\b/) { "\($0.1) T" }
      .replacing(/[.0-9]+ per second/, with: "R per second")
  }

  /// The line that `run` writes for a person.
  static let line = "preprocess T, inference T\n"

  /// The JSON of `run` around its outputs.
  static func json(around outputs: String) -> String {
    #"{"latency_ms":{"inference":T,"preprocess":T,"total":T},"outputs":\#(outputs)}"# + "\n"
  }
}

extension CommandRunner {
  /// Runs the binary, and takes the times out of what it wrote.
  static func runWithoutTimes(
    _ arguments: [String], environment: [String: String] = [:]
  ) async throws -> Result {
    let result = try await run(arguments, environment: environment)
    return (
      result.status, Latencies.removed(from: result.output), Latencies.removed(from: result.error)
    )
  }
}
