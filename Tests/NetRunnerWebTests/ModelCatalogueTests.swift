// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import HTTPTypes
import HummingbirdTesting
import TensorIO
import TensorIOLiteRT
import Testing

@testable import NetRunnerWeb

@Suite struct ModelCatalogueTests {
  @Test func `a model that is loading doesn't keep the threads of other models`() async throws {
    let fixture = try WebFixture()
    try fixture.addSum()
    let backend = GatedBackend(holding: "sum.tiobundle")
    fixture.options.runtimes = ModelRuntimes(backends: [backend])
    fixture.options.trialBackends = [LiteRTBackend()]
    try await fixture.test { client in
      // This ends the test if the digits below wait for a thread.
      let opener = Task {
        try await Task.sleep(for: .seconds(120))
        backend.open()
      }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<6 {
          group.addTask {
            if number.isMultiple(of: 2) {
              try await client.send(
                .post, "/v2/models/sum/infer",
                text: #"{"inputs": [{"name": "x", "shape": [1], "datatype": "FP32", "data": [2]}]}"#
              )
            } else {
              try await client.send(
                .post, "models/sum/infer", text: #"{"values": {"x": 2}}"#,
                headers: [.contentType: "application/json"])
            }
          }
        }
        while backend.loads == 0 { try await Task.sleep(for: .milliseconds(1)) }
        // All requests for the model wait by now, on as many threads as the server has.
        try await Task.sleep(for: .milliseconds(200))
        try await client.send(
          .post, "models/digits/infer", WebFixture.image(), headers: [.contentType: "image/png"])
        #expect(!backend.isOpen)
        opener.cancel()
        backend.open()
        try await group.waitForAll()
      }
      #expect(backend.loads == 1)
    }
  }

  @Test func `a model that can't be loaded is tried again by the next request`() async throws {
    let fixture = try WebFixture()
    try fixture.addSum()
    let path = fixture.options.models + "/sum.tiobundle/model.tflite"
    let catalogue = try ModelCatalogue(shipped: [], fixture.options)
    let model = try catalogue.model("sum")
    let bytes = try FileSystem.read(path)
    try Data().write(to: URL(filePath: path))
    await #expect(throws: TensorIOError.self) { try await catalogue.evaluator(of: model) }
    #expect(model.loaded.problem != nil)
    try Data(bytes).write(to: URL(filePath: path))
    _ = try await catalogue.evaluator(of: model)
    #expect(model.loaded.problem == nil)
  }

  @Test func `an older scan doesn't replace what a newer one has found`() async throws {
    let fixture = try WebFixture()
    let backend = GatedBackend(holding: "sum.tiobundle")
    fixture.options.trialBackends = [backend]
    let catalogue = try ModelCatalogue(shipped: [], fixture.options)
    try fixture.addSum()
    // The scan waits for the model's trial.
    let older = Task {
      try await WorkQueue(threads: 1, limit: 1).run { try catalogue.rescan() }
    }
    while backend.loads == 0 { try await Task.sleep(for: .milliseconds(1)) }
    try FileManager.default.removeItem(atPath: fixture.options.models + "/sum.tiobundle")
    try catalogue.rescan()
    backend.open()
    try await older.value
    #expect(catalogue.models.isEmpty)
  }
}
#endif
