// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// Python's web server for the demo images, with some responses of misbehaving servers.
///
/// `/moved` redirects to an image and `/round` to itself, `/cut` sends less than it promises, and
/// `/large` never ends.
final class ImageServer {
  /// The server's address: `http://127.0.0.1:PORT`.
  let address: String
  private let process: ChildProcess

  init() throws {
    process = try ChildProcess(
      try #require(Python.path), ["-u", "-c", Self.script, Python.root.path + "/Demo/images"])
    let line = String(decoding: process.output.availableData, as: UTF8.self)
    address = "http://127.0.0.1:" + line.filter(\.isNumber)
  }

  deinit {
    kill(process.identifier, SIGKILL)
    _ = process.wait()
  }

  private static let script = """
    import functools, http.server, sys

    class Handler(http.server.SimpleHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        def log_message(self, *arguments): pass
        def head(self, status, **fields):
            self.send_response(status)
            for name, value in fields.items():
                self.send_header(name.replace("_", "-"), str(value))
            self.end_headers()
        def do_GET(self):
            if self.path == "/moved":
                self.head(302, Location="/digit-7-01.png", Content_Length=0)
            elif self.path == "/round":
                self.head(302, Location="/round", Content_Length=0)
            elif self.path == "/cut":
                self.head(200, Content_Length=1000)
                self.wfile.write(b"half")
                self.close_connection = True
            elif self.path == "/large":
                self.head(200, Content_Length=1 << 40)
                try:
                    while True:
                        self.wfile.write(bytes(1 << 20))
                except OSError:
                    self.close_connection = True
            else:
                super().do_GET()

    handler = functools.partial(Handler, directory=sys.argv[1])
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    print(server.server_port, flush=True)
    server.serve_forever()
    """
}
