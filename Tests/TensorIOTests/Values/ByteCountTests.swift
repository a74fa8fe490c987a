// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import Testing

@Suite struct ByteCountTests {
  @Test(arguments: [
    (0, "0 bytes"), (1, "1 byte"), (1023, "1023 bytes"), (1024, "1 KiB"), (1536, "1.5 KiB"),
    (512 << 20, "512 MiB"), (1 << 30, "1 GiB"), (5 << 30, "5 GiB"),
  ])
  func `a number of bytes is written in a suitable unit`(_ bytes: Int, _ text: String) {
    #expect(ByteCount(bytes).description == text)
  }

  @Test(arguments: [
    ("512MiB", 512 << 20), ("512 MiB", 512 << 20), ("4g", 4 << 30), ("100", 100), ("7 kb", 7168),
  ])
  func `a size is read in any of its forms`(_ text: String, _ bytes: Int) {
    #expect(ByteCount(parsing: text)?.bytes == bytes)
  }

  @Test(arguments: ["", "MiB", "-1", "1.5GiB", "9999999999999999999", "9000000000 GiB", "3 TiB"])
  func `an invalid size is rejected`(_ text: String) {
    #expect(ByteCount(parsing: text) == nil)
  }
}
