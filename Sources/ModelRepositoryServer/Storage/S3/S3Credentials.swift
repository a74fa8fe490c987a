// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import ModelRepositoryAPI

/// Credentials for an S3-compatible store.
public struct S3Credentials: Sendable {
  let accessKey: String
  let secret: String
  let sessionToken: String?

  /// Creates credentials.
  ///
  /// - Parameters:
  ///   - accessKey: The key's name.
  ///   - secret: The key itself, which is neither sent nor displayed.
  ///   - sessionToken: The token of a temporary key.
  public init(accessKey: String, secret: String, sessionToken: String? = nil) {
    self.accessKey = accessKey
    self.secret = secret
    self.sessionToken = sessionToken
  }

  /// Reads `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`.
  ///
  /// - Parameter environment: The environment variables, for example those of the process.
  /// - Throws: `RepositoryError` with the code `.invalidOption`, which names the missing variable.
  public init(environment: [String: String]) throws {
    func value(_ name: String) throws -> String {
      guard let value = environment[name], !value.isEmpty else {
        throw RepositoryError(
          .invalidOption,
          "The environment variable \(name) isn't set. Set AWS_ACCESS_KEY_ID and "
            + "AWS_SECRET_ACCESS_KEY, and also AWS_SESSION_TOKEN if the keys are temporary.")
      }
      // The values are sent in header fields. Other characters aren't part of any key, and a line
      // break would start another field.
      guard value.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
        throw RepositoryError(
          .invalidOption,
          "\(name) contains spaces, line breaks or other characters that no key has.")
      }
      return value
    }
    let token = environment["AWS_SESSION_TOKEN"].flatMap { $0.isEmpty ? nil : $0 }
    self.init(
      accessKey: try value("AWS_ACCESS_KEY_ID"), secret: try value("AWS_SECRET_ACCESS_KEY"),
      sessionToken: token == nil ? nil : try value("AWS_SESSION_TOKEN"))
  }

  /// Removes the secrets from a text, in case a server repeats them.
  func hiding(in text: String) -> String {
    [secret, sessionToken].compactMap { $0 }.reduce(text) {
      $0.replacingOccurrences(of: $1, with: "...")
    }
  }
}

extension S3Credentials: CustomStringConvertible {
  /// The key's name.
  public var description: String { "key \(accessKey)" }
}

extension S3Credentials: CustomReflectable {
  /// The key's name only, because dumps end up in logs.
  public var customMirror: Mirror { Mirror(self, children: ["accessKey": accessKey]) }
}
#endif
