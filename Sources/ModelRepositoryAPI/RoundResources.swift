// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
public import Foundation

/// A request for a federated round, which is the body of `POST /v1/models/MODEL/rounds`.
package struct RoundRequest: Sendable, Hashable, Codable {
  /// The round's name.
  package var round: RepositoryName
  /// The version from which the clients start.
  package var base: RepositoryName
  /// The number of seconds until the deadline.
  package var seconds: Int
  package var plan: RoundTask.Plan
  package var weights: [RoundTask.Weights]

  package init(
    round: RepositoryName, base: RepositoryName, seconds: Int, plan: RoundTask.Plan,
    weights: [RoundTask.Weights]
  ) {
    self.round = round
    self.base = base
    self.seconds = seconds
    self.plan = plan
    self.weights = weights
  }
}

/// The state of a federated round, which `GET /v1/models/MODEL/rounds/ROUND/status` returns.
public struct RoundStatus: Sendable, Hashable, Codable {
  /// What a round is doing.
  public enum State: String, Sendable, Hashable, Codable {
    /// Clients can enrol and send updates.
    case open
    /// The updates are being averaged.
    case averaging
    /// The average can be fetched.
    case finished
    /// The round ended without an average.
    case failed
  }

  /// What the average reveals about a client at most.
  public struct Privacy: Sendable, Hashable, Codable {
    /// The ε of the accountant.
    public var epsilon: Double
    /// The δ that it holds for.
    public var delta: Double

    package init(epsilon: Double, delta: Double) {
      self.epsilon = epsilon
      self.delta = delta
    }
  }

  /// The model's name.
  public var model: RepositoryName
  /// The round's name.
  public var round: RepositoryName
  /// What the round is doing.
  public var state: State
  /// The version from which the clients started.
  public var base: RepositoryName
  /// When the round was created.
  public var issued: Date
  /// The deadline.
  public var deadline: Date
  /// The number of clients that enrolled.
  public var enrolled: Int
  /// The number of clients whose updates were accepted.
  public var updates: Int
  /// The number of items that these clients stated.
  public var examples: Int
  /// The number of refused updates, by the code of the response, since the server started.
  public var refused: [String: Int]
  /// Why the round failed; nil if it didn't.
  public var reason: String?
  /// When it ended; nil while it is open.
  public var ended: Date?
  /// What noise hides; nil without noise, and before the round has finished.
  public var privacy: Privacy?

  package init(
    model: RepositoryName, round: RepositoryName, state: State, base: RepositoryName,
    issued: Date, deadline: Date
  ) {
    self.model = model
    self.round = round
    self.state = state
    self.base = base
    self.issued = issued
    self.deadline = deadline
    (enrolled, updates, examples, refused) = (0, 0, 0, [:])
  }
}

/// The rounds of a model, the newest first, which `GET /v1/models/MODEL/rounds` returns.
package struct RoundList: Sendable, Hashable, Codable {
  /// A round.
  package struct Round: Sendable, Hashable, Codable {
    package var round: RepositoryName
    package var state: RoundStatus.State
    package var deadline: Date

    package init(round: RepositoryName, state: RoundStatus.State, deadline: Date) {
      self.round = round
      self.state = state
      self.deadline = deadline
    }
  }

  package var rounds: [Round]

  package init(rounds: [Round]) { self.rounds = rounds }
}

/// A client's place in a round, which `POST /v1/models/MODEL/rounds/ROUND/clients` returns once.
public struct RoundEnrolment: Sendable, Hashable, Codable {
  /// The client's id in the round.
  public var client: String
  /// What the client sends in `Enrolment` with its update.
  public var secret: String

  package init(client: String, secret: String) {
    self.client = client
    self.secret = secret
  }
}

/// The response to an accepted update.
public struct RoundReceipt: Sendable, Hashable, Codable {
  /// The SHA-256 of the update.
  public var digest: BlobDigest
  /// The number of items that the client stated.
  public var examples: Int

  package init(digest: BlobDigest, examples: Int) {
    self.digest = digest
    self.examples = examples
  }
}
#endif
