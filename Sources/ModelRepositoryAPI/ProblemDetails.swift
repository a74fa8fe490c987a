// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
/// A refusal as `application/problem+json` (RFC 9457).
public struct ProblemDetails: Sendable, Hashable, Codable {
  /// The type of its body.
  public static let contentType = "application/problem+json"

  /// The HTTP status.
  public var status: Int
  /// What programs tell problems apart by.
  public var code: String
  /// What people read.
  public var title: String

  /// Makes a problem.
  public init(status: Int, code: String, title: String) {
    self.status = status
    self.code = code
    self.title = title
  }
}
#endif
