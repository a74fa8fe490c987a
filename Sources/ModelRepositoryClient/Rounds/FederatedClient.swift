// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import FederatedRounds
import Foundation
public import ModelRepositoryAPI
import NIOHTTP1
public import TensorIO

/// Takes part in federated rounds: trains a model on this machine's data, and sends only how its
/// weights changed.
///
/// ```swift
/// let client = try FederatedClient(server: "https://models.example.com", token: token, keys: keys)
/// let done = try await client.join(round, of: model, loader: loader) { _ in samples }
/// print(done.receipt.examples, done.training.ending)
/// ```
///
/// The server sees each client's update. It is clipped, but it isn't secret.
public struct FederatedClient: Sendable {
  private let connection: RepositoryConnection
  private let trustStore: TrustStore
  /// The time, memory and steps that a training may take.
  public var limits = TrainingLimits()

  /// Prepares a client.
  ///
  /// - Parameters:
  ///   - server: The server's address.
  ///   - token: A token with the scope `train`.
  ///   - keys: The trusted keys, which the program was shipped with.
  ///   - folder: The folder in which the newest root document is kept, so that a revoked key stays
  ///     revoked. It may be ``ModelRepositoryConfiguration/folder``. If it is nil, the folder is the
  ///     one that `tensorio repository pull` uses for the channel `stable`.
  ///   - certificateAuthorities: A PEM file of authorities to trust in addition to the system's.
  /// - Throws: ``PublishingError`` if the address is invalid, or `TensorIOError` if the file of
  ///   authorities can't be used.
  public init(
    server: String, token: String?, keys: [VerificationKey], folder: String? = nil,
    certificateAuthorities: String? = nil
  ) throws {
    try self.init(
      server: server, token: token, trust: RepositoryTrust(keys: keys), folder: folder,
      certificateAuthorities: certificateAuthorities)
  }

  /// Prepares a client that trusts keys or a root document.
  package init(
    server: String, token: String?, trust: RepositoryTrust, folder: String? = nil,
    certificateAuthorities: String? = nil
  ) throws {
    connection = try RepositoryConnection(
      server: server, token: token, certificateAuthorities: certificateAuthorities)
    let path = folder ?? RepositoryCache.folder(server: server, channel: .stable)
    // Without root documents, nothing is kept, and the folder isn't made.
    trustStore = TrustStore(
      cache: CacheFolder(unmade: path, ClientEnvironment()), initial: trust)
  }

  /// What a client did in a round.
  public struct Contribution: Sendable {
    /// The server's receipt.
    public var receipt: RoundReceipt
    /// What the training did.
    public var training: TrainingSummary
    /// The norm of the update that was sent.
    public var norm: Double
  }

  /// Fetches a round's task and verifies it.
  ///
  /// The newest root document is fetched and kept.
  ///
  /// - Throws: ``PublishingError`` if a request fails, `RepositoryError` if no trusted key signed the
  ///   task, if it belongs to another round, or if its deadline is over, or
  ///   ``ModelRepositoryClientError`` if the root document can't be kept.
  public func task(_ round: RepositoryName, of model: RepositoryName) async throws -> RoundTask {
    let signed = try await connection.get(
      SignedDocument.self, "/v1/models/\(model)/rounds/\(round)")
    let store = trustStore
    var trust = try await Self.blocking { try store.stored() }
    try await trust.follow { version in
      let answer = try await connection.send(.GET, "/v1/root/\(version)", accepting: [200, 404])
      return answer.status == 200 ? try answer.decode(SignedDocument.self) : nil
    }
    trust = try await Self.blocking { [trust] in try store.keep(trust) }
    let task = try signed.verifiedTask(by: try trust.keys(at: .now))
    guard task.model == model, task.round == round else {
      throw RepositoryError(
        .untrusted,
        "The task belongs to round '\(task.round)' of '\(task.model)', not to '\(round)' "
          + "of '\(model)'.")
    }
    guard task.root ?? 0 <= trust.version else {
      throw RepositoryError(
        .untrusted,
        "The task was signed under root document \(task.root ?? 0), but the newest one "
          + "that the server sends is \(trust.version).")
    }
    try task.checkTimes(at: .now)
    return task
  }

  private static func blocking<Value: Sendable>(
    _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await BlockingWork.run { try ModelRepositoryClientError.converting(work) }
  }

  /// Takes part in a round: fetches the task and the base version, trains, clips and sends.
  ///
  /// - Parameters:
  ///   - round: The round's name.
  ///   - model: The model's name.
  ///   - loader: A loader with the model's backend.
  ///   - items: Returns this machine's data for the model.
  /// - Returns: What was sent.
  /// - Throws: ``PublishingError``, `RepositoryError` or `TensorIOError`. Nothing was sent then.
  @discardableResult
  public func join<Items: RandomAccessCollection<Batch.Item> & Sendable>(
    _ round: RepositoryName, of model: RepositoryName, loader: ModelLoader,
    items: (TrainableModel) throws -> Items
  ) async throws -> Contribution {
    let task = try await task(round, of: model)
    let folder = try TemporaryFolder(" for the base version")
    let bundle = try await BaseVersion(connection: connection, task: task).fetch(into: folder.path)
    let trainable = try TrainableModel(at: bundle, loader: loader)
    let data = try items(trainable)
    let before = try trainable.weights(in: folder.path)
    let enrolment = try await connection.send(
      .POST, "/v1/models/\(model)/rounds/\(round)/clients"
    ).decode(RoundEnrolment.self)
    let summary = try await Trainer(trainable, data: data, options: options(of: task)).run()
    let update = try RoundUpdate(
      client: enrolment.client, examples: data.count, before: before,
      after: try trainable.weights(in: folder.path), of: task)
    return Contribution(
      receipt: try await send(update, enrolment, for: task), training: summary, norm: update.norm)
  }

  private func options(of task: RoundTask) -> TrainingOptions {
    var options = TrainingOptions(
      epochs: task.plan.epochs, batchSize: task.plan.batchSize,
      placeholders: task.plan.placeholders)
    options.seed = UInt64(clamping: task.plan.seed)
    options.limits = limits
    // The rest of the time is for sending the update.
    let left = Duration.seconds(task.deadline.timeIntervalSinceNow * 0.9)
    options.limits.time = max(.milliseconds(1), min(limits.time ?? left, left))
    return options
  }

  /// Sends an update, and again if it is unknown whether the server got it.
  private func send(
    _ update: RoundUpdate, _ enrolment: RoundEnrolment, for task: RoundTask
  ) async throws -> RoundReceipt {
    let file = try update.serialized(for: task)
    let receipt = RoundReceipt(digest: BlobDigest(of: file), examples: update.examples)
    let path = "/v1/models/\(task.model)/rounds/\(task.round)/clients/\(enrolment.client)/update"
    for attempt in 0... {
      do {
        return try await connection.send(
          .PUT, path,
          headers: [
            ("Enrolment", enrolment.secret), ("Content-Type", "application/octet-stream"),
          ], body: file, longest: RepositoryConnection.longestUpload(until: task.deadline)
        ).decode(RoundReceipt.self)
      } catch let error as PublishingError
        where error.code.rawValue == "update_repeated"
        && error.message.contains("\(receipt.digest)")
      {
        // The response to an earlier attempt was lost.
        return receipt
      } catch let error as PublishingError {
        let mayPass = error.code == .noAnswer || [429, 502, 503, 504].contains(error.status)
        guard mayPass, attempt < Self.attempts else { throw error }
        try await Task.sleep(for: .seconds(Double(attempt + 1) * Double.random(in: 0.5...1.5)))
      }
    }
    return receipt
  }

  private static let attempts = 6
}

extension TrainableModel {
  /// Returns the current weights; the folder is for a temporary file.
  func weights(in folder: String) throws -> Safetensors {
    let path = folder + "/weights.safetensors"
    try exportWeights(to: path)
    return try Safetensors(parsing: FileSystem.read(path), path: path)
  }
}
#endif
