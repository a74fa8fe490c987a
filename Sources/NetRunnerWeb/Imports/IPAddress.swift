// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// An address of a computer: four bytes (IPv4) or sixteen (IPv6).
struct IPAddress: Hashable, Sendable {
  /// The bytes, the highest first.
  let bytes: [UInt8]

  /// Reads the usual way to write one: `192.0.2.1`, `2001:db8::1`.
  ///
  /// The ways in which some programs take numbers for addresses (`0x7f.1`) are names here.
  ///
  /// The corresponding C function is `inet_pton`.
  init?(_ text: String) {
    for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
      var bytes = [UInt8](repeating: 0, count: count)
      if inet_pton(family, text, &bytes) == 1 {
        self.bytes = bytes
        return
      }
    }
    return nil
  }

  /// The address in a structure of the system; nil for other families.
  init?(_ info: addrinfo) {
    switch info.ai_family {
    case AF_INET:
      guard
        let bytes = info.ai_addr?.withMemoryRebound(
          to: sockaddr_in.self, capacity: 1,
          { withUnsafeBytes(of: $0.pointee.sin_addr, Array.init) })
      else { return nil }
      self.bytes = bytes
    case AF_INET6:
      guard
        let bytes = info.ai_addr?.withMemoryRebound(
          to: sockaddr_in6.self, capacity: 1,
          { withUnsafeBytes(of: $0.pointee.sin6_addr, Array.init) })
      else { return nil }
      self.bytes = bytes
    default: return nil
    }
  }
}

extension IPAddress: CustomStringConvertible {
  /// The corresponding C function is `inet_ntop`.
  var description: String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let family = bytes.count == 4 ? AF_INET : AF_INET6
    inet_ntop(family, bytes, &text, socklen_t(text.count))
    return text.withUnsafeBytes { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}
#endif
