// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import Testing

/// The graphs that `tensorio inspect --graph` shows, for which LiteRT isn't needed.
@Suite struct InspectGraphTests {
  @Test func `a bundle shows the operators of its model and their totals`() async throws {
    let result = try await CommandRunner.run([
      "inspect", "--graph", "Demo/digits-int8.tiobundle",
    ])
    #expect(result.status == 0)
    #expect(result.error == "")
    #expect(
      result.output == """
        Main graph (serving_default)
          #  Operator         Reads                Writes               \
        Quantization                        Constants
          0  CONV_2D          int8 [1, 32, 32, 3]  int8 [1, 16, 16, 8]  \
        scale 0.021096133, zero point -128  248 bytes
          1  CONV_2D          int8 [1, 16, 16, 8]  int8 [1, 8, 8, 16]   \
        scale 0.02438326, zero point -128   1.2 KiB
          2  CONV_2D          int8 [1, 8, 8, 16]   int8 [1, 4, 4, 32]   \
        scale 0.04308185, zero point -128   4.6 KiB
          3  RESHAPE          int8 [1, 4, 4, 32]   int8 [1, 512]        \
        scale 0.04308185, zero point -128   8 bytes
          4  FULLY_CONNECTED  int8 [1, 512]        int8 [1, 10]         \
        scale 0.17021275, zero point 27     5 KiB
          5  SOFTMAX          int8 [1, 10]         int8 [1, 10]         \
        scale 0.00390625, zero point -128

        Totals
          Operator         Count  Constants
          CONV_2D          3      6.1 KiB
          FULLY_CONNECTED  1      5 KiB
          RESHAPE          1      8 bytes
          SOFTMAX          1

        """)
  }

  @Test func `JSON has the documented keys`() async throws {
    let result = try await CommandRunner.run([
      "inspect", "--graph", "--json", "\(modelsFolder)/add.tflite",
    ])
    let document = try JSONValue(parsing: Data(result.output.utf8))
    guard case .object(let members) = document else { return }
    #expect(members.keys.sorted() == ["bytes", "constant_bytes", "graphs", "totals"])
  }

  @Test(arguments: ["Demo/images/digit-3-01.png", "Tests/Fixtures/SavedModels/tf2"])
  func `something without a graph is an error`(path: String) async throws {
    let result = try await CommandRunner.run(["inspect", "--graph", path])
    #expect(result.status == 65)
    #expect(result.error.hasPrefix("error: "), "\(result.error)")
    #expect(result.output == "")
  }
}
