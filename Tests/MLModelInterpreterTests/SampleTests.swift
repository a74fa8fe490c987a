// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import MLKitSamples
import MLModelInterpreter
import Testing

@Suite struct SampleTests {
  @Test func `ML Kit's samples run a photo through a model`() async throws {
    let samples = Samples()
    let options = samples.makeOptions()
    #expect(samples.ioOptionsError == nil)
    // Alpha, then red, green and blue: 51, 102 and 255 of 255.
    let pixels = (0..<224 * 224).flatMap { _ in [255, 51, 102, 255] as [UInt8] }
    let inputs = pixels.withUnsafeBytes { bytes in
      bytes.baseAddress.map { samples.makeInputs($0, width: 224) }
    }
    let interpreter = samples.makeLocalInterpreter(Interpreting.model("photo_classes"))
    let given = try #require(inputs)
    let probabilities: [Float]? = await withCheckedContinuation { continuation in
      samples.run(interpreter, given, options) { numbers in
        continuation.resume(returning: numbers?.map(\.floatValue))
      }
    }
    let values = try #require(probabilities)
    #expect(values.count == 1000)
    for (place, value) in values.enumerated() {
      // 0.2 * 1 + 0.4 * 2 + 1 * 3; the mean of 50,176 pixels is rounded.
      #expect(abs(value - 4 * Float(place) / 1000) < 1e-3, "\(place)")
    }
  }
}
#endif
