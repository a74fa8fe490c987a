// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Dispatch
import Files
import Foundation
import NIOPosix
import NIOSSL
import TensorIO
import WebClient

/// Downloads a zipped bundle from a user's URL to a file.
///
/// The URL is treated as a possible attack on the networks that this machine can reach; see
/// ``AddressRules``. The host name is resolved once, its addresses are checked, and the connection
/// goes to an address that passed. Each redirect is handled in the same way.
///
/// ```swift
/// let download = BundleDownload(rules: AddressRules())
/// try await download.download("https://example.com/digits.zip", to: "digits.zip") {
///   received, total in
///   print(received, total ?? "?")
/// }
/// ```
struct BundleDownload: Sendable {
  var rules: AddressRules
  var limits = DownloadLimits()
  var resolver = HostResolver.system
  /// The TLS configuration, or nil to trust the system's certificate authorities.
  var tlsConfiguration: TLSConfiguration?

  /// Downloads a file to a path where none exists yet; no file is left if this throws.
  ///
  /// The progress is the number of received bytes, and the total if the server announces it.
  func download(
    _ url: String, to path: String,
    onProgress: @escaping @Sendable (_ received: Int, _ total: Int?) -> Void = { _, _ in }
  ) async throws {
    let address = try BundleAddress(url)
    do {
      let file = try await Self.writing {
        try OpenFile(creating: path, permissions: 0o600)
      }
      do {
        try await fetch(address, into: file, onProgress)
        try await Self.writing { try file.flush() }
      } catch {
        // Don't use the thread pool here, because it doesn't run work for a cancelled task. If this
        // fails, the error above still matters more.
        try? FileSystem.remove(path)
        throw error
      }
    } catch let error as ImportError {
      throw error
    } catch  where Task.isCancelled || error is CancellationError {
      throw ImportError(.cancelled, "The download was cancelled.", cause: error)
    } catch {
      throw ImportError(
        .connectionFailed, "'\(address.shown)' can't be downloaded: \(error).", cause: error)
    }
  }

  /// Downloads the file within the limit of the total time.
  private func fetch(
    _ address: BundleAddress, into file: OpenFile,
    _ onProgress: @escaping @Sendable (Int, Int?) -> Void
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await follow(address, into: file, onProgress) }
      group.addTask {
        try await Task.sleep(for: limits.total)
        throw ImportError(
          .timedOut,
          "The download of '\(address.shown)' took longer than \(limits.total) and was stopped.")
      }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  private func follow(
    _ first: BundleAddress, into file: OpenFile,
    _ onProgress: @escaping @Sendable (Int, Int?) -> Void
  ) async throws {
    var address = first
    for _ in 0...limits.redirects {
      let exchange = BundleExchange(
        address: address, limits: limits, tlsConfiguration: tlsConfiguration)
      let computers = try await allowedComputers(for: address)
      guard let location = try await exchange.fetch(from: computers, into: file, onProgress) else {
        return
      }
      address = try address.redirected(to: location)
    }
    throw ImportError(
      .serverError,
      "'\(first.shown)' redirects more than \(limits.redirects) times.")
  }

  private func allowedComputers(for address: BundleAddress) async throws -> [IPAddress] {
    var computers: [IPAddress] = []
    if let computer = IPAddress(address.host) {
      computers = [computer]
    } else {
      do {
        computers = try await resolver.addresses(address.host)
      } catch let error as HostResolver.Failure {
        throw ImportError(
          .connectionFailed, "The server '\(address.host)' can't be found: \(error).", cause: error)
      }
    }
    let allowed = computers.filter { rules.refusal(of: $0) == nil }
    guard allowed.isEmpty else { return allowed }
    guard let computer = computers.first, let kind = rules.refusal(of: computer) else {
      throw ImportError(.connectionFailed, "The server '\(address.host)' has no IP address.")
    }
    throw ImportError(
      .addressNotAllowed,
      "'\(address.shown)' can't be downloaded, because its server has \(kind) (\(computer))."
        + " Import from the public internet, or upload the file.")
  }

  /// Runs work on a download's file on a thread that may block.
  static func writing<Result: Sendable>(
    _ work: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    do {
      return try await NIOThreadPool.singleton.runIfActive(work)
    } catch let error as CancellationError {
      throw error
    } catch {
      throw ImportError(
        .cannotWrite, "The download can't be written: \(FileSystem.reason(for: error)).",
        cause: error)
    }
  }
}

struct DownloadLimits: Hashable, Sendable {
  /// The maximum size of the file, in bytes.
  var bytes = 512 << 20
  /// How long a server may take to accept a connection.
  var connect: Duration = .seconds(10)
  /// How long a server may send no data.
  var stall: Duration = .seconds(30)
  /// How long the whole download may take.
  var total: Duration = .seconds(600)
  /// The maximum number of redirects.
  var redirects = 5
}

struct HostResolver: Sendable {
  /// Returns the addresses of a host, best first.
  var addresses: @Sendable (_ host: String) async throws -> [IPAddress]

  /// The system's resolver.
  ///
  /// The system's function blocks its thread while name servers don't respond, and can't be
  /// cancelled. It therefore runs on its own thread, and a cancelled task doesn't wait for it.
  static let system = HostResolver { host in
    let (answers, continuation) = AsyncThrowingStream<[IPAddress], any Error>.makeStream()
    DispatchQueue(label: "netrunner.resolver").async {
      do {
        continuation.yield(try resolve(host))
        continuation.finish()
      } catch {
        continuation.finish(throwing: error)
      }
    }
    for try await addresses in answers { return addresses }
    throw CancellationError()
  }

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// The corresponding C function is `getaddrinfo`.
  private static func resolve(_ host: String) throws -> [IPAddress] {
    var hints = addrinfo()
    #if canImport(Glibc)
    hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
    #else
    hints.ai_socktype = SOCK_STREAM
    #endif
    var first: UnsafeMutablePointer<addrinfo>?
    let status = getaddrinfo(host, nil, &hints, &first)
    defer { if let first { freeaddrinfo(first) } }
    guard status == 0 else { throw Failure(description: String(cString: gai_strerror(status))) }
    var addresses: [IPAddress] = []
    var next = first
    while let info = next?.pointee {
      if let address = IPAddress(info), !addresses.contains(address) { addresses.append(address) }
      next = info.ai_next
    }
    return addresses
  }
}
#endif
