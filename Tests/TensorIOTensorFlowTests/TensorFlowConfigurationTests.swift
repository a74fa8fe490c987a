// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import TensorIOTensorFlow

/// Compares the messages for a session and a run with what TensorFlow's own classes read.
@Suite(.enabled(if: Python.path != nil, "TENSORIO_PYTHON isn't set."))
struct TensorFlowConfigurationTests {
  private func read(_ message: [UInt8], as name: String, _ fields: String) async throws -> String {
    let reader = """
      import sys
      import tensorflow_messages
      from tensorflow.core.protobuf import config_pb2
      it = config_pb2.\(name).FromString(sys.stdin.buffer.read())
      print(\(fields))
      """
    return try await Python.run(["-c", reader], input: Data(message))
  }

  @Test(arguments: [
    (Int32(1), Int32(-1), "1 -1 True False [('tensorio', True)]"), (300, 2, "300 2 True True []"),
  ])
  func `TensorFlow reads the threads of a session`(
    _ inOperation: Int32, _ atOnce: Int32, _ expected: String
  ) async throws {
    var configuration = TensorFlowConfiguration(threads: 1)
    configuration.threadsInOperation = inOperation
    configuration.operationsAtOnce = atOnce
    let found = try await read(
      configuration.bytes, as: "ConfigProto",
      """
      it.intra_op_parallelism_threads, it.inter_op_parallelism_threads, it.allow_soft_placement,
        it.use_per_session_threads,
        [(pool.global_name, pool.num_threads > 0) for pool in it.session_inter_op_thread_pool]
      """)
    #expect(found == expected + "\n")
  }

  @Test(
    arguments: [
      (.microseconds(299_001), 300), (.microseconds(10), 1), (.seconds(-1), 1),
      (.seconds(86_400 * 365 * 100), 1_000_000_000),
    ] as [(Duration, Int)])
  func `TensorFlow reads the limit of a run`(_ limit: Duration, _ milliseconds: Int) async throws {
    let found = try await read(
      RunOptionsMessage(limit: limit).bytes, as: "RunOptions",
      "it.timeout_in_ms, it.inter_op_thread_pool")
    #expect(found == "\(milliseconds) 0\n")
  }

  @Test(arguments: [(true, -1), (false, 0)])
  func `TensorFlow reads the thread of a run`(_ isCalling: Bool, _ pool: Int) async throws {
    let found = try await read(
      RunOptionsMessage(onCallingThread: isCalling).bytes, as: "RunOptions",
      "it.timeout_in_ms, it.inter_op_thread_pool")
    #expect(found == "0 \(pool)\n")
  }
}
