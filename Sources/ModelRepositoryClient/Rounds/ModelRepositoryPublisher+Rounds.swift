// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import AsyncHTTPClient
import FederatedRounds
import Foundation
public import ModelRepositoryAPI
import NIOCore
import NIOHTTP1
public import TensorIO

/// Federated rounds, for those who run them.
extension ModelRepositoryPublisher {
  /// Creates a round, whose task the server signs.
  ///
  /// - Parameters:
  ///   - round: The round's name.
  ///   - model: The model's name.
  ///   - base: The published version from which the clients start, a bundle that can be trained.
  ///   - seconds: The number of seconds until the deadline.
  ///   - plan: How the clients train.
  ///   - names: The variables whose changes are sent; nil for all.
  ///   - loader: A loader with the model's backend, which reads the variables' shapes.
  /// - Returns: The task.
  /// - Throws: ``PublishingError``, or `TensorIOError` if the model can't be trained.
  public func createRound(
    _ round: RepositoryName, of model: RepositoryName, from base: RepositoryName, seconds: Int,
    plan: RoundTask.Plan, weights names: [String]? = nil, loader: ModelLoader
  ) async throws -> RoundTask {
    let record = try await connection.get(
      VersionRecord.self, "/v1/models/\(model)/versions/\(base)")
    let draft = RoundTask(
      model: model, round: round, base: record.release, issued: .now, deadline: .now, plan: plan,
      weights: [])
    let folder = try TemporaryFolder(" for the base version")
    let bundle = try await BaseVersion(connection: connection, task: draft).fetch(into: folder.path)
    try Self.check(plan.placeholders, of: ModelBundle(bundle))
    let present = try TrainableModel(at: bundle, loader: loader).weights(in: folder.path).tensors
    for name in names ?? [] where !present.contains(where: { $0.name == name }) {
      throw TensorIOError(
        .unknownOutput,
        "The model has no weights '\(name)'. It has \(quotedList(present.map(\.name))).")
    }
    let chosen = present.filter { names?.contains($0.name) ?? true }
    for tensor in chosen where tensor.dataType != .float32 {
      throw TensorIOError(
        .unsupportedModel,
        "The weights '\(tensor.name)' are \(tensor.dataType), but only float32 can be averaged. "
          + "Name the others.")
    }
    let request = RoundRequest(
      round: round, base: base, seconds: seconds, plan: plan,
      weights: chosen.sorted { $0.name < $1.name }.map {
        RoundTask.Weights(name: $0.name, shape: $0.shape)
      })
    return try Self.task(
      try await connection.send(
        .POST, "/v1/models/\(model)/rounds", request, as: SignedDocument.self))
  }

  /// Throws unless the plan has a value for each placeholder, which every client would miss.
  private static func check(_ values: [String: Double], of bundle: ModelBundle) throws {
    let specs = ModelSignature(of: bundle).placeholders
    var inputs = ModelInputs([:])
    inputs.placeholders = values
    try inputs.forEachPlaceholder(specs) { index, value in
      guard value == nil else { return }
      throw TensorIOError.missingPlaceholder(specs[index].name)
    }
  }

  private static func task(_ signed: SignedDocument) throws -> RoundTask {
    do {
      return try RepositoryJSON.decode(RoundTask.self, from: signed.document)
    } catch {
      throw PublishingError(.invalidAnswer, "The round's task can't be read: \(error)")
    }
  }

  /// Returns the state of a round.
  public func roundStatus(
    _ round: RepositoryName, of model: RepositoryName
  ) async throws -> RoundStatus {
    try await connection.get(RoundStatus.self, "/v1/models/\(model)/rounds/\(round)/status")
  }

  /// Ends a round before its deadline, with the updates that it has.
  public func endRound(
    _ round: RepositoryName, of model: RepositoryName
  ) async throws -> RoundStatus {
    try await connection.send(.POST, "/v1/models/\(model)/rounds/\(round)/end")
      .decode(RoundStatus.self)
  }

  /// Deletes a round that has ended, with its average.
  ///
  /// - Throws: ``PublishingError``, also if the round is still open.
  public func deleteRound(_ round: RepositoryName, of model: RepositoryName) async throws {
    _ = try await connection.send(.DELETE, "/v1/models/\(model)/rounds/\(round)")
  }

  /// Waits until a round that is being averaged has ended, and returns its state.
  private func endedStatus(
    _ round: RepositoryName, of model: RepositoryName
  ) async throws -> RoundStatus {
    var status = try await roundStatus(round, of: model)
    for _ in 0..<600 where status.state == .averaging {
      try await Task.sleep(for: .seconds(1))
      status = try await roundStatus(round, of: model)
    }
    return status
  }

  /// Writes the bundles of a finished round: the base version, and the candidate with the average.
  ///
  /// - Parameters:
  ///   - round: The round's name.
  ///   - model: The model's name.
  ///   - folder: An existing folder, in which `base.tiobundle` and `candidate.tiobundle` are made.
  ///   - loader: A loader with the model's backend.
  /// - Returns: The paths of the bundles.
  /// - Throws: ``PublishingError``, also if the round has no average.
  public func candidate(
    of round: RepositoryName, of model: RepositoryName, in folder: String, loader: ModelLoader
  ) async throws -> (base: String, candidate: String) {
    let path = "/v1/models/\(model)/rounds/\(round)"
    let task = try Self.task(try await connection.get(SignedDocument.self, path))
    let longest = RoundUpdate.longest(of: task)
    // The status explains why a round has no average.
    let status = try await endedStatus(round, of: model)
    guard status.state == .finished else {
      throw PublishingError(
        .init(rawValue: "no_average"), status: 409,
        "Round '\(round)' of '\(model)' has no average, because it is \(status.state.rawValue)."
          + (status.reason.map { " " + $0 } ?? ""))
    }
    var bytes = Data()
    for try await part in try await connection.body(of: path + "/average") {
      bytes.append(contentsOf: part.readableBytesView)
      guard bytes.count <= longest else {
        throw PublishingError(.wrongSize, "The average has more than \(longest) bytes.")
      }
    }
    let average = try Safetensors(parsing: bytes, path: "the average")
    let base = try await BaseVersion(connection: connection, task: task).fetch(into: folder)
    let trainable = try TrainableModel(at: base, loader: loader)
    let temporary = try TemporaryFolder(" for the average")
    let weights = try trainable.weights(in: temporary.path).adding(average, of: task)
    let checkpoint = temporary.path + "/checkpoint.safetensors"
    try weights.write(to: checkpoint)
    try trainable.restore(from: temporary.path)
    let candidate = folder + "/candidate.tiobundle"
    try trainable.exportBundle(to: candidate)
    return (base, candidate)
  }
}
#endif
