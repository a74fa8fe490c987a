// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Decoders
import TensorIO

/// Computes how much an output differs from the input that it reconstructs, as an autoencoder does.
struct ReconstructionDecoder: PreparedDecoder {
  private let outputs: DecoderOutputs
  private let isSquared: Bool

  init(_ outputs: DecoderOutputs) {
    self.outputs = outputs
    isSquared = outputs.options.text("error") != "mean-absolute"
  }

  func decode(_ values: ModelOutputs) throws -> DecodedValue {
    guard let input = values.inputValues else {
      throw DecodingError("The model has no input of numbers that the output could reconstruct.")
    }
    let error: Double = try values.withFloats(at: outputs.index) { output in
      guard output.count == input.count else {
        throw DecodingError(
          "A reconstruction has as many numbers as the input, but the output has "
            + "\(output.count), and the input \(input.count).")
      }
      var sum = 0.0
      for index in input.indices {
        let difference = Double(input[index]) - Double(output[index])
        sum += isSquared ? difference * difference : difference.magnitude
      }
      return sum / Double(max(input.count, 1))
    }
    return .measurements([
      Measurement(name: outputs.name, value: error, unit: outputs.options.text("unit"))
    ])
  }
}
