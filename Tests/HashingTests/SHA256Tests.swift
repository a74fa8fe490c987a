// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Hashing
import Testing

/// Compares with the examples of FIPS 180-2, appendix B, and with Python's `hashlib`.
@Suite struct SHA256Tests {
  /// Texts, and how often each is repeated.
  ///
  /// The repeated text would be an argument of a megabyte, which is printed.
  @Test(arguments: [
    ("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    ("a", 1_000_000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
  ])
  func `digests equal the standard's examples`(
    _ text: String, _ count: Int, _ digits: String
  ) throws {
    let bytes = Array(String(repeating: text, count: count).utf8)
    #expect(try SHA256.digest(of: bytes).hexadecimal == digits)
  }

  @Test func `bytes can be hashed in pieces of any size`() throws {
    let bytes = [UInt8](repeating: UInt8(ascii: "a"), count: 100_000)
    let whole = try SHA256.digest(of: bytes).hexadecimal
    for size in [1, 63, 64, 65, 4096, 99_999] {
      var hash = try SHA256.start()
      for start in stride(from: 0, to: bytes.count, by: size) {
        hash.update(data: bytes[start..<min(start + size, bytes.count)])
      }
      #expect(hash.finalize().hexadecimal == whole, "\(size)")
    }
  }
}
