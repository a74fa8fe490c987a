// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The example of a command-line tool that uses the library.
@Suite(.enabled(if: hasLiteRT, "The LiteRT library is missing; run 'make setup'."))
struct ClassifyExampleTests {
  private static let program = CommandRunner.binary.deletingLastPathComponent()
    .appending(path: "classify")

  @Test func `the best labels of an image are printed, and a missing image is reported`()
    async throws
  {
    let image = "Demo/images/digit-7-01.png"
    let result = try await CommandRunner.run(
      ["Demo/digits.tiobundle", "Demo/images/none.png", image], executable: Self.program)
    #expect(result.status == 1)
    #expect(result.output.hasPrefix("\(image): seven "), "\(result.output)")
    #expect(result.error.hasPrefix("Demo/images/none.png: "), "\(result.error)")
  }
}
