// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import AudioFeatures
import AudioFiles
package import TensorIO

/// A front end with other options than those of a layer, which `tensorio parity` tries.
package struct AudioVariant: Sendable {
  private let encoder: AudioEncoder

  /// Makes a front end; nil if the options have no valid one.
  package init?(_ options: [String: JSONValue]) {
    guard let encoder = try? AudioEncoder(LayerCoding(type: "audio", options: options)) else {
      return nil
    }
    self.encoder = encoder
  }

  package func shape(sampleCount: Int) -> (rows: Int, columns: Int) {
    encoder.shape(sampleCount: sampleCount)
  }

  /// Computes the features of samples at the layer's rate; nil if there are too few.
  package func features(_ samples: [Float]) -> [Float]? { try? encoder.features(samples) }
}

extension AudioClip {
  /// Reads a file, and takes one of its channels.
  ///
  /// - Throws: `TensorIOError` as for the mean of the channels.
  package init(contentsOf path: String, channel: Int) throws {
    let file = try AudioFile(path)
    self.init(
      samples: try file.readAll(channel: min(channel, file.channels - 1)),
      sampleRate: file.sampleRate)
  }

  /// Returns the samples at another rate; nil if the rate isn't valid.
  package func resampled(to rate: Int) -> [Float]? { try? samples(at: rate) }
}
