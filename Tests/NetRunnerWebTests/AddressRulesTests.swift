// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Testing
import WebClient

@testable import NetRunnerWeb

@Suite struct AddressRulesTests {
  private static let special = [
    "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255",
    "127.0.0.1", "127.255.255.255", "172.16.0.0", "172.31.255.255", "192.0.0.0", "192.0.0.192",
    "192.0.2.1", "192.88.99.1", "192.168.0.0", "192.168.255.255", "198.18.0.0", "198.19.255.255",
    "198.51.100.7", "203.0.113.255", "::1", "100::1", "2001:2::1", "2001:db8::1", "3fff::1",
    "4000::1", "fc00::1", "fd00:ec2::253", "fdff::1", "fec0::1", "5f00::1",
  ]
  private static let never = [
    "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255", "ff02::1", "ff00::",
    "0.0.0.0", "0.1.2.3", "169.254.0.0", "169.254.169.254", "169.254.170.2", "168.63.129.16",
    "100.100.100.200", "fd00:ec2::254", "fd20:ce::254", "fe80::1", "fe80::a9fe:a9fe", "febf::1",
    "::", "::2", "::127.0.0.1", "::169.254.169.254", "::ffff:127.0.0.1", "::ffff:169.254.169.254",
    "::ffff:8.8.8.8", "::ffff:0:8.8.8.8", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe",
    "64:ff9b::808:808", "64:ff9b:1::1", "2001::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "2002:7f00:1::", "2002:a9fe:a9fe::1", "2002:808:808::1",
  ]
  private static let open = [
    "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0",
    "126.255.255.255", "128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255",
    "172.32.0.0", "192.0.1.0", "192.0.3.0", "192.167.255.255", "192.169.0.0", "198.17.255.255",
    "198.20.0.0", "223.255.255.255", "168.63.129.17", "2001:4860:4860::8888", "2600::1",
    "2606:4700::1111", "2a00:1450::1", "2001:200::1", "3ffe::1",
  ]

  @Test(arguments: special)
  func `a non-public address is rejected unless private addresses are allowed`(
    _ text: String
  ) throws {
    let address = try #require(IPAddress(text))
    #expect(AddressRules().refusal(of: address) != nil)
    #expect(AddressRules(allowsPrivateAddresses: true).refusal(of: address) == nil)
  }

  @Test(arguments: never)
  func `an address that can't host models is always rejected`(_ text: String) throws {
    let address = try #require(IPAddress(text))
    #expect(AddressRules().refusal(of: address) != nil)
    #expect(AddressRules(allowsPrivateAddresses: true).refusal(of: address) != nil)
  }

  @Test(arguments: open)
  func `a public address is allowed`(_ text: String) throws {
    let address = try #require(IPAddress(text))
    #expect(AddressRules().refusal(of: address) == nil)
    #expect(address.description == text)
  }

  @Test(arguments: [
    "", "1", "127.1", "0x7f.0.0.1", "0177.0.0.1", "2130706433", "127.0.0.1.", " 127.0.0.1",
    "::1%lo",
    "[::1]", "1.2.3.256", "example.com",
  ])
  func `only the usual notation of an IP address is parsed`(_ text: String) {
    #expect(IPAddress(text) == nil)
  }

  @Test(arguments: ["2130706433", "0x7f.1", "0177.0.0.1", "127.1", "localhost"])
  func `the resolver recognizes other notations of local addresses`(_ host: String) async throws {
    let addresses = try await HostResolver.system.addresses(host)
    #expect(!addresses.isEmpty)
    #expect(
      addresses.allSatisfy { AddressRules().refusal(of: $0) == "an address of this computer" })
  }

  @Test func `an unknown host name is an error`() async {
    await #expect(throws: HostResolver.Failure.self) {
      try await HostResolver.system.addresses("no-such-host.invalid")
    }
  }

  @Test(arguments: [
    "", "x", "example.com/x.zip", "ftp://example.com/x.zip", "file:///etc/passwd", "http:///x",
    "http://", "https://:80/", "http+unix://x/y", "unix:///var/run/docker.sock",
    "https://user@example.com/", "https://user:secret@example.com/", "https://:x@example.com/",
    "https://@example.com/", "http://example.com:0/", "http://example.com:65536/",
    "http://example.com:99999999999999999999/", "http://exa mple.com/",
    "http://example.com\\@127.0.0.1/", "http://127.0.0.1\\.example.com/",
    "http://exam%70le.com/", "http://[::1/", "http://[1.2.3.4]/", "http://[v1.x]/",
    "http://[fe80::1%25lo]/", "http://example.com/\r\nHost: x", "http://example.com\u{0}/",
    "javascript:alert(1)",
  ])
  func `an invalid bundle address is rejected`(_ text: String) {
    let error = #expect(throws: ImportError.self) { try BundleAddress(text) }
    #expect(error?.code == .invalidURL)
    #expect(error?.message.contains("secret") == false)
  }

  @Test func `a bundle address keeps its query and hides it from messages`() throws {
    let address = try BundleAddress(" https://Example.com:8443/a/b.zip?token=secret#part\n")
    #expect(address.host.lowercased() == "example.com")
    #expect(address.isSecure)
    #expect(address.text.contains("?token=secret"))
    #expect(!address.shown.contains("secret"))
    #expect(try BundleAddress("http://[2001:db8::1]/x").host == "2001:db8::1")
    #expect(
      try BundleAddress("http://example.com/模型.zip").text.hasSuffix("/%E6%A8%A1%E5%9E%8B.zip"))
  }

  @Test func `redirections follow the same rules as addresses`() throws {
    let address = try BundleAddress("https://example.com/a/b.zip")
    #expect(try address.redirected(to: "/c.zip").text == "https://example.com/c.zip")
    #expect(try address.redirected(to: "c.zip").text == "https://example.com/a/c.zip")
    #expect(try address.redirected(to: "//x.org/c").text == "https://x.org/c")
    for (location, code) in [
      ("http://example.com/", ImportError.Code.addressNotAllowed), ("file:///etc", .invalidURL),
      ("https://a:b@x.org/", .invalidURL), ("//[::1", .invalidURL),
    ] {
      let error = #expect(throws: ImportError.self) { try address.redirected(to: location) }
      #expect(error?.code == code)
    }
  }
}
#endif
