// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import AsyncHTTPClient
import Foundation
public import ModelRepositoryAPI
import NIOCore

/// Another repository that has the same blobs.
public struct ModelRepositoryMirror: Sendable {
  /// The server's address.
  public let server: String
  private let connection: RepositoryConnection

  /// Prepares a mirror without sending a request.
  ///
  /// - Parameters:
  ///   - server: The server's address.
  ///   - token: A token, if the server requires one for reading.
  /// - Throws: ``PublishingError`` if the address is invalid.
  public init(server: String, token: String?) throws {
    self.server = server
    connection = try RepositoryConnection(server: server, token: token, certificateAuthorities: nil)
  }

  /// Downloads a blob into a new file.
  ///
  /// The caller must check the file's digest.
  ///
  /// - Parameters:
  ///   - blob: The blob. The download stops if the server sends more bytes than its size.
  ///   - file: The file's path.
  /// - Throws: ``PublishingError`` if the server doesn't send the blob or sends another number of
  ///   bytes, or an error of writing the file.
  public func download(_ blob: BlobReference, to file: String) async throws {
    let body = try await connection.body(of: "/v1/blobs/\(blob.digest)")
    try Data().write(to: URL(filePath: file))
    let handle = try FileHandle(forWritingTo: URL(filePath: file))
    defer { try? handle.close() }
    var count = 0
    for try await part in body {
      count += part.readableBytes
      guard count <= blob.size else { break }
      try handle.write(contentsOf: Data(part.readableBytesView))
    }
    guard count == blob.size else {
      throw PublishingError(
        .wrongSize,
        "'\(server)' sent \(count > blob.size ? "more" : "less") than \(blob.size) bytes.")
    }
  }
}
#endif
