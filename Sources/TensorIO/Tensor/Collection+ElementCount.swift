// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

extension Collection where Element == Int {
  /// The number of elements of a tensor with these axes.
  ///
  /// It is nil when a length is negative or when the product is more than a runtime supports (2^31
  /// - 1). These checks are needed because shapes come from files.
  @inlinable package var elementCount: Int? {
    var count = 1
    for length in self {
      let (product, overflow) = count.multipliedReportingOverflow(by: length)
      guard length >= 0, !overflow, product <= Int(Int32.max) else { return nil }
      count = product
    }
    return count
  }
}
