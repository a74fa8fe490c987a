// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A value in SQLite's representation.
package enum StoredValue: Sendable, Hashable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob(Data)
}

/// A value that can be stored in a column.
package protocol StoredValueConvertible {
  /// The value in SQLite's representation.
  var storedValue: StoredValue { get }
}

extension String: StoredValueConvertible {
  package var storedValue: StoredValue { .text(self) }
}

extension Int: StoredValueConvertible {
  package var storedValue: StoredValue { .integer(Int64(self)) }
}

extension Double: StoredValueConvertible {
  package var storedValue: StoredValue { .real(self) }
}

extension Bool: StoredValueConvertible {
  package var storedValue: StoredValue { .integer(self ? 1 : 0) }
}
