// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

extension Duration {
  /// The duration in milliseconds, with nanosecond precision.
  package var milliseconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds * 1_000_000_000 + attoseconds / 1_000_000_000) / 1e6
  }
}
