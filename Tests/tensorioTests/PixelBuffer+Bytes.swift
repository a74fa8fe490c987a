// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

extension PixelBuffer {
  /// The red, green and blue values of every pixel, row by row.
  var rgbBytes: [UInt8] {
    withBytes { bytes in
      bytes.withUnsafeBytes { bytes in
        (0..<height).flatMap { y in
          (0..<width).flatMap { x in
            let first = y * bytesPerRow + x * format.bytesPerPixel
            let pixel = bytes[first..<(first + format.bytesPerPixel)]
            return switch format {
            case .rgb, .rgba: [UInt8](pixel.prefix(3))
            default: [UInt8]()
            }
          }
        }
      }
    }
  }
}
