// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import NIOPosix

/// The current time as text, made once a second because servers write it with every response.
package enum ClockText {
  private final class Texts: Sendable {
    let second: time_t
    let http: String
    let log: String

    init(second: time_t) {
      self.second = second
      (http, log) = (ClockText.http(second), ClockText.log(second))
    }
  }

  /// Each thread's own texts, because threads that share a reference count wait for each other.
  private static let last = ThreadSpecificVariable<Texts>()

  /// The time as a response's `Date` field has it (RFC 9110, section 5.6.7).
  package static var http: String { texts(time(nil)).http }

  /// The time as logs have it, with milliseconds: `2026-11-22T09:05:01.042Z`.
  package static var log: String {
    let now = Date().timeIntervalSince1970
    let second = now.rounded(.down)
    let milliseconds = String(Int((now - second) * 1000))
    let zeros = String(repeating: "0", count: 3 - milliseconds.utf8.count)
    return "\(texts(time_t(second)).log).\(zeros)\(milliseconds)Z"
  }

  private static func texts(_ second: time_t) -> Texts {
    if let texts = last.currentValue, texts.second == second { return texts }
    let texts = Texts(second: second)
    last.currentValue = texts
    return texts
  }

  /// Formats a time in seconds since 1970 for the `Date` field.
  static func http(_ second: time_t) -> String {
    let parts = parts(of: second)
    let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    let months = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    return "\(days[Int(parts.tm_wday)]), \(twoDigits(parts.tm_mday)) "
      + "\(months[Int(parts.tm_mon)]) \(parts.tm_year + 1900) \(clock(parts)) GMT"
  }

  /// Formats a time in seconds since 1970 for logs, without fraction and time zone.
  static func log(_ second: time_t) -> String {
    let parts = parts(of: second)
    return "\(parts.tm_year + 1900)-\(twoDigits(parts.tm_mon + 1))-\(twoDigits(parts.tm_mday))"
      + "T\(clock(parts))"
  }

  private static func parts(of second: time_t) -> tm {
    var (second, parts) = (second, tm())
    gmtime_r(&second, &parts)
    return parts
  }

  private static func clock(_ parts: tm) -> String {
    [parts.tm_hour, parts.tm_min, parts.tm_sec].map(twoDigits).joined(separator: ":")
  }

  private static func twoDigits(_ number: Int32) -> String {
    (number < 10 ? "0" : "") + String(number)
  }
}
#endif
