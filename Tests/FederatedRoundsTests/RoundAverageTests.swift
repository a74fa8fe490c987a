// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Foundation
import TensorIO
import TestSupport
import Testing

@testable import FederatedRounds
@testable import ModelRepositoryAPI

/// Compares with Flower and with Google's accountant, whose results Tools/make_federated.py wrote.
@Suite struct RoundAverageTests {
  private struct Flower: Decodable {
    struct Client: Decodable {
      let examples: Int
      let changes: [[Float]]
    }

    let shapes: [String: [Int]]
    let base: [[Float]]
    let clients: [Client]
    let changes: [[Float]]
    let weights: [[Float]]
  }

  private func fixture<Value: Decodable>(_ type: Value.Type, _ name: String) throws -> Value {
    let path = Python.root.appending(path: "Tests/Fixtures/Federated/\(name).json")
    return try JSONDecoder().decode(type, from: Data(contentsOf: path))
  }

  private func task(
    _ flower: Flower, clip: Double = 100, noise: Double = 0
  ) throws -> RoundTask {
    try .sample(
      weights: flower.shapes.sorted { $0.key < $1.key }.map {
        RoundTask.Weights(name: $0.key, shape: $0.value)
      }, clip: clip, noise: noise)
  }

  @Test(arguments: [false, true])
  func `the average of eight clients is Flower's`(isReversed: Bool) throws {
    let flower = try fixture(Flower.self, "flower")
    let task = try task(flower)
    var average = RoundAverage(of: task)
    #expect(flower.clients.count == 8)
    for client in isReversed ? flower.clients.reversed() : flower.clients {
      // The update takes the way that it takes over the network.
      let sent = RoundUpdate(client: "c", examples: client.examples, changes: client.changes)
      average.add(
        try RoundUpdate(parsing: sent.serialized(for: task), from: "c", of: task))
    }
    var generator = SystemRandomNumberGenerator()
    let result = average.result(noise: &generator)
    let base = Safetensors(
      tensors: zip(task.weights, flower.base).map { weights, values in
        Safetensors.Tensor(
          name: weights.name, dataType: .float32, shape: weights.shape,
          bytes: values.withUnsafeBytes { Data($0) })
      })
    let weights = try base.adding(result, of: task)
    for (index, spec) in task.weights.enumerated() {
      for (found, wanted) in zip(try result.floats(of: spec), flower.changes[index]) {
        #expect(abs(found - wanted) < 1e-6)
      }
      let found = try weights.floats(of: spec)
      #expect(found.count == flower.weights[index].count)
      for (found, wanted) in zip(found, flower.weights[index]) {
        #expect(abs(found - wanted) < 1e-6)
      }
    }
    #expect(average.examples == 1959 && average.updates == 8)
  }

  @Test func `the epsilon is that of Google's accountant`() throws {
    let rows = try fixture([[Double]].self, "epsilon")
    #expect(rows.count == 72)
    for row in rows {
      let found = PrivacyAccountant.epsilon(
        noiseMultiplier: row[0] / row[2].squareRoot(), delta: row[1])
      #expect(abs(found - row[3]) <= 1e-9 * max(1, row[3]), "\(row) \(found)")
    }
    #expect(PrivacyAccountant.epsilon(noiseMultiplier: 0, delta: 1e-5) == .infinity)
    #expect(PrivacyAccountant.epsilon(noiseMultiplier: 1e-160, delta: 1e-5) == .infinity)
    let least = RoundTask.minimumNoise
    #expect(PrivacyAccountant.epsilon(noiseMultiplier: least, delta: 1e-300).isFinite)
  }

  @Test func `noise has the stated deviation, and hides the numbers of items`() throws {
    let task = try RoundTask.sample(
      weights: [RoundTask.Weights(name: "w", shape: [20_000])], clip: 2, noise: 1.5)
    var average = RoundAverage(of: task)
    let change = [Float](repeating: 0.01, count: 20_000)
    for examples in [1, 1000, 5, 7] {
      average.add(RoundUpdate(client: "c", examples: examples, changes: [change]))
    }
    var generator = SystemRandomNumberGenerator()
    let values = try average.result(noise: &generator).floats(of: task.weights[0]).map(Double.init)
    let mean = values.reduce(0, +) / 20_000
    let deviation = (values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / 20_000).squareRoot()
    // The noise of the sum has 1.5 * 2, and the average of four clients a quarter of it. The limits
    // are 9 standard errors.
    #expect(abs(deviation - 0.75) < 0.035, "\(deviation)")
    #expect(abs(mean - 0.01) < 0.05, "\(mean)")
    var others = SystemRandomNumberGenerator()
    #expect(
      try average.result(noise: &others).floats(of: task.weights[0]).map(Double.init) != values)
  }

  @Test func `an average without updates takes no memory`() throws {
    let largest = RoundTask.Weights(name: "w", shape: [RoundTask.maximumElements])
    let task = try RoundTask.sample(weights: [largest])
    let averages = (0..<100).map { _ in RoundAverage(of: task) }
    #expect(averages.allSatisfy { $0.updates == 0 })
    let small = try RoundTask.sample()
    var generator = SystemRandomNumberGenerator()
    let zeros = RoundAverage(of: small).result(noise: &generator)
    #expect(try zeros.floats(of: small.weights[0]) == [0, 0, 0, 0, 0, 0])
  }

  @Test func `an update that rounding made too large counts as one of the limit`() throws {
    let task = try RoundTask.sample(
      weights: [RoundTask.Weights(name: "w", shape: [1])], clip: 1, noise: 0)
    var average = RoundAverage(of: task)
    let large = RoundUpdate(client: "c", examples: 3, changes: [[1.000_008]])
    let read = try RoundUpdate(parsing: large.serialized(for: task), from: "c", of: task)
    average.add(read)
    var generator = SystemRandomNumberGenerator()
    #expect(try average.result(noise: &generator).floats(of: task.weights[0]) == [1])
  }
}
#endif
