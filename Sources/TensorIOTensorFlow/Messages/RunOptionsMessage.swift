// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CTensorFlow

/// How TensorFlow runs a graph: its message `RunOptions`, with the thread and the time limit.
///
/// Source: tensorflow/core/protobuf/config.proto.
struct RunOptionsMessage {
  let bytes: [UInt8]

  /// Makes options for a run without a time limit.
  init(onCallingThread: Bool) {
    // inter_op_thread_pool is -1, which is encoded as 64 bits.
    bytes = onCallingThread ? [3 << 3] + [UInt8](repeating: 0xFF, count: 9) + [1] : []
  }

  /// Makes options for a run that may take a time, rounded up to milliseconds and at least one.
  init(limit: Duration) {
    // TensorFlow adds the time to its clock, so a limit of years could overflow.
    let most = 1_000_000_000.0
    var bytes: [UInt8] = [2 << 3]  // timeout_in_ms
    bytes.append(varint: UInt64(min(max((limit / .milliseconds(1)).rounded(.up), 1), most)))
    self.bytes = bytes
  }

  /// Calls a closure with a buffer that has the message.
  @inline(__always)
  func withBuffer(_ body: (UnsafePointer<TF_Buffer>) -> Void) {
    bytes.withUnsafeBytes { bytes in
      var buffer = TF_Buffer(
        data: bytes.baseAddress, length: bytes.count, data_deallocator: nil)
      withUnsafePointer(to: &buffer, body)
    }
  }
}
