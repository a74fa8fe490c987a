// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
/// An error of a request to a repository's API.
public struct PublishingError: Error, Sendable, Hashable {
  /// The kinds of failure, of which the server may send others.
  public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The word for programs, such as `no_answer`.
    public let rawValue: String

    /// Creates a code.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The raw value.
    public var description: String { rawValue }

    /// The server's address is invalid.
    public static let invalidServer = Code(rawValue: "invalid_server")
    /// The server can't be reached, or didn't respond in time.
    public static let noAnswer = Code(rawValue: "no_answer")
    /// The server's response isn't what was requested.
    public static let invalidAnswer = Code(rawValue: "invalid_answer")
    /// The server sent another number of bytes than a blob has.
    public static let wrongSize = Code(rawValue: "wrong_size")
    /// A file changed while it was being sent.
    public static let fileChanged = Code(rawValue: "file_changed")
    /// Somebody else keeps changing the channel.
    public static let conflict = Code(rawValue: "conflict")
    /// The model has no such channel.
    public static let channelNotFound = Code(rawValue: "channel_not_found")
    /// The text isn't a token's ID.
    public static let invalidTokenID = Code(rawValue: "invalid_token_id")
    /// Another request is using the upload.
    public static let uploadBusy = Code(rawValue: "upload_busy")
    /// The upload was finished or discarded.
    public static let uploadNotFound = Code(rawValue: "upload_not_found")
  }

  /// A code for programs, which comes from the server if it sent one.
  public var code: Code
  /// The HTTP status, or nil if there was no response.
  public var status: Int?
  /// A message for people.
  public var message: String

  init(_ code: Code, status: Int? = nil, _ message: String) {
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
