// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import WebClient

/// Rules for which servers a download may connect to.
///
/// A URL in a request could make the server's machine connect to servers that only it can reach: on
/// its own network, on the machine itself, or in the cloud that it runs in. Only addresses of the
/// public internet are allowed, unless the person who runs the server allows others.
struct AddressRules: Hashable, Sendable {
  /// Whether downloads may connect to this machine and its networks.
  ///
  /// Some addresses are never allowed: multicast, reserved and link-local addresses, addresses
  /// where clouds provide secrets, and addresses that express an IPv4 address in another form.
  var allowsPrivateAddresses = false

  /// Addresses that are always allowed, for the servers of tests.
  var exceptions: Set<IPAddress> = []

  /// Returns why an address is refused, such as "a private address", or nil if it is allowed.
  func refusal(of address: IPAddress) -> String? {
    guard !exceptions.contains(address) else { return nil }
    if let network = Self.forbidden.first(where: { $0.contains(address) }),
      !Self.loopback6.contains(address)
    {
      return network.kind
    }
    guard !allowsPrivateAddresses else { return nil }
    let networks = address.bytes.count == 4 ? Self.special4 : Self.special6
    if let network = networks.first(where: { $0.contains(address) }) { return network.kind }
    // Only this part of IPv6 is assigned to anyone.
    guard address.bytes.count == 4 || Self.public6.contains(address) else {
      return "a reserved address"
    }
    return nil
  }
}

// MARK: - Networks

extension AddressRules {
  /// A network, whose addresses have the same first bits.
  private struct Network {
    let prefix: [UInt8]
    let length: Int
    let kind: String

    /// - Parameters:
    ///   - prefix: The first bytes. The other bytes are zero.
    ///   - length: The number of bits that the addresses share.
    ///   - kind: A description of such an address for messages.
    ///   - count: The number of bytes of an address.
    init(_ prefix: [UInt8], _ length: Int, _ kind: String, of count: Int) {
      self.prefix = prefix + Array(repeating: 0, count: count - prefix.count)
      self.length = length
      self.kind = kind
    }

    func contains(_ address: IPAddress) -> Bool {
      guard address.bytes.count == prefix.count else { return false }
      return (0..<length).allSatisfy { bit in
        (address.bytes[bit / 8] ^ prefix[bit / 8]) & (0x80 >> UInt8(bit % 8)) == 0
      }
    }
  }

  private static let loopback6 = Network(
    Array(repeating: 0, count: 15) + [1], 128, "an address of this computer", of: 16)

  /// Networks that are never allowed, because they have no models but are useful to attackers.
  private static let forbidden = [
    Network([0], 8, "an address of this computer", of: 4),
    Network([169, 254], 16, "a link-local address", of: 4),
    Network([224], 4, "a multicast address", of: 4),
    Network([240], 4, "a reserved address", of: 4),
    // Azure, Alibaba, AWS and Google provide secrets to their machines at these addresses.
    Network([168, 63, 129, 16], 32, "a cloud provider's internal address", of: 4),
    Network([100, 100, 100, 200], 32, "a cloud provider's internal address", of: 4),
    Network(
      [0xFD, 0, 0x0E, 0xC2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x54], 128,
      "a cloud provider's internal address", of: 16),
    Network(
      [0xFD, 0x20, 0, 0xCE, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x54], 128,
      "a cloud provider's internal address", of: 16),
    Network([], 128, "an address of this computer", of: 16),
    Network([0xFE, 0x80], 10, "a link-local address", of: 16),
    Network([0xFF], 8, "a multicast address", of: 16),
    // Each of these can lead to any IPv4 address, including those above.
    Network([], 96, "a translated address", of: 16),
    Network([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], 96, "a translated address", of: 16),
    Network([0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], 96, "a translated address", of: 16),
    Network([0x00, 0x64, 0xFF, 0x9B], 96, "a translated address", of: 16),
    Network([0x00, 0x64, 0xFF, 0x9B, 0, 1], 48, "a translated address", of: 16),
    Network([0x20, 0x01, 0, 0], 32, "a translated address", of: 16),
    Network([0x20, 0x02], 16, "a translated address", of: 16),
  ]

  /// Networks from IANA's registry of special-purpose IPv4 addresses.
  private static let special4 = [
    Network([127], 8, "an address of this computer", of: 4),
    Network([10], 8, "a private address", of: 4),
    Network([172, 16], 12, "a private address", of: 4),
    Network([192, 168], 16, "a private address", of: 4),
    Network([100, 64], 10, "an internet provider's private address", of: 4),
    Network([192, 0, 0], 24, "a reserved address", of: 4),
    Network([192, 0, 2], 24, "a reserved address", of: 4),
    Network([192, 88, 99], 24, "a reserved address", of: 4),
    Network([198, 18], 15, "a reserved address", of: 4),
    Network([198, 51, 100], 24, "a reserved address", of: 4),
    Network([203, 0, 113], 24, "a reserved address", of: 4),
  ]

  private static let public6 = Network([0x20], 3, "", of: 16)

  /// Networks with their own wording in a refusal, and exceptions within the public part.
  private static let special6 = [
    loopback6,
    Network([0xFC], 7, "a private address", of: 16),
    Network([0xFE, 0xC0], 10, "a private address", of: 16),
    // Protocol assignments, none of which belongs to a machine.
    Network([0x20, 0x01], 23, "a reserved address", of: 16),
    Network([0x20, 0x01, 0x0D, 0xB8], 32, "a reserved address", of: 16),
    Network([0x3F, 0xFF], 20, "a reserved address", of: 16),
  ]
}
#endif
