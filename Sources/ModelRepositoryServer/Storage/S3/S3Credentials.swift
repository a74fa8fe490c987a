// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import ModelRepositoryAPI

/// Who asks a store that speaks S3.
public struct S3Credentials: Sendable {
  let accessKey: String
  let secret: String
  let sessionToken: String?

  /// Makes credentials.
  ///
  /// - Parameters:
  ///   - accessKey: The name of the key.
  ///   - secret: The key itself; it is neither sent nor shown.
  ///   - sessionToken: What belongs to keys that expire.
  public init(accessKey: String, secret: String, sessionToken: String? = nil) {
    self.accessKey = accessKey
    self.secret = secret
    self.sessionToken = sessionToken
  }

  /// Reads `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`.
  ///
  /// - Parameter environment: The variables, as those of the process.
  /// - Throws: `RepositoryError` with the code `.invalidOption`, naming the one that is missing.
  public init(environment: [String: String]) throws {
    func value(_ name: String) throws -> String {
      guard let value = environment[name], !value.isEmpty else {
        throw RepositoryError(
          .invalidOption,
          "The environment has no \(name). Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and "
            + "AWS_SESSION_TOKEN with keys that expire.")
      }
      // Fields of a request: what is no part of a key would be one of another field.
      guard value.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
        throw RepositoryError(
          .invalidOption, "\(name) has spaces, line ends or letters that no key has.")
      }
      return value
    }
    let token = environment["AWS_SESSION_TOKEN"].flatMap { $0.isEmpty ? nil : $0 }
    self.init(
      accessKey: try value("AWS_ACCESS_KEY_ID"), secret: try value("AWS_SECRET_ACCESS_KEY"),
      sessionToken: token == nil ? nil : try value("AWS_SESSION_TOKEN"))
  }

  /// Takes out what nobody may read, should a server repeat it.
  func hiding(in text: String) -> String {
    [secret, sessionToken].compactMap { $0 }.reduce(text) {
      $0.replacingOccurrences(of: $1, with: "...")
    }
  }
}

extension S3Credentials: CustomStringConvertible {
  /// The name of the key.
  public var description: String { "key \(accessKey)" }
}

extension S3Credentials: CustomReflectable {
  /// The name of the key alone: dumps go into logs.
  public var customMirror: Mirror { Mirror(self, children: ["accessKey": accessKey]) }
}
#endif
