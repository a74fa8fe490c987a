// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// A value that an image input takes.
///
/// Types that `tensorio generate` writes take any such value for an image, so that the compiler
/// refuses a number. ``PixelBuffer``, ``Tensor`` and `ImageFile` conform. If a type of yours writes an
/// image into a tensor, make it conform, too:
///
/// ```swift
/// extension Frame: ImageEncodable {}
/// ```
public protocol ImageEncodable: TensorEncodable {}

extension PixelBuffer: ImageEncodable {}

/// A tensor that already holds what the model should see.
extension Tensor: ImageEncodable {}
