// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import TensorIO
import TensorIOIsolation
import TensorIOLiteRT

/// What a model may take, for the commands that open models nobody vouches for.
package struct SafetyArguments: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      "The most memory that a TensorFlow Lite model's tensors may take, as 512MiB or 4GiB.",
      valueName: "size"))
  var memoryLimit = ByteCount(1 << 30)

  package init() {}

  package func validate() throws {
    guard memoryLimit.bytes >= 1 << 20, memoryLimit.bytes <= 1 << 44 else {
      throw ValidationError(
        "--memory-limit takes a size from 1MiB to 16384GiB, got \(memoryLimit).")
    }
  }

  /// What the same limits mean for a process of the model's own.
  var isolation: IsolationOptions {
    IsolationOptions(
      arguments: ["session-worker", "--memory-limit", String(memoryLimit.bytes)],
      memoryBytes: memoryLimit.bytes + 256 << 20)
  }

  var liteRTLimits: LiteRTLimits { LiteRTLimits(tensorBytes: memoryLimit.bytes) }
}

extension ByteCount: ExpressibleByArgument {
  package init?(argument: String) { self.init(parsing: argument) }

  package var defaultValueDescription: String { description }
}
