// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Arithmetic of samples before a front end.
package enum AudioSamples {
  /// Returns the mean of the channels, as `librosa.to_mono` does.
  ///
  /// - Parameters:
  ///   - interleaved: The samples of all channels, moment by moment. A last moment that isn't
  ///     complete is left out.
  ///   - channels: The number of channels.
  /// - Returns: A sample for each moment.
  package static func mono(_ interleaved: Span<Float>, channels: Int) -> [Float] {
    var result: [Float] = []
    appendMono(interleaved, channels: channels, to: &result)
    return result
  }

  /// Appends the mean of the channels to a recording.
  package static func appendMono(
    _ interleaved: Span<Float>, channels: Int, to result: inout [Float]
  ) {
    let channels = max(channels, 1)
    let count = interleaved.count / channels
    let divisor = Float(channels)
    for moment in 0..<count {
      var sum = interleaved[moment * channels]
      for channel in 1..<channels { sum += interleaved[moment * channels + channel] }
      result.append(sum / divisor)
    }
  }

  /// Returns 16-bit samples as `tf.cast(samples * 32768, tf.int16)` does.
  ///
  /// Samples outside of the integers' range become the nearest integer, and NaN becomes 0.
  package static func integers(_ samples: Span<Float>) -> [Int16] {
    var result: [Int16] = []
    result.reserveCapacity(samples.count)
    for index in 0..<samples.count {
      let value = samples[index] * 32768
      result.append(value.isNaN ? 0 : Int16(min(max(value, -32768), 32767)))
    }
    return result
  }
}
