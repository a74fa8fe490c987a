// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Foundation
import TensorIO
import Testing

@testable import FederatedRounds
@testable import ModelRepositoryAPI

extension RoundTask {
  /// A task for tests.
  static func sample(
    weights: [Weights] = [Weights(name: "a", shape: [2, 3]), Weights(name: "b", shape: [])],
    clip: Double = 1, noise: Double = 0
  ) throws -> RoundTask {
    let name = try #require(RepositoryName("cats"))
    let task = RoundTask(
      model: name, round: try #require(RepositoryName("r1")),
      base: ChannelDocument.Release(
        version: name, sequence: 1, manifest: BlobReference(digest: BlobDigest(of: [1]), size: 1),
        size: 1),
      issued: Date(timeIntervalSince1970: 1_800_000_000),
      deadline: Date(timeIntervalSince1970: 1_800_003_600),
      plan: Plan(clipNorm: clip, noiseMultiplier: noise, minimumClients: 1), weights: weights)
    try task.validate()
    return task
  }
}

@Suite struct RoundUpdateTests {
  private func tensors(_ a: [Float], _ b: Float) -> Safetensors {
    Safetensors(tensors: [
      Safetensors.Tensor(
        name: "a", dataType: .float32, shape: [2, 3], bytes: a.withUnsafeBytes { Data($0) }),
      Safetensors.Tensor(
        name: "b", dataType: .float32, shape: [], bytes: withUnsafeBytes(of: b) { Data($0) }),
    ])
  }

  @Test func `an update is the clipped change of the weights`() throws {
    let task = try RoundTask.sample()
    let before = tensors([1, 2, 3, 4, 5, 6], 7)
    let small = try RoundUpdate(
      client: "c", examples: 5, before: before, after: tensors([1, 2, 3, 4, 5, 6.5], 7), of: task)
    #expect(small.changes == [[0, 0, 0, 0, 0, 0.5], [0]])
    let large = try RoundUpdate(
      client: "c", examples: 1 << 40, before: before, after: tensors([4, 2, 3, 4, 5, 6], 11),
      of: task)
    #expect(large.changes == [[0.6, 0, 0, 0, 0, 0], [0.8]])
    #expect(large.examples == task.plan.maximumExamples)
    let read = try RoundUpdate(parsing: large.serialized(for: task), from: "c", of: task)
    #expect(read.changes == large.changes && read.examples == large.examples)
  }

  @Test func `weights that aren't finite are not sent`() throws {
    let task = try RoundTask.sample()
    let before = tensors([1, 2, 3, 4, 5, 6], 7)
    for bad in [Float.nan, .infinity] {
      let error = #expect(throws: TensorIOError.self) {
        try RoundUpdate(
          client: "c", examples: 5, before: before, after: tensors([1, 2, bad, 4, 5, 6], 7),
          of: task)
      }
      #expect(error?.code == .trainingDiverged)
    }
  }

  @Test func `every fault has its code`() throws {
    let task = try RoundTask.sample()
    let other = try RoundTask.sample(clip: 5)
    func refusal(
      _ changes: [[Float]], client: String = "c", examples: Int = 3, of sent: RoundTask? = nil
    ) throws -> UpdateRefusal.Code? {
      let update = RoundUpdate(client: client, examples: examples, changes: changes)
      let data = try update.serialized(for: sent ?? task)
      return #expect(throws: UpdateRefusal.self) {
        try RoundUpdate(parsing: data, from: "c", of: task)
      }?.code
    }
    let zeros: [[Float]] = [[0, 0, 0, 0, 0, 0], [0]]
    #expect(try refusal(zeros, client: "d") == .wrongClient)
    #expect(try refusal(zeros, examples: 0) == .wrongExamples)
    #expect(try refusal(zeros, examples: -1) == .wrongExamples)
    #expect(try refusal(zeros, examples: 100_001) == .wrongExamples)
    #expect(try refusal([[0, 0, 0, .nan, 0, 0], [0]]) == .notFinite)
    #expect(try refusal([[0, 0, 0, 0, 0, 0], [-.infinity]]) == .notFinite)
    #expect(try refusal([[0, 0, 0, 1, 0, 0], [0.1]]) == .tooLarge)
    #expect(try refusal([[0, 0, 0, .greatestFiniteMagnitude, 0, 0], [0]]) == .tooLarge)
    var later = other
    later.issued += 1
    #expect(try refusal(zeros, of: later) == .wrongRound)
    var shaped = task
    shaped.weights[0].shape = [3, 2]
    #expect(try refusal(zeros, of: shaped) == .wrongTensors)
    shaped.weights = [RoundTask.Weights(name: "a", shape: [2, 3])]
    #expect(try refusal([zeros[0]], of: shaped) == .wrongTensors)
    shaped.weights = task.weights + [RoundTask.Weights(name: "z", shape: [])]
    #expect(try refusal(zeros + [[0]], of: shaped) == .wrongTensors)
    let error = #expect(throws: UpdateRefusal.self) {
      try RoundUpdate(parsing: Data("{}".utf8), from: "c", of: task)
    }
    #expect(error?.code == .unreadable)
  }

  @Test func `a task is valid only with sensible numbers`() throws {
    let task = try RoundTask.sample()
    let changes: [(inout RoundTask) -> Void] = [
      { $0.plan.epochs = 0 }, { $0.plan.batchSize = 0 }, { $0.plan.clipNorm = 0 },
      { $0.plan.clipNorm = .nan }, { $0.plan.clipNorm = .infinity },
      { $0.plan.noiseMultiplier = -1 }, { $0.plan.noiseMultiplier = .nan },
      { $0.plan.noiseMultiplier = 1e-160 }, { $0.plan.noiseMultiplier = 2e6 },
      { $0.plan.delta = 0 }, { $0.plan.delta = 1 }, { $0.plan.seed = -1 },
      { $0.plan.minimumClients = 0 }, { $0.plan.minimumClients = 1001 },
      { $0.plan.clientsPerToken = 0 }, { $0.plan.maximumExamples = 0 },
      { $0.plan.placeholders["rate"] = .infinity }, { $0.weights = [] },
      { $0.weights[0].shape = [-1] }, { $0.weights[0].shape = [1 << 40, 1 << 40] },
      { $0.weights[0].name = "b" }, { $0.weights = [RoundTask.Weights(name: "", shape: [])] },
      { $0.deadline = $0.issued },
    ]
    for change in changes {
      var changed = task
      change(&changed)
      let error = #expect(throws: RepositoryError.self) { try changed.validate() }
      #expect(error?.code == .invalidDocument)
    }
  }

  @Test func `only a stored task may have too little noise for a finite epsilon`() throws {
    var task = try RoundTask.sample()
    for noise in [0, 0.001, 1e6] {
      task.plan.noiseMultiplier = noise
      try task.validate()
    }
    task.plan.noiseMultiplier = 1e-160
    try task.validate(isStored: true)
    let error = #expect(throws: RepositoryError.self) { try task.validate() }
    #expect(error?.message.contains("must be 0, or from 0.001 to 1e6, got 1e-160") == true)
    task.plan.noiseMultiplier = -1
    #expect(throws: RepositoryError.self) { try task.validate(isStored: true) }
  }

  @Test func `a task is trusted only with a signature of a trusted key`() throws {
    let task = try RoundTask.sample()
    let (key, other) = (SigningKey(), SigningKey())
    let signed = try SignedDocument(task, by: [key])
    #expect(try signed.verifiedTask(by: [key.verificationKey]) == task)
    #expect(throws: RepositoryError.self) { try signed.verifiedTask(by: [other.verificationKey]) }
    var forged = signed
    forged.document = try RepositoryJSON.encode(try RoundTask.sample(clip: 2))
    #expect(throws: RepositoryError.self) { try forged.verifiedTask(by: [key.verificationKey]) }
    // A task isn't a channel's document, although the same key signs both.
    #expect(throws: RepositoryError.self) { try signed.verified(by: [key.verificationKey]) }
    #expect(throws: RepositoryError.self) { try task.checkTimes(at: task.deadline) }
    #expect(throws: RepositoryError.self) { try task.checkTimes(at: task.issued - 7200) }
    try task.checkTimes(at: task.issued)
  }
}
#endif
