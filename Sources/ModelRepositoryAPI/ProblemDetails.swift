// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
/// A server's error response in the format `application/problem+json` (RFC 9457).
public struct ProblemDetails: Sendable, Hashable, Codable {
  /// The content type of the response's body.
  public static let contentType = "application/problem+json"

  /// The HTTP status.
  public var status: Int
  /// A code for programs.
  public var code: String
  /// A message for people.
  public var title: String

  /// Creates a problem.
  public init(status: Int, code: String, title: String) {
    self.status = status
    self.code = code
    self.title = title
  }
}
#endif
