// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
public import Foundation

/// A signed document that says what the clients of a federated round train, and how.
///
/// The server signs it with the keys that sign channels. A client trains only what such a document
/// describes.
public struct RoundTask: Sendable, Hashable, Codable {
  /// How the clients train, and how their updates are averaged.
  public struct Plan: Sendable, Hashable, Codable {
    /// The number of times that each client's model sees all of the client's items.
    public var epochs: Int
    /// The number of items in a step.
    public var batchSize: Int
    /// The values of the model's placeholders, such as a learning rate.
    public var placeholders: [String: Double]
    /// The largest L2 norm of an update, over all of its tensors together.
    public var clipNorm: Double
    /// The standard deviation of the noise in the sum of the updates, as a multiple of
    /// ``clipNorm``: 0.001 to 1e6, or 0 for none.
    public var noiseMultiplier: Double
    /// The δ of the (ε, δ) that the server reports if there is noise.
    public var delta: Double
    /// The seed for the order of each client's items.
    public var seed: Int
    /// The number of updates without which the round fails.
    public var minimumClients: Int
    /// The number of clients that may enrol.
    public var maximumClients: Int
    /// The number of clients that may enrol with the same token.
    public var clientsPerToken: Int
    /// The largest number of items that a client may state, which limits its weight in the average.
    public var maximumExamples: Int

    /// Creates a plan.
    public init(
      epochs: Int = 1, batchSize: Int = 32, placeholders: [String: Double] = [:],
      clipNorm: Double, noiseMultiplier: Double = 0, delta: Double = 1e-5, seed: Int = 0,
      minimumClients: Int, maximumClients: Int = 1000, clientsPerToken: Int = 1,
      maximumExamples: Int = 100_000
    ) {
      self.epochs = epochs
      self.batchSize = batchSize
      self.placeholders = placeholders
      self.clipNorm = clipNorm
      self.noiseMultiplier = noiseMultiplier
      self.delta = delta
      self.seed = seed
      self.minimumClients = minimumClients
      self.maximumClients = maximumClients
      self.clientsPerToken = clientsPerToken
      self.maximumExamples = maximumExamples
    }

    enum CodingKeys: String, CodingKey {
      case epochs, placeholders, delta, seed
      case batchSize = "batch_size"
      case clipNorm = "clip_norm"
      case noiseMultiplier = "noise_multiplier"
      case minimumClients = "minimum_clients"
      case maximumClients = "maximum_clients"
      case clientsPerToken = "clients_per_token"
      case maximumExamples = "maximum_examples"
    }
  }

  /// The weights of one variable, all of which are 32-bit floating-point numbers.
  public struct Weights: Sendable, Hashable, Codable {
    /// The variable's name in the signature `weights`.
    public var name: String
    /// The lengths of its axes.
    public var shape: [Int]

    /// Describes a variable.
    public init(name: String, shape: [Int]) {
      self.name = name
      self.shape = shape
    }

    /// The number of elements; nil if a length is below 0 or the product is too large.
    package var count: Int? {
      shape.reduce(Optional(1)) { count, length in
        guard let count, length >= 0 else { return nil }
        let (product, overflows) = count.multipliedReportingOverflow(by: length)
        return overflows || product > RoundTask.maximumElements ? nil : product
      }
    }
  }

  /// The kind of the document, which is always `federated_round`.
  public private(set) var type = Self.typeName
  /// The model's name.
  public var model: RepositoryName
  /// The round's name.
  public var round: RepositoryName
  /// The version from which every client starts.
  public var base: ChannelDocument.Release
  /// When it was signed.
  public var issued: Date
  /// The deadline, after which no update is accepted.
  public var deadline: Date
  /// How the clients train.
  public var plan: Plan
  /// The variables whose changes the clients send.
  public var weights: [Weights]
  /// The version of the ``RootDocument`` that was in force, or nil for a repository without one.
  public var root: Int?

  package init(
    model: RepositoryName, round: RepositoryName, base: ChannelDocument.Release, issued: Date,
    deadline: Date, plan: Plan, weights: [Weights], root: Int? = nil
  ) {
    self.model = model
    self.round = round
    self.base = base
    self.issued = issued
    self.deadline = deadline
    self.plan = plan
    self.weights = weights
    self.root = root
  }

  private static let typeName = "federated_round"
  /// The largest number of elements of all weights together.
  package static let maximumElements = 1 << 30
  /// The maximum size of a signed document, in bytes.
  package static let maximumBytes = 1 << 20

  /// The number of elements of all weights; nil if it is too large.
  package var elementCount: Int? {
    weights.reduce(Optional(0)) { sum, weights in
      guard let sum, let count = weights.count else { return nil }
      return sum + count > Self.maximumElements ? nil : sum + count
    }
  }

  /// The smallest noise multiplier above 0.
  ///
  /// The ε of much smaller ones is infinite.
  package static let minimumNoise = 0.001

  /// Checks everything that doesn't depend on the repository.
  ///
  /// - Parameter isStored: Whether the task is one that a server has stored. Older versions signed
  ///   tasks with less noise than ``minimumNoise``.
  /// - Throws: ``RepositoryError`` with the code `.invalidDocument`.
  package func validate(isStored: Bool = false) throws {
    func check(_ condition: Bool, _ message: @autoclosure () -> String) throws {
      guard condition else { throw RepositoryError(.invalidDocument, message()) }
    }
    let plan = plan
    try check(type == Self.typeName, "The document isn't the task of a federated round.")
    try check(
      (1...1_000_000).contains(plan.epochs) && (1...1_000_000).contains(plan.batchSize),
      "'epochs' and 'batch_size' must be from 1 to 1000000, got \(plan.epochs) and "
        + "\(plan.batchSize).")
    try check(
      plan.clipNorm > 0 && plan.clipNorm <= 1e9,
      "'clip_norm' must be above 0 and at most 1e9, got \(plan.clipNorm).")
    let minimum = isStored ? 0 : Self.minimumNoise
    try check(
      plan.noiseMultiplier == 0 || plan.noiseMultiplier >= minimum && plan.noiseMultiplier <= 1e6,
      "'noise_multiplier' must be 0, or from \(Self.minimumNoise) to 1e6, got "
        + "\(plan.noiseMultiplier).")
    try check(
      plan.delta > 0 && plan.delta < 1, "'delta' must be above 0 and below 1, got \(plan.delta).")
    try check(
      plan.seed >= 0 && plan.seed <= ChannelDocument.maximumVersion,
      "'seed' must be from 0 to 2^53, got \(plan.seed).")
    try check(
      1 <= plan.minimumClients && plan.minimumClients <= plan.maximumClients
        && plan.maximumClients <= 100_000,
      "'minimum_clients' must be at least 1 and at most 'maximum_clients', which is at most 100000; "
        + "got \(plan.minimumClients) and \(plan.maximumClients).")
    try check(
      (1...plan.maximumClients).contains(plan.clientsPerToken),
      "'clients_per_token' must be from 1 to 'maximum_clients', got \(plan.clientsPerToken).")
    try check(
      (1...1_000_000_000).contains(plan.maximumExamples),
      "'maximum_examples' must be from 1 to 1000000000, got \(plan.maximumExamples).")
    try check(
      plan.placeholders.count <= 100 && plan.placeholders.values.allSatisfy(\.isFinite),
      "'placeholders' must have at most 100 finite numbers.")
    try check(
      !weights.isEmpty && weights.count <= 10_000 && Set(weights.map(\.name)).count == weights.count
        && weights.allSatisfy { !$0.name.isEmpty && $0.name.utf8.count <= 1000 },
      "'weights' must have 1 to 10000 variables with different names.")
    try check(
      weights.allSatisfy { $0.shape.count <= 16 } && elementCount ?? 0 > 0,
      "'weights' must have shapes of at most 16 axes, and 1 to \(Self.maximumElements) elements "
        + "together.")
    try check(issued < deadline, "The deadline must be after the time at which the task is issued.")
  }

  /// Checks the times against a clock.
  ///
  /// - Throws: ``RepositoryError`` with the code `.expired`, `.notYetValid` or `.invalidDocument`.
  package func checkTimes(at now: Date) throws {
    try DocumentTimes(issued: issued, expires: deadline)
      .check(at: now, "The task of round '\(round)' of '\(model)'")
  }
}

extension SignedDocument {
  /// Decodes the task of a federated round, if one of the trusted keys signed it.
  ///
  /// - Parameter keys: The trusted keys.
  /// - Returns: A valid task. The caller must check that it belongs to the right round, and its
  ///   deadline.
  /// - Throws: ``RepositoryError`` with the code `.untrusted` or `.invalidDocument`.
  public func verifiedTask(by keys: [VerificationKey]) throws -> RoundTask {
    guard !signers(among: keys).isEmpty else {
      throw RepositoryError(
        .untrusted,
        "The round's task has no valid signature by a trusted key. The program trusts "
          + "\(keys.isEmpty ? "no key" : keys.map(\.id).joined(separator: ", ")).")
    }
    let task = try decoded(RoundTask.self, "The round's task")
    try task.validate()
    return task
  }
}
#endif
