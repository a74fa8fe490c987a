// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
/// Why a repository did not do what it was asked to.
public struct PublishingError: Error, Sendable, Hashable {
  /// What programs tell errors apart by; the server's own where it gave one.
  public var code: String
  /// The HTTP status; nil without an answer.
  public var status: Int?
  /// What people read.
  public var message: String

  init(_ code: String, status: Int? = nil, _ message: String) {
    self.code = code
    self.status = status
    self.message = message
  }
}

extension PublishingError: CustomStringConvertible {
  /// The message.
  public var description: String { message }
}
#endif
