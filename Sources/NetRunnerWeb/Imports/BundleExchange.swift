// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import AsyncHTTPClient
import Files
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NetRunner
import TensorIO

/// One request for a file, and its response.
struct BundleExchange: Sendable {
  let address: BundleAddress
  let limits: DownloadLimits
  let tlsConfiguration: TLSConfiguration?

  /// The connection failed, but another address of the server may work.
  private struct Unreachable: Error {
    let reason: any Error
  }

  /// A connection reached a different machine than the one whose address was checked.
  private struct WrongComputer: Error {}

  /// Tries up to three of a server's addresses in turn, until one accepts the connection.
  ///
  /// - Parameters:
  ///   - computers: The addresses that are allowed.
  ///   - file: The file that receives the response's body.
  ///   - onProgress: Called with the number of received bytes, and with the total if it is known.
  /// - Returns: The location of a redirect, or nil if the file was downloaded.
  /// - Throws: ``DownloadError``, or any error after a cancellation.
  func fetch(
    from computers: [IPAddress], into file: OpenFile,
    _ onProgress: @escaping @Sendable (Int, Int?) -> Void
  ) async throws -> String? {
    var failure: any Error = DownloadError(
      .connectionFailed, "The server '\(address.host)' has no IP address.")
    for computer in computers.prefix(3) {
      do {
        return try await HTTPClient.withHTTPClient(
          eventLoopGroup: .singletonMultiThreadedEventLoopGroup,
          configuration: configuration(for: computer)
        ) { client in
          let response = try await connect(client)
          return try await read(response, into: file, onProgress)
        }
      } catch let error as Unreachable {
        failure = error.reason
      }
    }
    throw failure
  }

  /// Configures a client that can connect to one address only, whatever the host name resolves to
  /// now.
  ///
  /// The server's certificate must still match the host name.
  private func configuration(for computer: IPAddress) -> HTTPClient.Configuration {
    var configuration = HTTPClient.Configuration()
    for name in [address.host, address.host.lowercased()] {
      configuration.dnsOverride[name] = computer.description
    }
    configuration.http1_1ConnectionDebugInitializer = { channel in
      let text = channel.remoteAddress?.ipAddress
      guard let text, IPAddress(text) == computer else {
        channel.close(promise: nil)
        return channel.eventLoop.makeFailedFuture(WrongComputer())
      }
      return channel.eventLoop.makeSucceededVoidFuture()
    }
    configuration.httpVersion = .http1Only
    configuration.tlsConfiguration = tlsConfiguration
    configuration.redirectConfiguration = .disallow
    configuration.decompression = .disabled
    configuration.connectionPool.retryConnectionEstablishment = false
    configuration.timeout = .init(
      connect: TimeAmount(limits.connect), read: TimeAmount(limits.stall))
    return configuration
  }

  private func connect(_ client: HTTPClient) async throws -> HTTPClientResponse {
    var request = HTTPClientRequest(url: address.text)
    // Ask for an uncompressed response, because a compressed one could be a decompression bomb.
    request.headers = [
      "accept": "application/zip, */*", "accept-encoding": "identity", "user-agent": "NetRunner",
    ]
    do {
      return try await client.execute(request, timeout: TimeAmount(limits.total))
    } catch let error
      where error is IOError || error is NIOConnectionError
      || error is ChannelError || error as? HTTPClientError == .connectTimeout
    {
      throw Unreachable(reason: failure(error))
    } catch {
      throw failure(error)
    }
  }

  private func read(
    _ response: HTTPClientResponse, into file: OpenFile,
    _ onProgress: @Sendable (Int, Int?) -> Void
  ) async throws -> String? {
    let status = Int(response.status.code)
    if [301, 302, 303, 307, 308].contains(status),
      let location = response.headers.first(name: "location")
    {
      return location
    }
    switch status {
    case 200: break
    case 404, 410:
      throw DownloadError(
        .notFound,
        "'\(address.shown)' doesn't exist: the server responded with \(response.status).")
    default:
      throw DownloadError(
        .serverError,
        "'\(address.shown)' can't be downloaded: the server responded with \(response.status).")
    }
    let coding = response.headers.first(name: "content-encoding")?.lowercased() ?? "identity"
    guard coding == "identity" else {
      throw DownloadError(
        .serverError,
        "'\(address.shown)' can't be downloaded: the server compressed its response (\(coding)).")
    }
    let total = response.headers.first(name: "content-length").flatMap { Int($0) }
    guard total ?? 0 <= limits.bytes else { throw tooLarge }
    var received = 0
    onProgress(received, total)
    do {
      for try await chunk in response.body {
        received += chunk.readableBytes
        guard received <= limits.bytes else { throw tooLarge }
        try await DownloadedFile.writing { try chunk.withUnsafeReadableBytes(file.write) }
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
  private var tooLarge: DownloadError {
    DownloadError(
      .tooLarge,
      "'\(address.shown)' is larger than the maximum of \(ByteCount(limits.bytes)).")
  }

  private func failure(_ error: any Error) -> any Error {
    let code: DownloadError.Code
    let reason: String
    switch error {
    case is DownloadError, is CancellationError: return error
    case let error as HTTPClientError where error == .cancelled: return CancellationError()
    case is WrongComputer:
      code = .addressNotAllowed
      reason = "the connection reached a different server than the one that was checked"
    case let error as HTTPClientError where error == .readTimeout:
      code = .timedOut
      reason = "the server sent nothing for \(limits.stall)"
    case let error as HTTPClientError
    where [.connectTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout].contains(error):
      code = .timedOut
      reason = "the server didn't respond within \(limits.connect)"
    case let error as HTTPClientError where error == .deadlineExceeded:
      code = .timedOut
      reason = "it took longer than \(limits.total)"
    default:
      code = .connectionFailed
      reason = words(for: error)
    }
    return DownloadError(code, "'\(address.shown)' can't be downloaded: \(reason).", cause: error)
  }

  private func words(for error: any Error) -> String {
    switch error {
    case let error as HTTPClientError where error == .remoteConnectionClosed:
      return "the server closed the connection early"
    case is HTTPParserError: return "the server's response isn't valid HTTP, or ended early"
    case let error as NIOConnectionError:
      return error.connectionErrors.first.map { words(for: $0.error) } ?? "\(error)"
    case let error as IOError: return FileError.reason(error.errnoCode).lowercased()
    case let error as ChannelError where error == .eof || error == .inputClosed:
      return "the server closed the connection early"
    case let error where "\(error)".contains("CERTIFICATE_VERIFY_FAILED"):
      return "the server's certificate doesn't prove that it is '\(address.host)'"
    default: return "\(error)"
    }
  }
}
#endif
