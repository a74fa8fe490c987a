// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
import TensorIO
import TensorIOIsolation
import TensorIOLiteRT

/// The value of `--memory-limit`, which every command that opens other people's models accepts.
///
/// The commands repeat the option instead of sharing an option group. Each group makes every start
/// 5% slower, because the parser looks up six conformances of its type.
package struct MemoryLimit: ExpressibleByArgument, Sendable {
  package static let standard = MemoryLimit(size: ByteCount(1 << 30))

  package static let help = ArgumentHelp(
    "The most memory that a TensorFlow Lite model's tensors may take, such as 512MiB or 4GiB; "
      + "from 1MiB to 16384GiB.", valueName: "size")

  private let size: ByteCount

  private init(size: ByteCount) { self.size = size }

  package init?(argument: String) {
    guard let size = ByteCount(parsing: argument), (1 << 20...1 << 44).contains(size.bytes) else {
      return nil
    }
    self.size = size
  }

  package var defaultValueDescription: String { size.description }

  /// The limit as an argument for another process.
  package var argument: String { String(bytes) }

  package var bytes: Int { size.bytes }

  /// The same limit for a model in a separate process.
  var isolation: IsolationOptions {
    IsolationOptions(
      arguments: ["session-worker", "--memory-limit", String(bytes)],
      memoryBytes: bytes + 256 << 20)
  }

  var liteRTLimits: LiteRTLimits { LiteRTLimits(tensorBytes: bytes) }
}
