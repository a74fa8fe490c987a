// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
/// An error of a request to a repository's API.
public struct PublishingError: Error, Sendable, Hashable {
  /// A code for programs, which comes from the server if it sent one.
  public var code: String
  /// The HTTP status, or nil if there was no response.
  public var status: Int?
  /// A message for people.
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
