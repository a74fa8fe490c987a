// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import TensorIO
import TensorIOTesting
import Testing

@Suite struct EchoBackendTests {
  private let models = Fixtures.models.path(percentEncoded: false)

  @Test(arguments: BackendConformance.Check.allCases)
  func `the backend conforms`(_ check: BackendConformance.Check) async throws {
    let echo = EchoBackend.fixtures()
    try await BackendConformance(echo, models: models).run(check)
    #expect(echo.record.violations.isEmpty)
  }

  @Test(arguments: BackendConformance.Check.allCases)
  func `a backend that finds layers by name conforms`(_ check: BackendConformance.Check)
    async throws
  {
    let echo = EchoBackend.fixtures(matchesLayersByName: true)
    try await BackendConformance(echo, models: models).run(check)
    #expect(echo.record.violations.isEmpty)
  }

  @Test(arguments: [true, false])
  func `backends conform with any batch size, and when items affect each other`(
    _ mixesItems: Bool
  ) async throws {
    let behaviour = EchoBackend.Behaviour(resizing: .firstAxis, mixesItems: mixesItems)
    let conformance = BackendConformance(EchoBackend.fixtures(behaviour: behaviour), models: models)
    try await conformance.run(.fixedBatches)
  }

  @Test func `a violation is reported by the check that finds it`() async throws {
    // If the model itself declares batches, it's the model's fault when items affect each other.
    let behaviour = EchoBackend.Behaviour(mixesItems: true)
    let conformance = BackendConformance(EchoBackend.fixtures(behaviour: behaviour), models: models)
    let error = await #expect(throws: ConformanceError.self) {
      try await conformance.run(.openBatches)
    }
    #expect(error?.description.contains("differs from its single run") == true)
  }

  @Test func `outputs echo the inputs by index`() throws {
    let echo = EchoBackend([
      SignatureDescription(
        key: "", inputs: [.float("a", [2]), .tensor("b", .uint8, [4])],
        outputs: [.float("c", [2]), .tensor("d", .uint8, [2]), .float("e", [3])])
    ])
    let bundle = try TestBundle(
      inputs: [.layer("a", [2]), .layer("b", [4])],
      outputs: [.layer("c", [2]), .layer("d", [2]), .layer("e", [3])])
    let model = try ModelLoader(backends: [echo]).model(at: bundle.path)
    let outputs = try model.run(["a": [1, 2], "b": [5, 6, 7, 8]])
    #expect(try outputs["c"] == [1, 2] as [Float])
    #expect(try outputs["d"] == [5, 6] as [Int])
    #expect(try outputs["e"] == [1, 2, 0] as [Float])
  }

  @Test func `two threads that use one session are detected`() throws {
    let entered = DispatchSemaphore(value: 0)
    let leave = DispatchSemaphore(value: 0)
    let echo = EchoBackend(
      [.vectors],
      behaviour: EchoBackend.Behaviour(onRun: { _ in
        entered.signal()
        leave.wait()
      }))
    let folder = try TemporaryFolder()
    let path = try folder.write("", to: "model")
    let session = Unchecked(
      session: try echo.loadModel(at: path, for: .predict)
        .makeSession(signature: 0, options: SessionOptions()))
    let done = DispatchSemaphore(value: 0)
    DispatchQueue.global().async {
      try? session.session.run()
      done.signal()
    }
    entered.wait()
    try session.session.withInput(at: 0) { _ in }
    #expect(echo.record.violations == ["'withInput' while another call was in the session"])
    leave.signal()
    done.wait()
  }

  /// Breaks the rule for sessions on purpose.
  ///
  /// `@unchecked Sendable` because the test is about exactly this mistake.
  private struct Unchecked: @unchecked Sendable {
    let session: any Session
  }
}
