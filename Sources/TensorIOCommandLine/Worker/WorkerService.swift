// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import ModelTools
import NetRunner
import Synchronization
import TensorIO
import WorkerProtocol

/// Reads a worker's items, has them run, and writes their answers.
///
/// It reads no more items than the window, so a parent that doesn't read its answers stops it. An item
/// counts until its answer is written.
final class WorkerService: Sendable {
  struct Options: Sendable {
    var form = FrameForm.binary
    /// The time between two heartbeats; nil for none.
    var heartbeat: Duration?
    /// The most time for an item that has none of its own; nil for no limit.
    var timeout: Duration?
    /// Whether time limits are left to a supervisor.
    var ignoresTimeouts = false
    var mostBodyBytes = 256 << 20
    /// Returns the members of an answer that say what ran the item; none if nobody asked.
    var ranOn: @Sendable () -> [String: JSONValue] = { [:] }
  }

  private struct State {
    var underWay: [ItemID: Job] = [:]
    var order: [ItemID] = []
    var count = 0
    var done = 0
    var failed = 0
    var fault: (message: String, status: Int32)?
    var hasEnded = false
  }

  private let streams: WorkerStreams
  private let options: Options
  private let runner: any JobRunner
  private let isInterrupted: @Sendable () -> Bool
  private let writer: FrameWriter
  private let state = Mutex(State())
  private let room: DispatchSemaphore
  private let unanswered = DispatchGroup()
  private let clock = ContinuousClock()
  /// Wakes the thread that watches deadlines.
  private let changes = DispatchSemaphore(value: 0)
  private let heartbeatIsPending = Atomic(false)
  /// How long the reader waits at most before it looks whether the process was interrupted.
  private static let pollMilliseconds: Int32 = 100

  init(
    _ streams: WorkerStreams, _ options: Options, runner: any JobRunner, writer: FrameWriter,
    isInterrupted: @escaping @Sendable () -> Bool
  ) {
    self.streams = streams
    self.options = options
    self.runner = runner
    self.isInterrupted = isInterrupted
    self.writer = writer
    room = DispatchSemaphore(value: 0)
    for _ in 0..<runner.window { room.signal() }
  }

  /// Serves until the input ends, and all items are answered.
  ///
  /// - Returns: The exit code of the process.
  func serve() throws -> Int32 {
    watchTime()
    do throws(FrameDecoder.Fault) {
      try readItems()
    } catch {
      stop(because: error.message, status: 65)
    }
    unanswered.wait()
    runner.stop()
    let last = state.withLock { state in
      state.hasEnded = true
      return state
    }
    changes.signal()
    if let fault = last.fault {
      try writer.send(WorkerReply.fault(fault.message).frame())
    } else {
      try writer.send(WorkerReply.end(done: last.done, failed: last.failed).frame())
    }
    writer.finish()
    return last.fault?.status ?? 0
  }

  /// Reads no more items, and ends with a fault when those under way are answered.
  func stop(because message: String, status: Int32) {
    state.withLock { state in
      if state.fault == nil { state.fault = (message, status) }
    }
  }

  // MARK: - Reading

  private var isOver: Bool { isInterrupted() || state.withLock { $0.fault != nil } }

  private func readItems() throws(FrameDecoder.Fault) {
    var decoder = FrameDecoder(options.form, mostBodyBytes: options.mostBodyBytes)
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while !isOver {
      guard
        Descriptor.isReadable(streams.input, withinMilliseconds: Self.pollMilliseconds)
      else { continue }
      let part: ArraySlice<UInt8>?
      do throws(ReadFailure) {
        part = try Descriptor.read(streams.input, into: &buffer)
      } catch {
        throw FrameDecoder.Fault(message: "Standard input can't be read: \(error.message).")
      }
      guard let bytes = part else {
        try decoder.end()
        return try takeEvents(&decoder)
      }
      // The frames before a fault are still answered.
      var fault: FrameDecoder.Fault?
      do throws(FrameDecoder.Fault) { try decoder.add(bytes) } catch { fault = error }
      try takeEvents(&decoder)
      if let fault { throw fault }
    }
  }

  private func takeEvents(_ decoder: inout FrameDecoder) throws(FrameDecoder.Fault) {
    while let event = decoder.next(), !isOver {
      switch event {
      case .frame(let frame): try take(frame)
      case .oversized(let header, let message):
        guard waitForRoom() else { return }
        refuse(WorkerRequest.id(inHeader: header), message)
      }
    }
  }

  private func take(_ frame: Frame) throws(FrameDecoder.Fault) {
    switch WorkerRequest(frame) {
    case .item(let item): if waitForRoom() { begin(item) }
    case .cancel(let id):
      if let job = state.withLock({ $0.underWay[id] }), runner.cancel(job) {
        answer(job, failing: .cancelled)
      }
    case .refused(let id, let refusal): if waitForRoom() { refuse(id, refusal.message) }
    case .malformed(let message):
      // Lines remain lines, but a binary stream has lost its way.
      if case .binary = options.form { throw FrameDecoder.Fault(message: message) }
      if waitForRoom() { refuse(nil, message) }
    }
  }

  /// Waits until another item may be under way; false if the process should end.
  private func waitForRoom() -> Bool {
    while room.wait(timeout: .now() + .milliseconds(Int(Self.pollMilliseconds))) == .timedOut {
      if isOver { return false }
    }
    return true
  }

  private func begin(_ item: WorkerItem) {
    let limit = options.ignoresTimeouts ? nil : item.timeout ?? options.timeout
    let job: Job? = state.withLock { state in
      defer { state.count += 1 }
      guard state.underWay[item.id] == nil else { return nil }
      let job = Job(item, index: item.index ?? state.count, limit: limit)
      state.underWay[item.id] = job
      state.order.append(item.id)
      return job
    }
    guard let job else {
      return refuse(item.id, "Another item with this id is under way.")
    }
    unanswered.enter()
    runner.begin(job)
  }

  /// Has the thread that watches deadlines look again, because the clock of a job has started.
  func noteDeadline() { changes.signal() }

  private func refuse(_ id: ItemID?, _ message: String) {
    state.withLock { state in
      state.done += 1
      state.failed += 1
    }
    unanswered.enter()
    write(.failed(id, ItemFailure("refused", message)))
  }

  // MARK: - Answers

  /// Answers a job, unless it is answered already.
  func answer(_ job: Job, _ reply: WorkerReply) {
    do {
      answer(job, frame: try reply.frame(with: options.ranOn()), isFailure: reply.isFailure)
    } catch {
      answer(job, failing: ItemFailure("answer_too_large", "\(error)"))
    }
  }

  /// Answers a job with a failure.
  func answer(_ job: Job, failing failure: ItemFailure) {
    do {
      let reply = try job.reply(failing: failure, rows: runner.rows)
      answer(job, frame: try reply.frame(), isFailure: true)
    } catch {
      // Only a name of many megabytes makes a row with an error too long.
      answer(job, .failed(job.item.id, ItemFailure(failure.code, "The item failed.")))
    }
  }

  /// Answers a job with a frame of another worker.
  func answer(_ job: Job, frame: Frame, isFailure: Bool) {
    guard job.beAnswered() else { return }
    let isLast = state.withLock { state in
      state.underWay[job.item.id] = nil
      state.order.removeAll { $0 == job.item.id }
      state.done += 1
      if isFailure { state.failed += 1 }
      return state.underWay.isEmpty
    }
    // The parent may have nothing to send before it has the last answer.
    write(frame, mayWait: !isLast)
  }

  private func write(_ reply: WorkerReply) {
    do {
      write(try reply.frame())
    } catch {
      write(Frame(header: Array(#"{"type":"fault","message":"An answer can't be written."}"#.utf8)))
    }
  }

  /// Writes an answer, whose item counts until then.
  private func write(_ frame: Frame, mayWait: Bool = false) {
    writer.send(frame, mayWait: mayWait) { [room, unanswered] in
      room.signal()
      unanswered.leave()
    }
  }

  // MARK: - Time

  /// Sends heartbeats, and answers the items whose time is over.
  private func watchTime() {
    DispatchQueue(label: "tensorio.worker.time").async { [self] in
      var heartbeat = options.heartbeat.map { clock.now + $0 }
      while let jobs = state.withLock({ $0.hasEnded ? nil : Array($0.underWay.values) }) {
        let next = (jobs.map(\.deadline) + [heartbeat]).compactMap { $0 }.min()
        if let next {
          let time = max(0, clock.now.duration(to: next).milliseconds)
          _ = changes.wait(timeout: .now() + .microseconds(Int(min(time * 1000, 1e9))))
        } else {
          changes.wait()
        }
        if let time = heartbeat, time <= clock.now {
          sendHeartbeat()
          heartbeat = options.heartbeat.map { clock.now + $0 }
        }
        for job in jobs {
          if let deadline = job.deadline, deadline <= clock.now, !job.isAnswered { expire(job) }
        }
      }
    }
  }

  private func expire(_ job: Job) {
    let limit = job.limit ?? .zero
    let message = "The item took longer than its limit of \(limit.formatted)."
    answer(job, failing: ItemFailure("timed_out", message))
    runner.expire(job)
  }

  private func sendHeartbeat() {
    // A parent that doesn't read gets no second one.
    guard !heartbeatIsPending.exchange(true, ordering: .acquiringAndReleasing) else { return }
    let reply = state.withLock { state in
      WorkerReply.heartbeat(underWay: state.order, done: state.done, failed: state.failed)
    }
    // Identifiers are short, so the few of a window always fit into a header.
    guard let frame = try? reply.frame() else { return }
    writer.send(frame) { [self] in heartbeatIsPending.store(false, ordering: .releasing) }
  }
}
