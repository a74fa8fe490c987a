// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

extension PixelBuffer {
  /// Returns the image's red, green and blue channels, each as a gray image of the same
  /// orientation.
  ///
  /// Use it to look at what a model sees. For a gray image, all three are the image itself. Alpha
  /// is left out.
  ///
  /// ```swift
  /// let seen = ImageTransform(width: 224, height: 224).apply(to: photo)
  /// let (red, green, blue) = seen.channels()
  /// ```
  public func channels() -> (red: PixelBuffer, green: PixelBuffer, blue: PixelBuffer) {
    guard format != .gray else { return (self, self, self) }
    let offsets = format.colorOffsets
    return (channel(at: offsets.red), channel(at: offsets.green), channel(at: offsets.blue))
  }

  private func channel(at offset: Int) -> PixelBuffer {
    PixelBuffer(fillingWidth: width, height: height, format: .gray, orientation: orientation) {
      target in
      target.withUnsafeMutableBytes { target in
        withBytes { span in
          span.withUnsafeBytes { source in
            for y in 0..<height {
              for x in 0..<width {
                target[y &* width &+ x] =
                  source[y &* bytesPerRow &+ x &* format.bytesPerPixel &+ offset]
              }
            }
          }
        }
      }
    }
  }
}
