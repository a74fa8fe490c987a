// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import ModelRepositoryClient
import NIOCore
import NIOHTTP1
import NIOPosix
import TensorIO

/// Fetches pictures that a person or a dataset names by their address.
enum PictureDownload {
  /// The most bytes that a picture may have; the largest cameras' JPEGs have half of it.
  private static let maximumBytes = 128 << 20

  /// Whether a path is an address.
  static func isAddress(_ path: String) -> Bool {
    path.hasPrefix("https://") || path.hasPrefix("http://")
  }

  /// The bytes behind an address; up to five redirections are followed.
  ///
  /// It blocks the thread, for a minute at most.
  ///
  /// - Throws: `TensorIOError` that names the address, and says what the server or the network did.
  static func bytes(_ address: String) throws -> [UInt8] {
    let response: HTTPClient.Response
    do {
      var request = try HTTPClient.Request(url: address)
      request.tlsConfiguration = try TrustedAuthorities.configuration(adding: nil)
      let delegate = ResponseAccumulator(request: request, maxBodySize: maximumBytes)
      response = try client.execute(
        request: request, delegate: delegate, deadline: .now() + .minutes(1)
      ).wait()
    } catch is ResponseAccumulator.ResponseTooBigError {
      throw TensorIOError(
        .unreadableFile, "'\(address)' has more than \(maximumBytes >> 20) MiB.")
    } catch let error as TensorIOError {
      throw error
    } catch {
      throw TensorIOError(
        .unreadableFile, "'\(address)' cannot be fetched: \(try reason(for: error, at: address)).",
        cause: error)
    }
    guard response.status == .ok else {
      throw TensorIOError(
        response.status == .notFound ? .fileNotFound : .unreadableFile,
        "'\(address)' cannot be fetched: the server answered \(response.status).")
    }
    return response.body.map { Array($0.readableBytesView) } ?? []
  }

  /// One for the process; it keeps connections to servers for the next picture.
  private static let client: HTTPClient = {
    var configuration = HTTPClient.Configuration()
    configuration.timeout = .init(
      connect: .seconds(Int64(ConnectionFault.connectSeconds)), read: .seconds(30))
    // A refused connection is an error at once.
    configuration.connectionPool.retryConnectionEstablishment = false
    configuration.redirectConfiguration = .follow(max: 5, allowCycles: false)
    return HTTPClient(
      eventLoopGroup: .singletonMultiThreadedEventLoopGroup, configuration: configuration)
  }()

  private static func reason(for error: any Error, at address: String) throws -> String {
    switch error {
    case let error as HTTPClientError where error == .readTimeout:
      return "the server said nothing for 30 seconds"
    case let error as HTTPClientError where error == .deadlineExceeded:
      return "it took more than a minute"
    default:
      return "its server \(try ConnectionFault.reason(for: error, at: address).wait())"
    }
  }
}
