// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
package import Foundation

/// The dates on which a signed document was issued and expires, and the limits for them.
///
/// A document that a wrong clock or an attacker dated far ahead would outlive every correction.
/// These limits apply even if the document's signatures are valid.
package struct DocumentTimes: Sendable, Hashable {
  package var issued: Date
  package var expires: Date

  /// The maximum lifetime of a document: 400 days, in seconds.
  package static let maximumLifetime: TimeInterval = 400 * 24 * 3600
  /// The allowed difference between the clocks of a server and a client: an hour, in seconds.
  static let clockTolerance: TimeInterval = 3600

  /// Checks the times against a clock.
  ///
  /// - Parameters:
  ///   - now: The current time.
  ///   - name: The document's name in the message, such as "The document of channel 'stable'".
  /// - Throws: ``RepositoryError`` with the code `.expired`, `.notYetValid` or `.invalidDocument`.
  package func check(at now: Date, _ name: @autoclosure () -> String) throws {
    guard issued <= now + Self.clockTolerance else {
      throw RepositoryError(
        .notYetValid,
        "\(name()) was issued at \(Self.text(issued)), but this computer's clock says "
          + "\(Self.text(now)). Check this computer's clock and the server's. The server signs its "
          + "documents again when its clock is right.")
    }
    guard now < expires else {
      throw RepositoryError(
        .expired,
        "\(name()) expired at \(Self.text(expires)), and this computer's clock says "
          + "\(Self.text(now)). Check this computer's clock, or have the server sign the document "
          + "again.")
    }
    guard expires <= now + Self.maximumLifetime + Self.clockTolerance else {
      throw RepositoryError(
        .invalidDocument,
        "\(name()) expires at \(Self.text(expires)), but clients accept at most 400 days from now, "
          + "\(Self.text(now)). Check this computer's clock and the server's --document-days.")
    }
  }

  private static func text(_ date: Date) -> String { date.formatted(.iso8601) }
}
#endif
