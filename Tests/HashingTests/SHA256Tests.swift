// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Hashing
import Testing

/// Compares with the examples of FIPS 180-2, appendix B, and with Python's `hashlib`.
@Suite struct SHA256Tests {
  private static let million = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)

  @Test(arguments: [
    ([UInt8](), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    (Array("abc".utf8), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      Array("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8),
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    (million, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
  ])
  func `digests equal the standard's examples`(_ bytes: [UInt8], _ digits: String) throws {
    #expect(try SHA256.digest(of: bytes).hexadecimal == digits)
  }

  @Test func `bytes can be hashed in pieces of any size`() throws {
    let whole = try SHA256.digest(of: Self.million).hexadecimal
    for size in [1, 63, 64, 65, 4096, 999_999] {
      var hash = try SHA256.start()
      for start in stride(from: 0, to: Self.million.count, by: size) {
        hash.update(data: Self.million[start..<min(start + size, Self.million.count)])
      }
      #expect(hash.finalize().hexadecimal == whole, "\(size)")
    }
  }
}
