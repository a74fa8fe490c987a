// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

extension Float {
  /// The double whose shortest text is that of this number: 0.1, not 0.10000000149011612.
  ///
  /// A whole number is converted exactly, because it is printed as an integer.
  package var shortestDouble: Double {
    guard isFinite, self != rounded() else { return Double(self) }
    return Double(description) ?? Double(self)
  }
}
