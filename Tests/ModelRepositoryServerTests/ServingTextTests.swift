// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import Logging
import TestSupport
import Testing

@testable import WebServing

@Suite struct ServingTextTests {
  @Test(
    .enabled(if: Python.path != nil, "TENSORIO_PYTHON isn't set."))
  func `times are formatted as Python formats them`() async throws {
    let seconds = (0..<500).map { $0 * 8_640_007 } + [951_782_399, 951_782_400, 1_709_164_800]
    let script = """
      import datetime, email.utils
      for second in \(seconds):
          time = datetime.datetime.fromtimestamp(second, datetime.timezone.utc)
          print(email.utils.format_datetime(time, usegmt=True), time.strftime("%Y-%m-%dT%H:%M:%S"))
      """
    let lines = try await Python.run(["-c", script]).split(separator: "\n").map(String.init)
    #expect(lines == seconds.map { "\(ClockText.http($0)) \(ClockText.log($0))" })
  }

  @Test func `the log's time is the current time`() throws {
    let before = Date()
    let log = ClockText.log
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    let time = try style.parse(log)
    #expect(time.timeIntervalSince(before) > -0.002 && time.timeIntervalSince(before) < 5, "\(log)")
  }

  @Test func `a log event is a single line, whatever its text`() {
    var handler = LineLogHandler(label: "server")
    handler[metadataKey: "id"] = "7"
    func line(_ message: Logger.Message, _ metadata: Logger.Metadata) -> String {
      String(
        handler.line(
          LogEvent(
            level: .info, message: message, metadata: metadata, source: nil, file: "", function: "",
            line: 1)
        ).dropFirst(25))
    }
    #expect(
      line("request", ["path": "/x", "bytes": "1"])
        == "info server: request bytes=1 id=7 path=/x\n")
    #expect(
      line("a\nb", ["path": "/\r\u{1B}[1mé\u{7F}\u{85}\u{2028}"])
        == "info server: a b id=7 path=/  [1mé   \n")
    #expect(handler.logLevel == .info)
  }
}
#endif
