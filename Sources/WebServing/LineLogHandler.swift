// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import CSystemCalls
import Foundation
package import Logging
import NIOPosix

/// Writes a server's log to standard error, with one line for each event.
///
///     2026-11-22T09:05:01.042Z info model-repository: request bytes=1024 method=GET status=200
///
/// swift-log's own handler asks the system for the time zone for every line, which takes a tenth of
/// a busy server's time.
package struct LineLogHandler: LogHandler {
  package var metadata: Logger.Metadata = [:]
  package var logLevel = Logger.Level.info
  private let label: String

  /// - Parameter label: The name of the source of the lines.
  package init(label: String) { self.label = label }

  package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  package func log(event: LogEvent) {
    var line = line(event)
    // Use one call, so that the lines of several threads and processes don't mix. A reader that
    // doesn't keep up blocks the server, as with other servers' logs.
    line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }

  func line(_ event: LogEvent) -> String {
    var line = ClockText.log
    line.reserveCapacity(256)
    line += " "
    line += event.level.rawValue
    line += " "
    line += label
    line += ": "
    line += event.message.description
    var all = event.metadata ?? [:]
    if !metadata.isEmpty { all.merge(metadata) { own, _ in own } }
    if let error = event.error { all["error"] = "\(error)" }
    for (key, value) in all.sorted(by: { $0.key < $1.key }) {
      line += " "
      line += key
      line += "="
      if case .string(let text) = value { line += text } else { line += value.description }
    }
    // An event is always one line, whatever its text contains.
    if !line.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) {
      line = String(
        String.UnicodeScalarView(line.unicodeScalars.map { Self.isPrintable($0) ? $0 : " " }))
    }
    line += "\n"
    return line
  }

  /// Whether a character is neither a control character nor a line separator.
  private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029: false
    default: true
    }
  }
}

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
