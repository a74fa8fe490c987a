// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CSystemCalls
import ModelCommands
import ModelTools
import TensorIO
import TensorIOIsolation

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// How much memory a model takes with different numbers of sessions.
struct SessionMemory {
  /// The numbers of sessions that are measured.
  static let counts = [1, 2, 4]

  /// The bytes that the process has used since before the model was loaded, for each count.
  let bytes: [Int]
  /// Whether the sessions share the weights that XNNPACK has packed.
  ///
  /// Nil for models of TensorFlow, whose sessions always share their weights.
  let sharesWeights: Bool?

  /// Measures each number of sessions in a process of its own, because freed memory stays with a process.
  ///
  /// - Parameter sharesWeights: Whether the sessions share their packed weights; nil for TensorFlow.
  /// - Throws: `TensorIOError` if a process ends without an answer.
  init(sharesWeights: Bool?) throws {
    self.sharesWeights = sharesWeights
    let own: Set = ["--memory", "--json", "--profile"]
    let words = CommandLine.arguments.filter { !own.contains($0) }
    bytes = try Self.counts.map { count in
      let stream = try SpawnedProcess.makeStream()
      defer { close(stream.own) }
      let process: SpawnedProcess
      do {
        defer { close(stream.child) }
        process = try SpawnedProcess(
          "/proc/self/exe", words + ["--sessions-memory", "\(count)"],
          descriptors: [(stream.child, STDOUT_FILENO)])
      }
      var text: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 64)
      while text.count < 64 {
        let got = recv(stream.own, &buffer, buffer.count, 0)
        if got < 0 && errno == EINTR { continue }
        guard got > 0 else { break }
        text += buffer.prefix(got)
      }
      _ = process.end(isEnding: true)
      guard let bytes = Int(String(decoding: text, as: UTF8.self).filter { !$0.isWhitespace })
      else {
        throw TensorIOError(
          .inferenceFailed,
          "The process that measured the memory of \(counted(count, "session")) ended without a "
            + "number.")
      }
      return bytes
    }
  }

  /// The bytes of each session after the first one, for each count.
  private var further: [Int?] {
    zip(Self.counts, bytes).map { count, total in
      count > 1 ? (total - bytes[0]) / (count - 1) : nil
    }
  }

  var json: JSONValue {
    .object([
      "weights_shared": .bool(sharesWeights ?? true),
      "sessions": .array(
        zip(Self.counts, zip(bytes, further)).map { count, sizes in
          .object([
            "sessions": .integer(Int64(count)), "bytes": .integer(Int64(sizes.0)),
            "bytes_per_further_session": .numberOrNull(sizes.1.map(Double.init)),
          ])
        }),
    ])
  }

  var text: String {
    var table = TextTable(headings: ["Sessions", "Memory", "Each further session"])
    for (count, sizes) in zip(Self.counts, zip(bytes, further)) {
      table.append(
        "\(count)", Self.megabytes(sizes.0), sizes.1.map(Self.megabytes) ?? "")
    }
    let note =
      switch sharesWeights {
      case true?: "The sessions share the weights that XNNPACK has packed."
      case false?: "Each session has its own packed weights. --weight-cache shares them."
      case nil: "The sessions share the weights."
      }
    return """
      memory by session
      \(table.lines().joined(separator: "\n"))
      \(note)
      """
  }

  private static func megabytes(_ bytes: Int) -> String { "\((Double(bytes) / 1e6).fixed(2)) MB" }

  /// The process's part of all memory that it uses, in bytes: pages that processes share are divided.
  static var used: Int {
    guard let bytes = try? FileSystem.read("/proc/self/smaps_rollup") else { return 0 }
    let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
      .first { $0.hasPrefix("Pss:") }
    return (line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0) * 1024
  }
}
