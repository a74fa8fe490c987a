// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import TensorIOLiteRT

@Suite struct StandardErrorFilterTests {
  /// The file behind a descriptor.
  private static func file(of descriptor: Int32) -> [UInt64] {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return [] }
    return [UInt64(status.st_dev), UInt64(status.st_ino)]
  }

  @Test func `models that are compiled at once don't lose the standard streams`() {
    let before = [STDOUT_FILENO, STDERR_FILENO].map(Self.file)
    DispatchQueue.concurrentPerform(iterations: 8) { number in
      let (status, reason) = StandardErrorFilter.whileUsingGPU {
        // The calls overlap if nothing keeps them apart, and end in another order.
        usleep(UInt32(20_000 - 2000 * number))
        return LiteRT.ok
      }
      #expect(status == LiteRT.ok && reason == "")
    }
    #expect([STDOUT_FILENO, STDERR_FILENO].map(Self.file) == before)
  }
}
