// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TensorIOIsolation
import TensorIOLiteRT
import TensorIOTesting
import TestSupport
import Testing

@Suite struct IsolatedBackendTests {
  private let backend = IsolatedBackend(.liteRT, options: .test())

  @Test(arguments: BackendConformance.Check.allCases)
  func `the backend conforms`(_ check: BackendConformance.Check) async throws {
    try await BackendConformance(backend, models: Fixtures.models.path()).run(check)
  }

  @Test(arguments: ["two_signatures", "per_channel", "dynamic_batch", "uint8_quantized"])
  func `models are described as by the backend itself`(_ name: String) throws {
    let path = Fixtures.model("\(name).tflite")
    let own = try LiteRTBackend().loadModel(at: path, for: .predict)
    let isolated = try backend.loadModel(at: path, for: .predict)
    #expect(isolated.signatures == own.signatures)
    #expect(isolated.keepsState == own.keepsState)
  }

  @Test func `a model in its own process begins a new sequence after reset`() throws {
    let model = try backend.loadModel(at: Fixtures.model("lstm_int8.tflite"), for: .predict)
    let session = try model.makeSession(signature: 0, options: SessionOptions())
    func run() throws -> [UInt8] {
      try session.withInput(at: 0) { memory in
        memory.withUnsafeMutableBytes { $0.copyBytes(from: [128, 127, 0, 64, 255, 5]) }
      }
      try session.run()
      var bytes: [UInt8] = []
      try session.withOutput(at: 0) { span in bytes = span.withUnsafeBytes { Array($0) } }
      return bytes
    }
    let sequence = [try run(), try run()]
    #expect(sequence[0] != sequence[1])
    try session.reset()
    #expect([try run(), try run()] == sequence)
  }

  @Test func `a crash is an error, and the next run starts a new process`() throws {
    // The process takes some seconds to crash, and longer while other tests run.
    var options = IsolationOptions.test()
    options.firstAnswerSeconds = 120
    let model = try IsolatedBackend(.liteRT, options: options)
      .loadModel(at: Fixtures.model("crash_on_run.tflite"), for: .predict)
    let session = try model.makeSession(signature: 0, options: SessionOptions())
    for _ in 1...3 {
      let error = #expect(throws: TensorIOError.self) { try session.run() }
      #expect(error?.code == .processEnded)
      #expect(error?.message.contains("segmentation fault") == true, "\(error?.message ?? "")")
    }
    let error = #expect(throws: TensorIOError.self) { try session.run() }
    #expect(error?.message.contains("3 processes in a row") == true, "\(error?.message ?? "")")
  }

  @Test func `a model that ended three processes in a row runs again after a while`() throws {
    var options = IsolationOptions.test()
    options.restSeconds = 2
    let copy = try ModelCopy(of: "add.tflite")
    let model = try IsolatedBackend(.liteRT, options: options)
      .loadModel(at: copy.path, for: .predict)
    let session = try model.makeSession(signature: 0, options: SessionOptions())
    func fault() throws -> String {
      let processes = try WorkerProcesses.running(copy.path)
      #expect(processes.count == 1)
      for process in processes { kill(process, SIGKILL) }
      return #expect(throws: TensorIOError.self) { try session.run() }?.message ?? ""
    }
    try session.run()
    for count in 1...3 {
      try #expect(fault().contains("killed"))
      // The next process begins with the next run, which would end the row of faults.
      if count < 3 { try session.withInput(at: 0) { _ in } }
    }
    for _ in 0..<2 {
      let error = #expect(throws: TensorIOError.self) { try session.run() }
      #expect(error?.code == .processEnded)
      #expect(
        error?.message.contains("isn't run for the next") == true, "\(error?.message ?? "")")
    }
    let end = ContinuousClock.now + longestWait
    while (try? session.run()) == nil, ContinuousClock.now < end { usleep(50_000) }
    try session.run()
    try #expect(fault().contains("killed"))
    // After a run that succeeded, one fault is the first again.
    try session.run()
  }

  @Test func `a file may be larger than the memory that is allowed besides`() throws {
    let copy = try ModelCopy(of: "add.tflite")
    // The zeros behind the model take no space on the disk.
    #expect(truncate(copy.path, 700 << 20) == 0)
    var options = IsolationOptions.test()
    options.memoryBytes = 512 << 20
    let model = try IsolatedBackend(.liteRT, options: options)
      .loadModel(at: copy.path, for: .predict)
    try model.makeSession(signature: 0, options: SessionOptions()).run()
  }

  @Test func `a killed process is replaced, and the new one has the same shapes`() throws {
    let copy = try ModelCopy(of: "dynamic_batch.tflite")
    let model = try backend.loadModel(at: copy.path, for: .predict)
    let session = try model.makeSession(signature: 0, options: SessionOptions())
    try session.resizeInputs(to: [[4, 3]])
    func result() throws -> [Float] {
      try session.withInput(at: 0) { memory in
        for index in 0..<12 {
          memory.storeBytes(of: Float(index), toByteOffset: index * 4, as: Float.self)
        }
      }
      try session.run()
      var numbers: [Float] = []
      try session.withOutput(at: 0) { bytes in
        for index in 0..<bytes.byteCount / 4 {
          numbers.append(bytes.unsafeLoadUnaligned(fromByteOffset: index * 4, as: Float.self))
        }
      }
      return numbers
    }
    let before = try result()
    #expect(before.count == 8)
    let workers = try WorkerProcesses.running(copy.path)
    #expect(workers.count == 1)
    for worker in workers { kill(worker, SIGKILL) }
    let error = #expect(throws: TensorIOError.self) { _ = try result() }
    let message = error?.message ?? ""
    #expect(message.contains("was killed") && !message.contains("damaged"), "\(message)")
    #expect(try result() == before)
  }

  @Test func `strings that are too long to send are an error, and the process keeps running`()
    throws
  {
    let model = try backend.loadModel(at: Fixtures.model("string.tflite"), for: .predict)
    let session = try model.makeSession(signature: 0, options: SessionOptions())
    let error = #expect(throws: TensorIOError.self) {
      try session.setInput(at: 0, to: [Data(count: 60 << 20), Data(), Data()])
    }
    #expect(error?.message.contains("At most 64 MiB") == true, "\(error?.message ?? "")")
    let texts = ["a", "", "c"].map { Data($0.utf8) }
    try session.setInput(at: 0, to: texts)
    try session.run()
    #expect(try session.strings(ofOutput: 0).count == 3)
  }

  @Test func `a run that takes too long is stopped`() throws {
    var options = IsolationOptions.test()
    options.firstAnswerSeconds = 3
    let model = try IsolatedBackend(.liteRT, options: options)
      .loadModel(at: Fixtures.model("slow.tflite"), for: .predict)
    let session = try model.makeSession(signature: 0, options: SessionOptions())
    try session.withInput(at: 0) { $0.storeBytes(of: Int32.max, as: Int32.self) }
    let error = #expect(throws: TensorIOError.self) { try session.run() }
    #expect(error?.message.contains("within 3 seconds") == true, "\(error?.message ?? "")")
  }

  @Test func `a cancelled token ends the run`() async throws {
    let token = CancellationToken()
    let model = try backend.loadModel(at: Fixtures.model("slow.tflite"), for: .predict)
    let session = try model.makeSession(
      signature: 0, options: SessionOptions(cancellation: token))
    try session.withInput(at: 0) { $0.storeBytes(of: Int32.max, as: Int32.self) }
    DispatchQueue.global().asyncAfter(deadline: .now() + 0.3) { token.cancel() }
    let error = #expect(throws: TensorIOError.self) { try session.run() }
    #expect(error?.code == .cancelled)
  }

  @Test func `a cancelled run ends its process, and the next one starts another`() async throws {
    let model = try backend.loadModel(at: Fixtures.model("slow.tflite"), for: .predict)
    let session = try model.makeSession(signature: 0, options: SessionOptions())
    func run(_ steps: Int32, until token: CancellationToken) throws -> Int32 {
      try session.withInput(at: 0) { $0.storeBytes(of: steps, as: Int32.self) }
      try session.run(until: token)
      var result: Int32 = 0
      try session.withOutput(at: 0) {
        result = $0.unsafeLoad(fromByteOffset: 0, as: Int32.self)
      }
      return result
    }
    let expected = try run(1000, until: CancellationToken())
    let error = #expect(throws: TensorIOError.self) {
      try run(.max, until: CancellationToken(deadline: .now + .milliseconds(200)))
    }
    #expect(error?.code == .cancelled)
    #expect(try run(1000, until: CancellationToken()) == expected)
  }

  @Test func `a program that isn't a worker is an error`() {
    var options = IsolationOptions.test()
    options.program = "/bin/true"
    let error = #expect(throws: TensorIOError.self) {
      try IsolatedBackend(.liteRT, options: options)
        .loadModel(at: Fixtures.model("add.tflite"), for: .predict)
    }
    #expect(error?.message.contains("ended unexpectedly") == true, "\(error?.message ?? "")")
    options.program = "/no/such/program"
    #expect(throws: TensorIOError.self) {
      try IsolatedBackend(.liteRT, options: options)
        .loadModel(at: Fixtures.model("add.tflite"), for: .predict)
    }
  }

  @Test func `no process remains after the models are released`() throws {
    let copy = try ModelCopy(of: "matmul.tflite")
    do {
      let model = try backend.loadModel(at: copy.path, for: .predict)
      let sessions = try (0..<3).map { _ in
        try model.makeSession(signature: 0, options: SessionOptions())
      }
      for session in sessions { try session.run() }
      #expect(try WorkerProcesses.running(copy.path).count == 3)
    }
    #expect(try WorkerProcesses.running(copy.path).isEmpty)
  }
}

extension IsolationOptions {
  /// The command that is built with the tests.
  static func test() -> IsolationOptions {
    IsolationOptions(program: Fixtures.command)
  }
}

/// A copy of a model file whose name is in no other test's command line.
private final class ModelCopy {
  let path: String

  init(of name: String) throws {
    path = FileManager.default.temporaryDirectory.appending(path: "\(UUID())-\(name)").path
    try FileManager.default.copyItem(atPath: Fixtures.model(name), toPath: path)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// The child processes that run a model for this process.
private enum WorkerProcesses {
  static func running(_ path: String) throws -> [pid_t] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { pid_t($0) }
      .filter { process in
        // A process may end in the meantime.
        let words = try? String(contentsOfFile: "/proc/\(process)/cmdline", encoding: .utf8)
        return words?.contains("session-worker") == true && words?.contains(path) == true
      }
  }
}
