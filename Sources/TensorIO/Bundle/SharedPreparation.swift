// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// What was prepared from the options of layers, such as tables or a tokenizer.
final class Preparation: Sendable {
  private let known = Mutex<(any Sendable)?>(nil)

  /// Returns what was prepared.
  ///
  /// The first caller makes it, and others wait, because a tokenizer takes much memory.
  func value<Value: Sendable, Failure>(
    _ make: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try known.withLock { known throws(Failure) in
      if let value = known as? Value { return value }
      let value = try make()
      known = value
      return value
    }
  }
}

/// Gives the same preparation to all layers of a bundle that have the same options.
///
/// The models of the bundle keep it. It is released with the last of them, even if the bundle is kept.
final class SharedPreparation: Sendable {
  private struct Reference {
    weak var preparation: Preparation?
  }

  private let reference = Mutex(Reference())

  func current() -> Preparation {
    reference.withLock { reference in
      if let preparation = reference.preparation { return preparation }
      let preparation = Preparation()
      reference.preparation = preparation
      return preparation
    }
  }
}
