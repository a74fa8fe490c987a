// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import ModelRepositoryAPI
import Testing

@Suite struct NameTests {
  @Test(arguments: ["a", "pets", "Pets-2_1.0", "9", String(repeating: "x", count: 100)])
  func `names that are safe everywhere are valid`(text: String) {
    #expect(RepositoryName(text)?.text == text)
  }

  @Test(arguments: [
    "", ".", "..", ".hidden", "-rf", "_x", "a/b", "a b", "a\0", "ä", "a\n", "%2e",
    String(repeating: "x", count: 101),
  ])
  func `other names are invalid`(text: String) {
    #expect(RepositoryName(text) == nil)
  }

  @Test func `a digest is 64 lowercase digits`() {
    let digits = String(repeating: "0a", count: 32)
    #expect(BlobDigest("sha256:" + digits)?.hexadecimal == digits)
    for text in [
      digits, "sha256:" + digits.uppercased(), "sha256:" + digits.dropLast(), "sha512:" + digits,
      "sha256:" + digits + "0", "sha256:" + digits.dropLast() + "g", "",
    ] {
      #expect(BlobDigest(text) == nil, "\(text)")
    }
    // FIPS 180-2, "abc".
    #expect(
      BlobDigest(of: "abc".utf8).description
        == "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
  }
}
#endif
