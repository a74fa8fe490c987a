// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

internal import TensorIO

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// TensorFlow's ConfigProto: how many threads a session has.
struct TensorFlowConfiguration {
  /// Threads inside one operation.
  var threadsInOperation: Int32
  /// Operations at once; -1 runs them on the calling thread.
  var operationsAtOnce: Int32

  /// One thread is the fastest for models whose operations are small, and the calling thread saves
  /// handing over to another: Documentation/TensorFlow.md has the figures.
  ///
  /// TensorFlow's own variables override it: `TF_NUM_INTRAOP_THREADS` and `TF_NUM_INTEROP_THREADS`.
  init(threads: Int) {
    threadsInOperation = Self.number("TF_NUM_INTRAOP_THREADS") ?? Int32(clamping: threads)
    operationsAtOnce = Self.number("TF_NUM_INTEROP_THREADS") ?? (threads > 1 ? 1 : -1)
  }

  private static func number(_ variable: String) -> Int32? {
    guard let text = getenv(variable) else { return nil }
    return Int32(String(cString: text))
  }

  /// The message's bytes.
  ///
  /// A session with several threads gets its own: TensorFlow's common ones are as many as the first
  /// session of the process asked for. A session with one does without: with threads of its own
  /// TensorFlow no longer runs operations on the calling thread.
  var bytes: [UInt8] {
    // Soft placement (the last two): a graph made for another machine's devices runs on the CPU.
    let numbers =
      [0x10] + Self.varint(threadsInOperation) + [0x28] + Self.varint(operationsAtOnce) + [0x38, 1]
    return threadsInOperation > 1 || operationsAtOnce > 0 ? numbers + [0x48, 1] : numbers
  }

  /// Protocol Buffers' integers: seven bits a byte, negative ones as 64 bits.
  private static func varint(_ number: Int32) -> [UInt8] {
    var rest = UInt64(bitPattern: Int64(number))
    var bytes: [UInt8] = []
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }
}
