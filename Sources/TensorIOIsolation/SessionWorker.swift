// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CSystemCalls
import Dispatch
public import TensorIO

/// The other side of ``IsolatedBackend``: a process that loads one model and runs it.
public final class SessionWorker {
  private let channel = MessageChannel(descriptor: WorkerProcess.streamDescriptor)
  private let memory = SharedMemory(descriptor: WorkerProcess.memoryDescriptor)
  private let backends: [any Backend]
  private var model: (any LoadedModel)?
  private var options = SessionOptions()
  /// A fault that a test plants.
  private var fault: PlantedFault?
  private var session: (any Session)?
  private var signature: SignatureDescription?
  private var layout: SessionLayout?
  /// Whether a run has written the outputs of the current layout.
  private var hasOutputs = false
  /// The inputs for which the next run uses the model's default values.
  private var defaults: Set<Int> = []

  private init(backends: [any Backend]) { self.backends = backends }

  /// Serves the process that started this one until that process ends, and then ends this process.
  ///
  /// - Parameters:
  ///   - backends: The backends that models may use.
  ///   - memoryBytes: The maximum memory that this process may reserve, in bytes.
  public static func serve(backends: [any Backend], memoryBytes: Int) -> Never {
    enter_worker(UInt64(clamping: memoryBytes), WorkerProcess.memoryDescriptor)
    endWithParent()
    let worker = SessionWorker(backends: backends)
    // If the other side is gone, there is no one to report an error to.
    do { while true { try worker.answer() } } catch { _exit(0) }
  }

  /// Ends this process as soon as the other process ends, even while a model runs.
  private static func endWithParent() {
    DispatchQueue(label: "tensorio.session-worker").async {
      var one = pollfd(fd: WorkerProcess.streamDescriptor, events: 0, revents: 0)
      while poll(&one, 1, -1) < 1 {}
      _exit(0)
    }
  }

  // MARK: - Answers

  private func answer() throws {
    let request = try channel.receiveMessage(WorkerRequest.self)
    let reply: WorkerReply?
    do {
      reply = try self.reply(to: request)
    } catch let error as TensorIOError {
      reply = .failed(error)
    }
    do {
      try channel.sendMessage(reply)
    } catch let error as TensorIOError {
      try channel.sendMessage(WorkerReply.failed(error))
    }
  }

  private func reply(to request: WorkerRequest?) throws -> WorkerReply? {
    switch request {
    case nil: return try run()
    case .load(let address): return try load(address)
    case .describe(let layers, let signature):
      return .described(try loaded.describe(layers, in: signature))
    case .makeSession(let signature):
      session = try loaded.makeSession(signature, options: options)
      self.signature = signature
      hasOutputs = false
      return .layout(try shareLayout())
    case .resizeInputs(let shapes):
      try opened.resizeInputs(to: shapes)
      hasOutputs = false
      return .layout(try shareLayout())
    case .reset:
      try opened.reset()
      return .done
    case .setStrings(let input, let strings):
      try opened.setInput(at: input, to: strings)
      return .done
    case .useDefault(let input):
      try opened.useDefault(forInputAt: input)
      defaults.insert(input)
      return .done
    case .readStrings(let output): return .strings(try opened.strings(ofOutput: output))
    }
  }

  private func load(_ address: ModelAddress) throws -> WorkerReply {
    guard let backend = backends.first(where: { $0.name == address.backend }) else {
      throw TensorIOError(.unknownBackend, "There is no backend '\(address.backend)'.")
    }
    fault = PlantedFault(on: address.accelerator)
    fault?.happenAtLoad()
    options = SessionOptions(
      threads: address.threads, accelerator: fault == nil ? address.accelerator : .cpu)
    options.weights = address.weights
    let model = try backend.loadModel(
      at: address.path, for: ModelModes(rawValue: address.modes), options: options)
    self.model = model
    return .loaded(signatures: model.signatures, keepsState: model.keepsState)
  }

  /// Runs the model on the values in the shared memory.
  ///
  /// - Returns: The new layout, or nil when only the outputs' elements changed.
  private func run() throws -> WorkerReply? {
    guard let signature, let before = layout else { throw Self.outOfOrder }
    let session = try opened
    for index in signature.inputs.indices
    where before.inputs[index].byteCount > 0 && !defaults.contains(index) {
      let shared = memory.bytes(before.inputs[index].range)
      try session.withInput(at: index) { $0.copy(from: UnsafeRawBufferPointer(shared).bytes) }
    }
    defaults = []
    fault?.happenInRun()
    try session.run()
    hasOutputs = true
    let after = try shareLayout()
    for index in signature.outputs.indices where after.outputs[index].byteCount > 0 {
      let shared = memory.bytes(after.outputs[index].range)
      try session.withOutput(at: index) { bytes in
        bytes.withUnsafeBytes { shared.copyMemory(from: $0) }
      }
    }
    if let fault, let output = signature.outputs.first {
      fault.change(memory.bytes(after.outputs[0].range), of: output)
    }
    return after == before ? nil : .layout(after)
  }

  private var loaded: any LoadedModel {
    get throws {
      guard let model else { throw Self.outOfOrder }
      return model
    }
  }

  private var opened: any Session {
    get throws {
      guard let session else { throw Self.outOfOrder }
      return session
    }
  }

  private static var outOfOrder: TensorIOError {
    TensorIOError(.internalFault, "A request arrived before the request that it depends on.")
  }

  // MARK: - Layout

  /// Assigns every tensor a region in the shared memory.
  private func shareLayout() throws -> SessionLayout {
    guard let signature else { throw Self.outOfOrder }
    let session = try opened
    var offset = 0
    func region(_ shape: [Int], _ byteCount: Int) -> SessionLayout.Region {
      defer { offset += (byteCount + SessionLayout.slack + 63) / 64 * 64 }
      return SessionLayout.Region(shape: shape, offset: offset, byteCount: byteCount)
    }
    var layout = SessionLayout(inputs: [], outputs: [])
    for (index, input) in signature.inputs.enumerated() {
      var byteCount = 0
      if input.dataType != .string {
        try session.withInput(at: index) { byteCount = $0.byteCount }
      }
      layout.inputs.append(region([], byteCount))
    }
    for (index, output) in signature.outputs.enumerated() {
      let shape = session.outputShape(at: index)
      layout.outputs.append(region(shape, try byteCount(of: output, at: index, shape)))
    }
    try memory.reserve(layout.byteCount + SessionLayout.slack)
    self.layout = layout
    return layout
  }

  /// Returns the number of bytes of an output.
  ///
  /// Before the first run, this is the number that the run will write, or 0 if it isn't known.
  private func byteCount(
    of output: TensorDescription, at index: Int, _ shape: [Int]
  ) throws -> Int {
    if output.dataType == .string { return 0 }
    guard hasOutputs else {
      guard shape.allSatisfy({ $0 >= 0 }), let count = shape.elementCount else { return 0 }
      return count * (output.dataType?.byteWidth ?? 0)
    }
    var byteCount = 0
    try opened.withOutput(at: index) { byteCount = $0.byteCount }
    return byteCount
  }
}
