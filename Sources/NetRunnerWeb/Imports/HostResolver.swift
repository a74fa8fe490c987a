// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Dispatch

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Finds the addresses of a host.
struct HostResolver: Sendable {
  /// The addresses, the best first.
  var addresses: @Sendable (_ host: String) async throws -> [IPAddress]

  /// What the system knows.
  ///
  /// The system's function blocks its thread for as long as name servers are silent, and cannot be
  /// ended: it runs on a thread of its own, and nobody waits for it after a cancellation.
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

  /// The system knows no such host.
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
