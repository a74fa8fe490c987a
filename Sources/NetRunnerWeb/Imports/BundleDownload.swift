// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Files
import NIOSSL
import NetRunner
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
  let rules: AddressRules
  var limits = DownloadLimits()
  var resolver = HostResolver.system
  /// The TLS configuration, or nil to trust the system's certificate authorities.
  var tlsConfiguration: TLSConfiguration?

  /// Downloads a file.
  ///
  /// Cancel the task to end the download.
  ///
  /// - Parameters:
  ///   - url: The http or https URL. Up to ``DownloadLimits/redirects`` redirects are followed.
  ///   - path: The path to write the file to. No file may exist there.
  ///   - onProgress: Called with the number of received bytes, and with the total if the server
  ///     announces it.
  /// - Throws: ``DownloadError``. No file is left in that case.
  func download(
    _ url: String, to path: String,
    onProgress: @escaping @Sendable (_ received: Int, _ total: Int?) -> Void = { _, _ in }
  ) async throws {
    let address = try BundleAddress(url)
    do {
      let file = try await DownloadedFile.writing {
        try OpenFile(creating: path, permissions: 0o600)
      }
      do {
        try await fetch(address, into: file, onProgress)
        try await DownloadedFile.writing { try file.flush() }
      } catch {
        // Don't use the thread pool here, because it doesn't run work for a cancelled task. If this
        // fails, the error above still matters more.
        try? FileSystem.remove(path)
        throw error
      }
    } catch let error as DownloadError {
      throw error
    } catch  where Task.isCancelled || error is CancellationError {
      throw DownloadError(.cancelled, "The download was cancelled.", cause: error)
    } catch {
      throw DownloadError(
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
        throw DownloadError(
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
    throw DownloadError(
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
        throw DownloadError(
          .connectionFailed, "The server '\(address.host)' can't be found: \(error).", cause: error)
      }
    }
    let allowed = computers.filter { rules.refusal(of: $0) == nil }
    guard allowed.isEmpty else { return allowed }
    guard let computer = computers.first, let kind = rules.refusal(of: computer) else {
      throw DownloadError(.connectionFailed, "The server '\(address.host)' has no IP address.")
    }
    throw DownloadError(
      .addressNotAllowed,
      "'\(address.shown)' can't be downloaded, because its server has \(kind) (\(computer))."
        + " Import from the public internet, or upload the file.")
  }
}
#endif
