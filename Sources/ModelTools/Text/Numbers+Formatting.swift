// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Charts
import TensorIO

extension Float {
  /// Returns the number with a fixed count of decimals.
  package func fixed(_ decimals: Int) -> String { Double(self).fixed(decimals) }
}

extension Double {
  /// Returns the number with a fixed count of decimals.
  package func fixed(_ decimals: Int) -> String {
    DecimalText(self, digits: decimals).description
  }

  /// The number rounded to six significant digits.
  package var significant: Double {
    guard isFinite, self != 0 else { return self }
    var factor = 1.0
    while magnitude * factor < 1e5 && factor < 1e300 { factor *= 10 }
    while magnitude * factor >= 1e6 && factor > 1e-300 { factor /= 10 }
    return (self * factor).rounded() / factor
  }
}

extension Duration {
  /// The duration as text, in the unit that fits.
  package var formatted: String {
    let milliseconds = milliseconds
    if milliseconds < 0.1 { return "\((milliseconds * 1e3).fixed(2)) µs" }
    if milliseconds < 1e4 { return "\(milliseconds.fixed(2)) ms" }
    return "\((milliseconds / 1e3).fixed(1)) s"
  }
}
