// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Crypto

/// The version and the parameters that an installation gets.
package struct Assignment: Sendable, Hashable {
  /// The version, or nil if the channel has none for the installation.
  package var release: ChannelDocument.Release?
  /// The installation's arm, or nil outside of an experiment.
  package var arm: RepositoryName?
  package var parameters: [String: String]
}

extension ChannelDocument {
  /// Returns the release that an installation gets.
  ///
  /// - Parameters:
  ///   - installationID: The installation's identifier.
  ///   - present: The manifest digests of the versions that the installation has. While an
  ///     experiment is paused, an installation keeps an arm's release only if it already has it.
  /// - Returns: The release, the arm, and the parameters.
  package func assignment(
    for installationID: String, having present: Set<BlobDigest> = []
  ) -> Assignment {
    let others = Assignment(release: release, arm: nil, parameters: parameters)
    guard let experiment else { return others }
    let bucket = RolloutBucket.number(of: installationID, salt: experiment.salt)
    guard let arm = experiment.arms.first(where: { bucket < $0.threshold }),
      !experiment.isPaused || present.contains(arm.release.manifest.digest)
    else { return others }
    return Assignment(
      release: arm.release, arm: arm.name,
      parameters: parameters.merging(arm.parameters) { _, own in own })
  }

  /// Checks the constraints that decoding doesn't check.
  ///
  /// - Throws: ``RepositoryError`` with the code `.invalidDocument`.
  package func validate() throws {
    func require(_ condition: Bool, _ what: String) throws {
      guard condition else {
        throw RepositoryError(.invalidDocument, "Channel '\(channel)' of '\(model)' \(what).")
      }
    }
    try require(
      (1...Self.maximumVersion).contains(documentVersion),
      "has the document version \(documentVersion), which is out of range")
    try require(
      root.map { $0 > 0 } ?? true,
      "was signed under a root document with an invalid version")
    try require(issued < expires, "expires before it was issued")
    try require(minimumSafeSequence >= 0, "has a negative minimum_safe_sequence")
    for release in releases {
      try require(
        release.sequence > 0 && release.size >= 0
          && (1...VersionManifest.maximumBytes).contains(release.manifest.size),
        "has an invalid sequence or size for version '\(release.version)'")
      try require(
        release.sequence >= minimumSafeSequence,
        "has version '\(release.version)', which is older than the oldest safe version")
    }
    guard let experiment else { return }
    try require(!experiment.arms.isEmpty, "has an experiment without arms")
    try require(
      (1...200).contains(experiment.salt.utf8.count),
      "has an experiment whose salt doesn't have 1 to 200 bytes")
    try require(
      Set(experiment.arms.map(\.name)).count == experiment.arms.count,
      "has two arms with the same name")
    let thresholds = experiment.arms.map(\.threshold)
    try require(
      thresholds.allSatisfy((0...RolloutBucket.count).contains)
        && zip(thresholds, thresholds.dropFirst()).allSatisfy { $0 <= $1 },
      "has the thresholds \(thresholds), but they must increase and be between 0 and "
        + "\(RolloutBucket.count)")
  }
}

/// The bucket of an installation, which is one of 10,000 equal parts of all installations.
///
/// Raising an arm's threshold keeps the installations that were below the old one. Another salt
/// gives new, independent buckets.
package enum RolloutBucket {
  static let count = 10_000

  /// Computes the bucket of an installation.
  ///
  /// It is the first eight bytes of the SHA-256 of `mh1|SALT|INSTALLATION`, as a big-endian number,
  /// modulo 10,000.
  package static func number(of installationID: String, salt: String) -> Int {
    let digest = SHA256.hash(data: Array("mh1|\(salt)|\(installationID)".utf8))
    let number = digest.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return Int(number % UInt64(count))
  }
}
#endif
