// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CBaseline
import Foundation
import TensorIO
import TensorIOImageCodecs

/// The stages that a picture goes through.
enum Pictures {
  /// The whole picture into fresh memory, ours and libjpeg's plain loop in turn.
  static func compareDecoding(_ path: String) async throws {
    let file = [UInt8](try Data(contentsOf: URL(filePath: path)))
    let byteCount = baseline_decode_jpeg(file, file.count, nil)
    let decoder = ImageDecoder()
    let name = URL(filePath: path).lastPathComponent
    let count = max(1, 4_000_000 / byteCount)
    await Pair("\(name), decoded whole / libjpeg's plain loop", count: count).run {
      for _ in 0..<count { _ = try decoder.decode(file) }
    } against: {
      for _ in 0..<count {
        let pixels = UnsafeMutablePointer<UInt8>.allocate(capacity: byteCount)
        defer { pixels.deallocate() }
        guard baseline_decode_jpeg(file, file.count, pixels) == byteCount else { fatalError() }
      }
    }
  }

  /// A VGA picture in memory to 224 x 224 normalized floats in a tensor, by every method.
  static func measureResizing() throws {
    let bytes = (0..<640 * 480 * 3).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 / 641) }
    let picture = PixelBuffer(width: 640, height: 480, format: .rgb, bytes: bytes)
    var tensor = [UInt8](repeating: 0, count: 224 * 224 * 3 * 4)
    for method in ResizeMethod.allCases {
      let preprocessing = ImagePreprocessing(resize: method, normalization: .minusOneToOne)
      let spec = TensorSpec(
        name: "image", shape: [224, 224, 3],
        kind: .imageInput(ImageShape(height: 224, width: 224), preprocessing))
      let clock = ContinuousClock()
      var times: [Duration] = []
      for _ in 0..<301 {
        times.append(
          try clock.measure {
            var span = tensor.mutableSpan
            var memory = span.mutableBytes
            try picture.encode(into: &memory, as: spec)
          })
      }
      times.sort()
      let (median, best) = (microseconds(times[150]), microseconds(times[0]))
      print(
        "640 x 480 to 224 x 224 x 3 float32, \(method.rawValue): median \(median) us, best \(best)")
    }
  }

  private static func microseconds(_ duration: Duration) -> String {
    String(format: "%.0f", Double(duration.components.attoseconds) / 1e12)
  }
}
