// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The limits on what a TensorFlow Lite model may ask for.
///
/// A file of a few hundred bytes can claim tensors of any size. The limit is checked before the
/// runtime sees the file.
public struct LiteRTLimits: Hashable, Sendable {
  /// The maximum number of bytes that all tensors of a model may take together, without its
  /// constants.
  ///
  /// An axis of unknown length counts as 1. The default is 1 GiB.
  public var tensorBytes: Int

  /// Makes limits.
  public init(tensorBytes: Int = 1 << 30) { self.tensorBytes = tensorBytes }
}
