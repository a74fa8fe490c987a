// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The machine's processors.
package enum Processors {
  /// The number of processors that this process may use.
  package static var count: Int { ProcessInfo.processInfo.activeProcessorCount }
}
