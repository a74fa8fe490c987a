// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The region of a grid that an object covers.
package struct InstanceMask: Sendable, Equatable {
  /// The first column and row of the region.
  package var left: Int
  package var top: Int
  /// The size of the region.
  package var width: Int
  package var height: Int
  /// 1 for each cell of the object, otherwise 0, row by row.
  package var cells: [UInt8]
}
