// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The time, as the field `Date` of an answer has it (RFC 9110, section 5.6.7).
package enum HTTPDate {
  private static let last = Mutex<(second: time_t, text: String)>((-1, ""))

  /// The present time; made once a second.
  package static var now: String {
    let second = time(nil)
    return last.withLock { last in
      if last.second != second { last = (second, text(second)) }
      return last.text
    }
  }

  /// A time, in seconds since 1970.
  static func text(_ second: time_t) -> String {
    var (second, parts) = (second, tm())
    gmtime_r(&second, &parts)
    let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    let months = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    func twoDigits(_ number: Int32) -> String { (number < 10 ? "0" : "") + String(number) }
    let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map(twoDigits).joined(separator: ":")
    return "\(days[Int(parts.tm_wday)]), \(twoDigits(parts.tm_mday)) "
      + "\(months[Int(parts.tm_mon)]) \(parts.tm_year + 1900) \(clock) GMT"
  }
}
