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

  static func http(_ second: time_t) -> String { text(second, "%a, %d %b %Y %H:%M:%S GMT") }

  static func log(_ second: time_t) -> String { text(second, "%Y-%m-%dT%H:%M:%S") }

  /// Formats a time in seconds since 1970 in UTC, with the English names of C's default locale.
  private static func text(_ second: time_t, _ format: String) -> String {
    var (second, parts) = (second, tm())
    gmtime_r(&second, &parts)
    var text = [CChar](repeating: 0, count: 64)
    let count = strftime(&text, text.count, format, &parts)
    return String(decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
#endif
