// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import HTTPTypes
import HummingbirdTesting
import Synchronization
import TensorIO
import TensorIOLiteRT
import Testing

@testable import NetRunnerWeb

/// Tests requests with several items, runs of several requests, and models that are unloaded.
@Suite struct OpenInferenceItemTests {
  private static func fixture() throws -> WebFixture {
    let fixture = try WebFixture()
    let row = #""type": "array", "shape": [1, 4]}"#
    try fixture.addBundle(
      "matmul", id: "matmul",
      inputs: [#"{"name": "input1", \#(row)"#, #"{"name": "input2", \#(row)"#],
      outputs: [
        #"{"name": "output1", "type": "array", "shape": [1, 1]}"#,
        #"{"name": "output2", "type": "array", "shape": [1, 1]}"#,
      ])
    try fixture.addBundle(
      "dynamic_batch", id: "dynamic",
      inputs: [#"{"name": "x", "type": "array", "shape": [-1, 3]}"#],
      outputs: [#"{"name": "y", "type": "array", "shape": [-1, 2]}"#])
    return fixture
  }

  private static func call(_ inputs: [(name: String, shape: [Int], data: String)]) -> String {
    let tensors = inputs.map {
      #"{"name": "\#($0.name)", "shape": \#($0.shape), "datatype": "FP32", "data": \#($0.data)}"#
    }
    return #"{"inputs": [\#(tensors.joined(separator: ","))]}"#
  }

  @Test func `a model for one item runs each item of a request`() async throws {
    try await Self.fixture().test { client in
      let document = try await client.send(
        .post, "/v2/models/matmul/infer",
        text: Self.call([
          ("input1", [2, 4], "[[1, 2, 3, 4], [1, 1, 1, 1]]"),
          ("input2", [2, 1, 4], "[[5, 6, 7, 8], [1, 0, 0, 0]]"),
        ])
      ).json
      let outputs = document["outputs"].elements
      #expect(outputs.map { $0["shape"].elements.map(\.double) } == [[2, 1], [2, 1]])
      // a * b, and a * a plus the sum of b.
      #expect(outputs.map { $0["data"].elements.map(\.double) } == [[70, 1], [56, 5]])
      let statistics = try await client.send(.get, "/v2/models/matmul/stats").json
      #expect(statistics["model_stats"][0]["inference_count"].double == 2)
      #expect(statistics["model_stats"][0]["execution_count"].double == 2)
    }
  }

  @Test func `a model with a batch axis runs the items of a request together`() async throws {
    try await Self.fixture().test { client in
      let metadata = try await client.send(.get, "/v2/models/dynamic").json
      #expect(metadata["inputs"][0]["shape"].elements.map(\.double) == [-1, 3])
      let all = try await client.send(
        .post, "/v2/models/dynamic/infer",
        text: Self.call([("x", [3, 3], "[1, 2, 3, 0, -1, 0.5, 4, 5, 6]")])
      ).json["outputs"][0]
      #expect(all["shape"].elements.map(\.double) == [3, 2])
      var alone: [Double?] = []
      for row in ["[1, 2, 3]", "[0, -1, 0.5]", "[4, 5, 6]"] {
        alone += try await client.send(
          .post, "/v2/models/dynamic/infer", text: Self.call([("x", [1, 3], row)])
        ).json["outputs"][0]["data"].elements.map(\.double)
      }
      #expect(all["data"].elements.map(\.double) == alone)
      let statistics = try await client.send(.get, "/v2/models/dynamic/stats").json
      #expect(statistics["model_stats"][0]["inference_count"].double == 6)
      #expect(statistics["model_stats"][0]["execution_count"].double == 4)
    }
  }

  @Test(arguments: [
    ([2, 4], [1, 4], "'input2' has 1 item, but another input has 2"),
    ([2, 5], [2, 4], "must have the shape [1, 4], or [N, 4] for N items, not [2, 5]"),
    ([0, 4], [1, 4], "must have the shape [1, 4], or [N, 4] for N items, not [0, 4]"),
  ])
  func `items that don't fit are explained`(
    first: [Int], second: [Int], message: String
  ) async throws {
    @Sendable func zeros(_ shape: [Int]) -> String {
      "[" + Array(repeating: "0", count: shape.reduce(1, *)).joined(separator: ",") + "]"
    }
    try await Self.fixture().test { client in
      let document = try await client.send(
        .post, "/v2/models/matmul/infer",
        text: Self.call([
          ("input1", first, zeros(first)), ("input2", second, zeros(second)),
        ]), expects: 400
      ).json
      #expect(document["error"].text?.contains(message) == true, "\(document)")
    }
  }

  @Test func `an unloaded model refuses runs until it is loaded`() async throws {
    try await Self.fixture().test { client in
      let call = Self.call([("x", [1, 3], "[1, 2, 3]")])
      try await client.send(.post, "/v2/models/dynamic/infer", text: call)
      try await client.send(.post, "/v2/repository/models/dynamic/unload")
      let refused = try await client.send(
        .post, "/v2/models/dynamic/infer", text: call, expects: 409
      ).json
      #expect(refused["error"].text?.contains("/v2/repository/models/dynamic/load") == true)
      let index = try await client.send(.post, "/v2/repository/index").json.elements
      #expect(
        index.map { $0["state"].text }
          == index.map {
            $0["name"].text == "dynamic" ? "UNAVAILABLE" : "READY"
          })
      try await client.send(.post, "/v2/repository/models/dynamic/load")
      try await client.send(.post, "/v2/models/dynamic/infer", text: call)
      try await client.send(.post, "/v2/repository/models/none/load", expects: 404)
      try await client.send(.post, "/v2/repository/models/none/unload", expects: 404)
    }
  }

  @Test func `waiting requests run together, and each gets its own values or error`() async throws {
    let fixture = try Self.fixture()
    let model = try InferenceModel(
      at: fixture.options.models + "/dynamic.tiobundle",
      loader: ModelLoader(backends: [.liteRT], sessions: 1))
    let rows = (0..<40).map { ModelInputs(["x": [Float($0), 1, -Float($0)]]) }
    let expected = try Self.alone(rows, model)
    let queue = WorkQueue(threads: 1, limit: 100)
    let joiner = RunJoiner(limit: 8, delay: .milliseconds(50))
    let runs = Runs()
    let results = try await withThrowingTaskGroup(of: (Int, [Float]?).self) { group in
      for (index, row) in rows.enumerated() {
        // A wrong value fails the run, which must not fail the others.
        let item = index == 20 ? ModelInputs(["x": [Float(1), 2]]) : row
        group.addTask {
          let value = try? await joiner.run(
            [item], of: model, on: queue, deadline: nil,
            reply: { try $0.outputs[0].value(at: 0) as [Float] },
            counting: { runs.add($0) })
          return (index, value)
        }
      }
      return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    for index in rows.indices { #expect(results[index] == (index == 20 ? nil : expected[index])) }
    #expect(runs.all.contains { $0 > 1 } && runs.all.allSatisfy { $0 <= 8 }, "\(runs.all)")
    // The run that failed doesn't count.
    #expect(runs.all.reduce(0, +) == 39)
    let late = await #expect(throws: WebError.self) {
      try await joiner.run(
        [rows[0]], of: model, on: queue, deadline: .now, reply: { _ in }, counting: { _ in })
    }
    #expect(late?.code == "deadline_exceeded")
  }

  @Test func `a request that waits for others counts as waiting`() async throws {
    let fixture = try Self.fixture()
    let model = try InferenceModel(
      at: fixture.options.models + "/dynamic.tiobundle", loader: ModelLoader(backends: [.liteRT]))
    let joiner = RunJoiner(limit: 8, delay: .seconds(3600))
    let request = Task {
      try await joiner.run(
        [ModelInputs(["x": [Float(1), 2, 3]])], of: model, on: WorkQueue(threads: 1, limit: 1),
        deadline: nil, reply: { _ in }, counting: { _ in })
    }
    while joiner.waitingCount == 0 { try await Task.sleep(for: .milliseconds(1)) }
    #expect(joiner.waitingCount == 1)
    request.cancel()
    await #expect(throws: CancellationError.self) { try await request.value }
    #expect(joiner.waitingCount == 0)
  }

  /// The numbers of items of runs.
  private final class Runs: Sendable {
    private let counts = Mutex<[Int]>([])

    var all: [Int] { counts.withLock { $0 } }

    func add(_ count: Int) { counts.withLock { $0.append(count) } }
  }

  /// Runs items one by one, with the blocking methods.
  private static func alone(_ items: [ModelInputs], _ model: InferenceModel) throws -> [[Float]] {
    try items.map { try model.run($0).value(at: 0) }
  }
}
#endif
