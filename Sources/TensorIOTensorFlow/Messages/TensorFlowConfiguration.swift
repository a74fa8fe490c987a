// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CSystemCalls

/// TensorFlow's ConfigProto, which sets the threads of a session.
struct TensorFlowConfiguration {
  /// The number of threads within one operation.
  var threadsInOperation: Int32
  /// The number of operations that run at once; -1 runs them on the calling thread.
  var operationsAtOnce: Int32

  /// Whether runs without a time limit use the calling thread.
  ///
  /// The others can't, because that thread has to watch the time.
  var runsOnCallingThread: Bool { operationsAtOnce < 0 }

  /// The message of a pool with a thread for each processor: its size and its name.
  private static let sharedPool: [UInt8] = {
    var pool: [UInt8] = [0x08]
    pool.append(varint: UInt64(max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))))
    pool.append(field: 2, "tensorio".utf8)
    return pool
  }()

  /// Makes a configuration for a number of threads.
  ///
  /// One thread is fastest for models with small operations, and running on the calling thread
  /// avoids a switch to another one. Documentation/TensorFlow.md has the measurements.
  ///
  /// TensorFlow's own environment variables `TF_NUM_INTRAOP_THREADS` and `TF_NUM_INTEROP_THREADS`
  /// take precedence.
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
  /// A session with several threads gets its own threads, because TensorFlow's shared pool has the
  /// size that the first session of the process asked for. A session with one thread doesn't,
  /// because TensorFlow no longer runs operations on the calling thread when the session has its
  /// own threads. For runs with a time limit, it has a pool that all such sessions share.
  var bytes: [UInt8] {
    var bytes: [UInt8] = [0x10]
    // Negative numbers are encoded as 64 bits.
    bytes.append(varint: UInt64(bitPattern: Int64(threadsInOperation)))
    bytes.append(0x28)
    bytes.append(varint: UInt64(bitPattern: Int64(operationsAtOnce)))
    // Soft placement runs a graph that was made for other devices on the CPU.
    bytes += [0x38, 1]
    if threadsInOperation > 1 || operationsAtOnce > 0 { bytes += [0x48, 1] }
    if runsOnCallingThread { bytes.append(field: 12, Self.sharedPool) }
    return bytes
  }
}
