// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
package import Foundation

/// An IP address: four bytes (IPv4) or sixteen bytes (IPv6).
package struct IPAddress: Hashable, Sendable {
  /// The bytes, most significant first.
  package let bytes: [UInt8]

  /// Parses an address in the usual notation, such as `192.0.2.1` or `2001:db8::1`.
  ///
  /// Numeric forms that some programs accept as addresses, such as `0x7f.1`, are treated as names.
  ///
  /// The corresponding C function is `inet_pton`.
  package init?(_ text: String) {
    for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
      var bytes = [UInt8](repeating: 0, count: count)
      if inet_pton(family, text, &bytes) == 1 {
        self.bytes = bytes
        return
      }
    }
    return nil
  }

  /// Reads the address from a structure of the system, or returns nil for other address families.
  package init?(_ info: addrinfo) {
    func read<Socket, Number>(_ number: KeyPath<Socket, Number>) -> [UInt8]? {
      info.ai_addr?.withMemoryRebound(to: Socket.self, capacity: 1) { socket in
        withUnsafeBytes(of: socket.pointee[keyPath: number], Array.init)
      }
    }
    let bytes =
      switch info.ai_family {
      case AF_INET: read(\sockaddr_in.sin_addr)
      case AF_INET6: read(\sockaddr_in6.sin6_addr)
      default: [UInt8]?.none
      }
    guard let bytes else { return nil }
    self.bytes = bytes
  }
}

extension IPAddress {
  /// Whether a host is this computer, judged by its text without a DNS lookup.
  package static func isLoopback(host: String) -> Bool {
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    let isV4 = parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    return isV4 || ["localhost", "::1", "[::1]"].contains(host)
  }
}

extension IPAddress: CustomStringConvertible {
  /// The corresponding C function is `inet_ntop`.
  package var description: String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let family = bytes.count == 4 ? AF_INET : AF_INET6
    inet_ntop(family, bytes, &text, socklen_t(text.count))
    return text.withUnsafeBytes { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}
#endif
