// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import AsyncHTTPClient
import Files
import NIOCore
import NIOHTTP1
import NIOSSL
import TensorIO
import WebClient

/// One request for a file, and its response.
struct BundleExchange: Sendable {
  let address: BundleAddress
  let limits: DownloadLimits
  let tlsConfiguration: TLSConfiguration?

  private var policy: WebClient.Policy {
    var policy = WebClient.Policy(
      connect: limits.connect, stall: limits.stall, encryption: tlsConfiguration)
    policy.userAgent = "NetRunner"
    return policy
  }

  /// Tries up to three of a server's allowed addresses in turn, until one accepts the connection.
  ///
  /// A connection never goes to another address, whatever the host's name resolves to now. Returns
  /// the location of a redirect, or nil if the file was downloaded.
  func fetch(
    from computers: [IPAddress], into file: OpenFile,
    _ onProgress: @escaping @Sendable (Int, Int?) -> Void
  ) async throws -> String? {
    var request = HTTPClientRequest(url: address.text)
    request.headers = ["accept": "application/zip, */*"]
    var failure: any Error = ImportError(
      .connectionFailed, "The server '\(address.host)' has no IP address.")
    for computer in computers.prefix(3) {
      var policy = policy
      policy.only = (address.host, computer)
      let client = WebClient(policy)
      // The connection closes when the client is released.
      defer { withExtendedLifetime(client) {} }
      let response: HTTPClientResponse
      do {
        response = try await client.send(request, deadline: .now() + TimeAmount(limits.total))
      } catch {
        failure = self.failure(error)
        guard ConnectionFault(error).isUnconnected else { throw failure }
        continue
      }
      return try await read(response, into: file, onProgress)
    }
    throw failure
  }

  private func read(
    _ response: HTTPClientResponse, into file: OpenFile,
    _ onProgress: @Sendable (Int, Int?) -> Void
  ) async throws -> String? {
    if let location = response.redirection { return location }
    switch Int(response.status.code) {
    case 200: break
    case 404, 410:
      throw ImportError(
        .notFound,
        "'\(address.shown)' doesn't exist: the server responded with \(response.status).")
    default:
      throw ImportError(
        .serverError,
        "'\(address.shown)' can't be downloaded: the server responded with \(response.status).")
    }
    if let encoding = response.unrequestedEncoding {
      throw ImportError(
        .serverError,
        "'\(address.shown)' can't be downloaded: the server compressed its response (\(encoding)).")
    }
    let total = response.headers.first(name: "content-length").flatMap { Int($0) }
    guard total ?? 0 <= limits.bytes else { throw tooLarge }
    var received = 0
    onProgress(received, total)
    do {
      for try await chunk in response.body {
        received += chunk.readableBytes
        guard received <= limits.bytes else { throw tooLarge }
        try await BundleDownload.writing { try chunk.withUnsafeReadableBytes(file.write) }
        onProgress(received, total)
      }
    } catch {
      throw failure(error)
    }
    return nil
  }
}

// MARK: - Failures

extension BundleExchange {
  private var tooLarge: ImportError {
    ImportError(
      .tooLarge,
      "'\(address.shown)' is larger than the maximum of \(ByteCount(limits.bytes)).")
  }

  private func failure(_ error: any Error) -> any Error {
    if error is ImportError { return error }
    let fault = ConnectionFault(error)
    var reason = fault.clause("the server", address.host, policy)
    let code: ImportError.Code
    switch fault.kind {
    case .cancelled: return CancellationError()
    case .wrongComputer: code = .addressNotAllowed
    case .stalled, .noConnection, .noHandshake: code = .timedOut
    case .late:
      code = .timedOut
      reason = "it took longer than \(limits.total)"
    default: code = .connectionFailed
    }
    return ImportError(code, "'\(address.shown)' can't be downloaded: \(reason).", cause: error)
  }
}
#endif
