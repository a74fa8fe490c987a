// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A record of what the models of a ``LineBackend`` were trained on.
package final class LineRecord: Sendable {
  private let seen = Mutex<[[Float]]>([])

  init() {}

  /// The values of `x` in every training step, in order.
  package var steps: [[Float]] { seen.withLock { $0 } }

  func note(_ x: [Float]) { seen.withLock { $0.append(x) } }
}
