// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Synchronization
import TensorIO
import TestSupport
import Testing
import WorkerProtocol

/// A parent of `tensorio worker`, which sends items and collects the answers.
final class WorkerClient: Sendable {
  /// A message from the worker.
  struct Message: Sendable {
    let members: [String: JSONValue]
    let body: [UInt8]

    var type: String { text("type") }
    var id: ItemID? { members["id"].flatMap { ItemID($0) } }

    func text(_ name: String) -> String {
      if case .string(let text)? = members[name] { text } else { "" }
    }

    /// A member of the member `error`, or of the row.
    func part(_ object: String, _ name: String) -> JSONValue? {
      guard case .object(let part)? = members[object] else { return nil }
      return part[name]
    }

    var errorCode: String {
      if case .string(let code)? = part("error", "code") { code } else { "" }
    }

    var errorMessage: String {
      if case .string(let message)? = part("error", "message") { message } else { "" }
    }

    /// The row without times, which differ from run to run.
    var timelessRow: JSONValue? { members["row"]?.withoutTimes }
  }

  let process: ChildProcess
  private let form: FrameForm
  private let messages = Mutex<[Message]>([])
  private let hasEnded = Mutex(false)
  private let writing = DispatchQueue(label: "tests.worker.writing")
  private let errors = Mutex(Data())
  private let isWaitedFor = Mutex(false)

  /// Starts a worker.
  ///
  /// - Parameters:
  ///   - arguments: What follows `tensorio worker`.
  ///   - environment: Variables besides those of this process.
  ///   - reads: Whether the answers are read from the beginning.
  /// - Throws: An error if it can't be started.
  init(
    _ arguments: [String], environment: [String: String] = [:], reads: Bool = true
  ) throws {
    // A worker that ends is an error of the write, not a signal.
    signal(SIGPIPE, SIG_IGN)
    form = arguments.contains("--json-lines") ? .lines : .binary
    process = try ChildProcess(
      CommandRunner.binary.path, ["worker"] + arguments,
      environment: ProcessInfo.processInfo.environment.merging(environment) { _, new in new },
      in: CommandRunner.packageFolder.path)
    if reads { startReading() }
    let error = process.error
    DispatchQueue(label: "tests.worker.errors").async { [self] in
      while case let data = error.availableData, !data.isEmpty {
        errors.withLock { $0 += data }
      }
    }
  }

  deinit {
    // The number of a process that has ended may be that of another one.
    if isWaitedFor.withLock({ !$0 }) {
      kill(process.identifier, SIGKILL)
      _ = process.wait()
    }
  }

  /// What the worker has written to standard error.
  var errorText: String { errors.withLock { String(decoding: $0, as: UTF8.self) } }

  func startReading() {
    DispatchQueue(label: "tests.worker.reading").async { [self] in
      var decoder = FrameDecoder(form, mostBodyBytes: .max)
      while case let data = process.output.availableData, !data.isEmpty {
        guard (try? decoder.add(Array(data)[...])) != nil else { break }
        while case .frame(let frame)? = decoder.next() {
          guard
            case .object(let members)? = try? JSONValue(parsing: Data(frame.header))
          else { continue }
          var body = frame.body
          if case .string(let text)? = members["data"] {
            body = [UInt8](Data(base64Encoded: text) ?? Data())
          }
          let message = Message(members: members, body: body)
          messages.withLock { $0.append(message) }
        }
      }
      hasEnded.withLock { $0 = true }
    }
  }

  /// Sends a message soon.
  func send(_ header: String, body: [UInt8] = []) {
    sendBytes(Frame(header: Array(header.utf8), body: body).encoded(as: form))
  }

  /// Sends an item with an id and further members.
  func sendItem(_ id: Int, _ members: String, body: [UInt8] = []) {
    send(#"{"type":"item","id":\#(id),\#(members)}"#, body: body)
  }

  func sendBytes(_ bytes: [UInt8]) {
    writing.async { [process] in try? process.input.write(contentsOf: Data(bytes)) }
  }

  /// Closes standard input after what was sent.
  func endInput() { writing.async { [process] in try? process.input.close() } }

  /// The messages so far, without heartbeats.
  var received: [Message] { messages.withLock { $0.filter { $0.type != "heartbeat" } } }

  /// All messages so far.
  var everything: [Message] { messages.withLock { $0 } }

  /// Waits for a number of messages.
  func messages(_ count: Int) async throws -> [Message] {
    let isThere = try await eventually { received.count >= count || hasEnded.withLock { $0 } }
    try #require(isThere)
    try #require(received.count >= count, "\(received.map(\.members)) \(errorText)")
    return received
  }

  /// Ends the input, and waits for the end of the worker.
  ///
  /// - Returns: All messages but heartbeats, and the exit status or the signal.
  func finish() async throws -> (messages: [Message], status: Int32) {
    endInput()
    return try await end()
  }

  /// Waits for the end of the worker.
  func end() async throws -> (messages: [Message], status: Int32) {
    let ended = try await eventually { hasEnded.withLock { $0 } }
    try #require(ended, "The worker doesn't end: \(errorText)")
    return (received, await status())
  }

  /// Waits for the end of the process alone; call this once.
  func status() async -> Int32 {
    isWaitedFor.withLock { $0 = true }
    return await Task.detached { [process] in process.wait() }.value
  }
}

extension JSONValue {
  /// A row without its latencies.
  var withoutTimes: JSONValue {
    guard case .object(var row) = self, case .object(let evaluation)? = row["evaluation"] else {
      return self
    }
    row["evaluation"] = .object(evaluation.filter { !$0.key.hasSuffix("_latency") })
    return .object(row)
  }
}
