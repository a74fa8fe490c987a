// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TestSupport
import Testing

/// Text from outside that contains control sequences for the terminal.
@Suite struct ForeignTextTests {
  /// Sets the window's title, rings, clears the screen, sets a color and reverses the text.
  private static let evil = "\u{1B}]0;owned\u{07}\u{1B}[2J\u{9B}31m\u{202E}end"

  private static func expectHarmless(
    _ result: CommandRunner.Result, _ words: String = "e",
    location: SourceLocation = #_sourceLocation
  ) {
    for text in [result.output, result.error] {
      let bad = text.unicodeScalars.filter { scalar in
        scalar.properties.generalCategory == .control && scalar != "\n" && scalar != "\t"
          || scalar == "\u{202E}"
      }
      #expect(bad.isEmpty, "\(text.debugDescription)", sourceLocation: location)
    }
    let all = result.output + result.error
    #expect(all.contains(words), "\(all.debugDescription)", sourceLocation: location)
  }

  @Test(.enabled(if: hasLiteRT, "The LiteRT library is missing; run 'make setup'."))
  func `control characters in a bundle's names, labels and paths don't reach the terminal`()
    async throws
  {
    let folder = try TemporaryFolder()
    let bundle = folder.path + "/\(Self.evil).tiobundle"
    let digits = CommandRunner.packageFolder.path + "/Demo/digits.tiobundle"
    try FileManager.default.copyItem(atPath: digits, toPath: bundle)
    let json = String(decoding: try FileSystem.read(bundle + "/model.json"), as: UTF8.self)
    let escaped = "\\u001b]0;owned\\u0007\\u001b[2J\\u009b31m\\u202eend"
    try json.replacing(#""name": "Digits""#, with: #""name": "\#(escaped)""#)
      .replacing(#""name": "classification""#, with: #""name": "\#(escaped)""#)
      .write(toFile: bundle + "/model.json", atomically: true, encoding: .utf8)
    let labels = (0..<10).map { "\(Self.evil)-\($0)" }.joined(separator: "\n")
    try Data(labels.utf8).write(to: URL(filePath: bundle + "/assets/labels.txt"))
    let photos = folder.path + "/photos"
    try FileManager.default.createDirectory(atPath: photos, withIntermediateDirectories: true)
    let photo = photos + "/\(Self.evil).png"
    try FileManager.default.copyItem(
      atPath: CommandRunner.packageFolder.path + "/Demo/images/digit-7-01.png", toPath: photo)
    for arguments in [
      ["inspect", bundle], ["validate", bundle], ["run", bundle, photo], ["run", photo, photo],
      ["bulk", photos, "--model", bundle, "-o", folder.path + "/rows.jsonl"],
      ["bulk", photos, "--model", bundle, "-o", folder.path + "/\(Self.evil).unknown"],
      ["bench", bundle, photo, "--iterations", "1"], ["run", bundle, photo, photo, photo],
      ["run", bundle + "-missing", "1"], [Self.evil], ["run", bundle, photo, "--" + Self.evil],
    ] {
      Self.expectHarmless(try await CommandRunner.run(arguments))
    }
    Self.expectHarmless(try await CommandRunner.run(["run", bundle, photo]), "end-7")
    let result = try await CommandRunner.run(["run", bundle, photo, "--json"])
    Self.expectHarmless(result, "\\u202e")
    let document = try JSONValue(parsing: Data(result.output.utf8))
    #expect("\(document)".contains("owned"))
  }

  @Test(.enabled(if: Python.path != nil, "TENSORIO_PYTHON isn't set."))
  func `control characters in a server's responses don't reach the terminal`() async throws {
    let script = """
      import http.server, json

      class Handler(http.server.BaseHTTPRequestHandler):
          def log_message(self, *arguments): pass
          def answer(self):
              text = "\\x1b]0;owned\\x07\\x1b[2J\\x9b31m\\u202eend\\nerror: forged"
              body = json.dumps({"status": 403, "code": text, "title": text}).encode()
              self.send_response(403, "\\x1b[2JForbidden")
              self.send_header("Content-Type", "application/problem+json")
              self.send_header("Content-Length", str(len(body)))
              self.end_headers()
              self.wfile.write(body)
          do_GET = do_POST = do_PUT = answer

      server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
      print(server.server_port, flush=True)
      server.serve_forever()
      """
    let process = try ChildProcess(try #require(Python.path), ["-u", "-c", script])
    defer {
      kill(process.identifier, SIGKILL)
      _ = process.wait()
    }
    let line = String(decoding: process.output.availableData, as: UTF8.self)
    let address = "http://127.0.0.1:" + line.filter(\.isNumber)
    let folder = try TemporaryFolder()
    let key = "N/EwkvhEUXk6iY70jnDBbpwB8wjqLB8AMpBcO/dcgSM="
    for arguments in [
      ["models"], ["versions", "digits"], ["audit"], ["verify", "digits", "--key", key],
      ["pull", "digits", "--key", key, "-o", folder.path], ["rollback", "digits"],
    ] {
      let result = try await CommandRunner.run(["repository"] + arguments + ["--server", address])
      Self.expectHarmless(result, "owned")
      #expect(result.error.split(separator: "\n").count == 1, "\(result.error.debugDescription)")
    }
  }
}
